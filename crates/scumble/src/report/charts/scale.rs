//! Maps numbers to positions, and chooses the ticks of an axis.

/// A linear or logarithmic map from a range of numbers to a range of positions.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// A linear map from `low..high` to `from..to`. A range that is empty or not finite becomes `low..low + 1`.
    #[must_use]
    pub fn linear((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low { high } else { low + 1.0 };
        Self { low, high, from, to, logarithmic: false }
    }

    /// A logarithmic map from `low..high`, both at least 1.
    #[must_use]
    pub fn logarithmic((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let low = if low.is_finite() { low.max(1.0) } else { 1.0 };
        let high = if high.is_finite() && high > low { high } else { low * 10.0 };
        Self { low: low.ln(), high: high.ln(), from, to, logarithmic: true }
    }

    /// The position of a number. Numbers outside the range, and infinite ones, stop at the edge.
    #[must_use]
    pub fn at(&self, number: f64) -> f64 {
        let number = if self.logarithmic { number.max(1.0).ln() } else { number };
        let part = (number - self.low) / (self.high - self.low);
        let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
        self.from + part * (self.to - self.from)
    }
}

/// Round numbers from 0 to at least `highest`, about `wanted` of them, in steps of 1, 2, 2.5 or 5.
#[must_use]
pub fn ticks(highest: f64, wanted: usize) -> Vec<f64> {
    if !highest.is_finite() || highest <= 0.0 {
        return vec![0.0, 1.0];
    }
    let rough = highest / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    // A number too small for its reciprocal to be finite has no useful steps.
    if !(step > 0.0 && (highest / step).is_finite()) {
        return vec![0.0, 1.0];
    }
    let steps = (highest / step - 1e-9).ceil().max(1.0) as usize;
    (0..=steps).map(|i| i as f64 * step).collect()
}

/// Returns ticks for counts, which have no halves.
pub(super) fn whole_ticks(highest: f64, wanted: usize) -> Vec<f64> {
    if highest < wanted as f64 {
        (0..=highest.max(1.0) as usize).map(|i| i as f64).collect()
    } else {
        ticks(highest, wanted)
    }
}

/// 1, 2, 5, 10, 20, 50 … up to `highest`, thinned to powers of ten if that is many.
#[must_use]
pub fn log_ticks(highest: f64) -> Vec<f64> {
    let highest = if highest.is_finite() { highest.clamp(10.0, 1e15) } else { 10.0 };
    let decades =
        || std::iter::successors(Some(1.0), |power| Some(power * 10.0)).take_while(|p| *p <= highest);
    if highest > 2000.0 {
        return decades().collect();
    }
    decades().flat_map(|power| [power, 2.0 * power, 5.0 * power]).filter(|tick| *tick <= highest).collect()
}

/// A tick as text: `2.5k` and `3M` for thousands and millions, since ticks have little room.
#[must_use]
pub fn tick_label(number: f64) -> String {
    let (scaled, unit) = match number.abs() {
        size if size >= 1e15 => return format!("{number:.0e}"),
        size if size >= 1e9 => (number / 1e9, "G"),
        size if size >= 1e6 => (number / 1e6, "M"),
        size if size >= 1e4 => (number / 1e3, "k"),
        size if size >= 1e3 => return crate::base::format::count(number as u64),
        _ => (number, ""),
    };
    format!("{}{unit}", crate::base::format::number(scaled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_top() {
        assert_eq!(ticks(9.0, 4), [0.0, 2.5, 5.0, 7.5, 10.0]);
        assert_eq!(ticks(1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(0.0, 4), [0.0, 1.0]);
        assert_eq!(ticks(f64::INFINITY, 4), [0.0, 1.0]);
        assert_eq!(whole_ticks(2.0, 4), [0.0, 1.0, 2.0]);
        assert!(ticks(f64::MIN_POSITIVE, 4).iter().all(|tick| tick.is_finite()));
    }

    #[test]
    fn log_ticks_by_hand() {
        assert_eq!(log_ticks(60.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(log_ticks(30_000.0), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(tick_label(25_000.0), "25k");
        assert_eq!(tick_label(5_000.0), "5,000");
        assert_eq!(tick_label(0.25), "0.25");
    }

    #[test]
    fn positions_stay_inside() {
        let scale = Scale::linear((0.0, 10.0), (100.0, 200.0));
        assert_eq!(scale.at(5.0), 150.0);
        assert_eq!(scale.at(f64::INFINITY), 200.0);
        assert_eq!(scale.at(f64::NAN), 100.0);
        assert_eq!(Scale::linear((3.0, 3.0), (0.0, 1.0)).at(3.0), 0.0);
        let log = Scale::logarithmic((1.0, 100.0), (0.0, 2.0));
        assert!((log.at(10.0) - 1.0).abs() < 1e-12);
        assert_eq!(log.at(0.0), 0.0);
    }
}
