//! The drawing board: escapes text, writes coordinates, keeps title and description.

use std::fmt::Write;

/// An SVG image under construction.
#[derive(Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text is attached to its point.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// The text begins at its point.
    Start,
    /// The point is the middle of the text.
    Middle,
    /// The text ends at its point.
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Svg {
    /// An empty image with a title and a description in words, which replace it where it cannot be seen.
    #[must_use]
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let body = format!("<title>{}</title><desc>{}</desc>", escape(title), escape(description));
        Self { width, height, body }
    }

    /// A rectangle; `hint` is shown when the pointer rests on it.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (w, h): (f64, f64), hint: Option<&str>) {
        let (w, h) = (w.max(0.0), h.max(0.0));
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}" rx="{}""#,
            px(x),
            px(y),
            px(w),
            px(h),
            px((w.min(h) / 4.0).min(2.0))
        );
        self.close_with_hint("rect", hint);
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.body,
            r#"<line class="{class}" x1="{}" y1="{}" x2="{}" y2="{}"/>"#,
            px(from.0),
            px(from.1),
            px(to.0),
            px(to.1)
        );
    }

    /// A line through points; nothing if there are fewer than two.
    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() < 2 {
            return;
        }
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        let _ = write!(self.body, r#"<polyline class="{class}" points="{}"/>"#, points.join(" "));
    }

    /// A filled area with straight edges.
    pub fn polygon(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        let _ = write!(self.body, r#"<polygon class="{class}" points="{}"/>"#, points.join(" "));
    }

    /// A dot.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, hint: Option<&str>) {
        let _ =
            write!(self.body, r#"<circle class="{class}" cx="{}" cy="{}" r="{}""#, px(x), px(y), px(radius));
        self.close_with_hint("circle", hint);
    }

    /// A line of text.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let _ = write!(
            self.body,
            r#"<text class="{class}" x="{}" y="{}" text-anchor="{}">{}</text>"#,
            px(x),
            px(y),
            anchor.word(),
            escape(text)
        );
    }

    /// A line of text that rises to the right and ends at its point.
    pub fn slanted(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let (x, y) = (px(x), px(y));
        let _ = write!(
            self.body,
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="end" transform="rotate(-35 {x} {y})">{}</text>"#,
            escape(text)
        );
    }

    /// The finished image.
    #[must_use]
    pub fn finish(self) -> String {
        // The image shrinks with its column but never grows beyond its drawn size, so that text stays even.
        format!(
            r#"<svg class="chart" role="img" viewBox="0 0 {} {}" style="max-width:{}px">{}</svg>"#,
            px(self.width),
            px(self.height),
            px(self.width),
            self.body
        )
    }

    fn close_with_hint(&mut self, tag: &str, hint: Option<&str>) {
        let _ = match hint {
            Some(hint) => write!(self.body, "><title>{}</title></{tag}>", escape(hint)),
            None => write!(self.body, "/>"),
        };
    }
}

/// A coordinate with at most one decimal. A coordinate that is not a number would make browsers drop the whole shape, so it becomes 0.
pub(super) fn px(coordinate: f64) -> String {
    let rounded = (coordinate * 10.0).round() / 10.0;
    // Adding zero turns a negative zero into zero.
    if rounded.is_finite() { format!("{}", rounded + 0.0) } else { "0".to_owned() }
}

/// Text as it may stand in SVG, between tags and in attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Other control characters are not allowed in markup at all.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The approximate width of a text at the size of chart labels. Only a browser knows it; this errs on the wide side.
#[must_use]
pub fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.9
}
