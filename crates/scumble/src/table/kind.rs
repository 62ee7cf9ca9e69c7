//! What kind of values a column holds, and the exact integers behind them.
//!
//! Numbers and dates are measured as integers: a number as its value times `10^scale` of the column,
//! a date as its day number. Order, equality and interval ends are then exact; no float decides. Where the sizes of a column's
//! numbers differ too much for that, as p-values do, `wide.rs` has other integers for them.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::table::date::{Date, DateFormat};
use crate::table::decimal::{Decimal, MOST_DIGITS};
use crate::table::moment;
use crate::table::wide;

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers with a decimal point.
    Decimal,
    /// Numbers with a decimal comma.
    DecimalComma,
    /// Numbers whose sizes differ too much for one unit: integers stand for them in their order, and differences of those count
    /// orders of magnitude. No text is of this kind by itself; [`Measure::of`] finds out that a column is.
    Wide {
        /// Whether the decimal mark is a comma.
        comma: bool,
    },
    /// Calendar dates in one format.
    Date(DateFormat),
    /// Timestamps as ISO 8601 writes them. Their unit is a second divided by `10^scale`, counted from 1970.
    Timestamp {
        /// Whether they have a zone; then they are compared by instant and coarsened in UTC.
        zone: bool,
    },
    /// Times of day; the unit is that of timestamps, counted from midnight.
    Time,
    /// Anything else; also codes with leading zeros.
    Text,
}

/// What all values of a column say about its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// One kind fits all values.
    Clear(Kind),
    /// Dates in which day and month cannot be told apart; the user must say which it is.
    AmbiguousDate,
}

/// The deepest precision of a number that is a multiple of its column's unit.
pub(crate) const MAX_SCALE: u32 = 38;
/// Numbers of a column with one unit are smaller, and so are their differences: what is rounded outward still fits 128 bits.
pub(crate) const LARGEST: i128 = 10_i128.pow(38);
/// The most decimal places of numbers whose intervals include both ends; of finer ones, the last number of an interval is hard to read.
const CLOSED_PLACES: u32 = 6;

impl Kind {
    /// The kind that fits every text; without any text it is `Text`.
    #[expect(clippy::needless_pass_by_value, reason = "an iterator is passed by value, as everywhere")]
    pub fn infer<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Inference {
        if texts.clone().next().is_none() {
            return Inference::Clear(Self::Text);
        }
        for kind in [Self::Integer, Self::Decimal] {
            if kind.fits(texts.clone()) {
                return Inference::Clear(kind);
            }
        }
        // "1,234" may be a thousand: only a column with some other number of places is surely decimal.
        let mut places =
            texts.clone().filter_map(|text| text.split_once(',')).map(|(_, after)| after.trim_end().len());
        if places.any(|places| places != 3) && Self::DecimalComma.fits(texts.clone()) {
            return Inference::Clear(Self::DecimalComma);
        }
        let fitting: Vec<DateFormat> = DateFormat::ALL
            .into_iter()
            .filter(|format| texts.clone().all(|text| format.parse(text).is_some()))
            .collect();
        match fitting[..] {
            [] => Inference::Clear(Self::of_moments(&texts)),
            [format] => Inference::Clear(Self::Date(format)),
            _ => Inference::AmbiguousDate,
        }
    }

    /// Timestamps or times, if all texts are.
    fn of_moments<'a>(texts: &(impl Iterator<Item = &'a str> + Clone)) -> Self {
        let kinds = [Self::Time, Self::Timestamp { zone: true }, Self::Timestamp { zone: false }];
        let fits = |kind: &Self| texts.clone().all(|text| kind.moment(text).is_some());
        kinds.into_iter().find(fits).unwrap_or(Self::Text)
    }

    /// The nanoseconds of a timestamp or a time of day, and the digits after its second.
    fn moment(self, text: &str) -> Option<(i128, u32)> {
        match self {
            Self::Timestamp { zone } => moment::timestamp(text, zone),
            Self::Time => moment::time(text),
            _ => None,
        }
    }

    /// Whether values are dates, timestamps or times of day.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Date(_) | Self::Timestamp { .. } | Self::Time)
    }

    /// Whether values lie on a line, so that intervals of them mean something.
    #[must_use]
    pub fn is_ordered(self) -> bool {
        self != Self::Text
    }

    /// Whether values are numbers, whole or not.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::DecimalComma | Self::Wide { .. })
    }

    /// Whether values are numbers that are multiples of one unit, so that sums and differences of their integers mean something.
    #[must_use]
    pub fn has_unit(self) -> bool {
        self.is_number() && !matches!(self, Self::Wide { .. })
    }

    /// Whether the decimal mark is a comma.
    #[must_use]
    pub fn has_comma(self) -> bool {
        matches!(self, Self::DecimalComma | Self::Wide { comma: true })
    }

    /// Whether all texts are numbers of this kind that a column can have together.
    fn fits<'a>(self, texts: impl Iterator<Item = &'a str> + Clone) -> bool {
        let mut needs = Needs::default();
        texts.clone().all(|text| self.decimal(text).map(|number| needs.add(number)).is_some())
            && (needs.scale().is_some() || wide::scale(self.decimals(texts)).is_some())
    }

    /// The numbers among some texts.
    fn decimals<'a>(
        self,
        texts: impl Iterator<Item = &'a str> + Clone,
    ) -> impl Iterator<Item = Decimal> + Clone {
        texts.filter_map(move |text| self.decimal(text)).map(|(number, _)| number)
    }

    /// The number that a text of this kind writes, and its decimal places as they are written; `None` for texts and dates.
    fn decimal(self, text: &str) -> Option<(Decimal, u32)> {
        // Blanks around a number mean nothing.
        let text = text.trim();
        match self {
            Self::Integer => {
                let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
                let whole = digits.len() <= MOST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
                Decimal::read(text, b'.').filter(|_| whole)
            }
            Self::Decimal | Self::Wide { comma: false } => Decimal::read(text, b'.'),
            Self::DecimalComma | Self::Wide { comma: true } => Decimal::read(text, b','),
            Self::Date(_) | Self::Timestamp { .. } | Self::Time | Self::Text => None,
        }
    }
}

/// How the texts of one column are measured: the kind and, for numbers, the decimal places kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// The kind of the values.
    pub kind: Kind,
    /// Numbers are multiples of `10^-scale`, timestamps of that part of a second; 0 for dates and texts. Of a wide column, the smallest number is at least `10^-scale`.
    pub scale: u32,
}

/// What must fit the unit of a column.
#[derive(Default)]
struct Needs {
    /// The decimal places that are written, and those that are needed.
    written: u32,
    needed: u32,
    greatest: Option<Decimal>,
    least: Option<Decimal>,
}

impl Needs {
    fn add(&mut self, (number, written): (Decimal, u32)) {
        self.written = self.written.max(written);
        self.needed = self.needed.max(number.places());
        self.greatest = self.greatest.max(Some(number));
        self.least = Some(self.least.map_or(number, |least| least.min(number)));
    }

    /// The decimal places with which all numbers, and their differences, fit.
    fn scale(&self) -> Option<u32> {
        let fits = |scale: &u32| {
            let whole = |number: Option<Decimal>| number.unwrap_or(Decimal::ZERO).scaled(*scale);
            let span = whole(self.greatest).zip(whole(self.least));
            let small = |number: i128| number.unsigned_abs() < LARGEST.unsigned_abs();
            *scale <= MAX_SCALE
                && span.is_some_and(|(greatest, least)| {
                    small(greatest) && small(least) && greatest.checked_sub(least).is_some_and(small)
                })
        };
        [self.written, self.needed].into_iter().find(fits)
    }
}

impl Measure {
    /// The measure of a column with these texts: the finest precision among them.
    pub fn of<'a>(kind: Kind, texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        if matches!(kind, Kind::Text | Kind::Date(_)) {
            return Self { kind, scale: 0 };
        }
        if kind.is_time() {
            let places = texts.filter_map(|text| kind.moment(text)).map(|(_, places)| places);
            return Self { kind, scale: places.max().unwrap_or(0) };
        }
        let mut needs = Needs::default();
        texts.clone().filter_map(|text| kind.decimal(text)).for_each(|number| needs.add(number));
        if let Some(scale) = needs.scale() {
            return Self { kind, scale };
        }
        match wide::scale(kind.decimals(texts)) {
            Some(scale) => Self { kind: Kind::Wide { comma: kind.has_comma() }, scale },
            // What does not fit has no integer.
            None => Self { kind, scale: needs.needed.min(MAX_SCALE) },
        }
    }

    /// The kind whose texts a column of this measure may be asked for: `1.0` is a number to a column of whole numbers, too.
    fn asked(&self) -> Kind {
        if self.kind == Kind::Integer { Kind::Decimal } else { self.kind }
    }

    /// The number that a text writes, also one that no text of the column could be: `1.5` in a column of whole numbers. A date is the
    /// number of its day.
    pub(crate) fn exact(&self, text: &str) -> Option<Decimal> {
        match self.kind {
            Kind::Date(format) => format.parse(text).map(|day| Decimal::of(day.into(), 0)),
            Kind::Timestamp { .. } | Kind::Time => {
                self.kind.moment(text).map(|(nanos, _)| Decimal::of(nanos, -9))
            }
            _ => self.asked().decimal(text).map(|(number, _)| number),
        }
    }

    /// The number of an integer of this measure.
    pub(crate) fn decimal(&self, number: i128) -> Decimal {
        match self.kind {
            Kind::Wide { .. } => wide::number(number, self.scale),
            _ => Decimal::of(number, -(self.scale as i32)),
        }
    }

    /// The greatest integer of this measure whose number is not greater; `None` for a number that is too far away.
    pub(crate) fn floor(&self, number: Decimal) -> Option<i128> {
        match self.kind {
            Kind::Wide { .. } => wide::floor(number, self.scale),
            _ => number.floor_scaled(self.scale),
        }
    }

    /// Edges at powers of ten that hold two numbers and all between them, at most this many intervals; `None` where numbers have a unit.
    pub(crate) fn powers_of_ten(&self, low: i128, high: i128, most: usize) -> Option<Vec<i128>> {
        matches!(self.kind, Kind::Wide { .. }).then(|| wide::edges(low, high, most))
    }

    /// The nanoseconds of a unit of timestamps and times.
    pub(crate) fn nanos(&self) -> i128 {
        10_i128.pow(9_u32.saturating_sub(self.scale))
    }

    /// Whether the scale is one that a measure can have.
    pub(crate) fn is_sound(&self) -> bool {
        match self.kind {
            Kind::Wide { .. } => true,
            Kind::Timestamp { .. } | Kind::Time => self.scale <= 9,
            _ => self.scale <= MAX_SCALE,
        }
    }

    /// Whether two integers are so near that nothing about the interval between them overflows.
    pub(crate) fn holds(&self, low: i128, high: i128) -> bool {
        let most = if let Kind::Wide { .. } = self.kind { wide::LARGEST.saturating_mul(2) } else { LARGEST };
        let inside = |number: i128| number.unsigned_abs() <= most.unsigned_abs();
        inside(low) && inside(high) && high.checked_sub(low).is_some_and(inside)
    }

    /// The integer behind a text, or `None` if it is not of this kind or finer than this precision.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<i128> {
        if let Kind::Date(format) = self.kind {
            return format.parse(text).map(i128::from);
        }
        if self.kind.is_time() {
            let (nanos, _) = self.kind.moment(text)?;
            return (nanos % self.nanos() == 0).then(|| nanos / self.nanos());
        }
        let (number, _) = self.kind.decimal(text)?;
        match self.kind {
            Kind::Wide { .. } => wide::rank(number, self.scale),
            _ => number.scaled(self.scale).filter(|number| number.unsigned_abs() < LARGEST.unsigned_abs()),
        }
    }

    /// The plain text of an integer of this measure.
    #[must_use]
    pub fn text(&self, number: i128) -> String {
        if let Kind::Date(format) = self.kind {
            return i64::try_from(number).map(|day| format.format(day)).unwrap_or_default();
        }
        match self.kind {
            Kind::Timestamp { zone } => {
                return moment::timestamp_text(number.saturating_mul(self.nanos()), zone);
            }
            Kind::Time => return moment::time_text(number.saturating_mul(self.nanos())),
            _ => {}
        }
        if let Kind::Wide { comma } = self.kind {
            return wide::number(number, self.scale).text(if comma { ',' } else { '.' });
        }
        if self.scale == 0 {
            return number.to_string();
        }
        let unit = 10_u128.pow(self.scale);
        let sign = if number < 0 { "-" } else { "" };
        let mark = if self.kind == Kind::DecimalComma { ',' } else { '.' };
        let (whole, places) = (number.unsigned_abs() / unit, number.unsigned_abs() % unit);
        let places = format!("{places:0width$}", width = self.scale as usize);
        match places.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            places => format!("{sign}{whole}{mark}{places}"),
        }
    }

    /// A number of `more` places beyond this measure, all of them written, zeros too: they say how exact it is.
    #[must_use]
    pub fn with_places(&self, number: i128, more: u32) -> String {
        let places = self.scale + more;
        // Means are refused for numbers with this many places, and their integers are far below this.
        let unit = 10_u128.checked_pow(places).unwrap_or(u128::MAX);
        let sign = if number < 0 { "-" } else { "" };
        let mark = if self.kind == Kind::DecimalComma { ',' } else { '.' };
        let (whole, rest) = (number.unsigned_abs() / unit, number.unsigned_abs() % unit);
        format!("{sign}{whole}{mark}{rest:0width$}", width = places as usize)
    }

    /// A round number at which intervals can meet between two neighbouring values of a column: the last of the lower
    /// interval. It is neither value, nor next to one, where there is room for that.
    #[must_use]
    pub fn roundest_between(&self, below: i128, above: i128) -> i128 {
        if let Kind::Wide { .. } = self.kind {
            let (low, high) = if above - below >= 6 { (below + 2, above - 2) } else { (below, above) };
            return wide::roundest(low, high, self.scale) - 1;
        }
        if self.is_half_open() && above - below >= 4 {
            // The next interval begins with the round number.
            return self.roundest_in(below + 3, above - 1) - 1;
        }
        let (low, high) = if above - below >= 4 { (below + 2, above - 2) } else { (below, above - 1) };
        if let Kind::Date(_) = self.kind {
            return last_of_period(low, high);
        }
        if self.kind.is_time() {
            return self.last_of_moments(low, high);
        }
        self.roundest_in(low, high)
    }

    /// The whole years around two timestamps, or the day around two times of day.
    pub(crate) fn outward(&self, first: i128, last: i128) -> (i128, i128) {
        let unit = self.nanos();
        if self.kind == Kind::Time {
            return (0, moment::DAY / unit - 1);
        }
        let year = |number: i128| Date::of(moment::day_of(number.saturating_mul(unit))).year;
        let start = |year: i64| i128::from(Date { year, month: 1, day: 1 }.number()) * moment::DAY / unit;
        (start(year(first)), start(year(last) + 1) - 1)
    }

    /// The last moment of a year, month, day, hour or minute that ends between two moments, else the first moment.
    fn last_of_moments(&self, low: i128, high: i128) -> i128 {
        let unit = self.nanos();
        let next = (high + 1) * unit;
        let date = Date::of(moment::day_of(next));
        let start = |date: Date| i128::from(date.number()) * moment::DAY;
        let floor = |nanos: i128| next.div_euclid(nanos) * nanos;
        let begins = [
            start(Date { month: 1, day: 1, ..date }),
            start(Date { day: 1, ..date }),
            floor(moment::DAY),
            floor(moment::HOUR),
            floor(moment::HOUR / 60),
        ];
        let ends = begins.into_iter().map(|begin| begin.div_euclid(unit) - 1);
        ends.into_iter().find(|end| (low..=high).contains(end)).unwrap_or(low)
    }

    /// The multiple of the largest power of ten that has one here.
    #[expect(clippy::unused_self, reason = "beside its callers")]
    fn roundest_in(&self, low: i128, high: i128) -> i128 {
        let mut round = low;
        let mut step = 10_i128;
        // The largest power of ten that has a multiple in reach.
        while let Some(multiple) = high.div_euclid(step).checked_mul(step).filter(|multiple| *multiple >= low)
        {
            round = multiple;
            step = match step.checked_mul(10) {
                Some(next) => next,
                None => break,
            };
        }
        round
    }

    /// The integer as a float in the column's own unit, for reports and widths.
    #[must_use]
    pub fn float(&self, number: i128) -> f64 {
        if let Kind::Wide { .. } = self.kind {
            return wide::number(number, self.scale).float();
        }
        number as f64 / 10_f64.powi(self.scale as i32)
    }

    /// Whether intervals end before a round number rather than with the last number below it: that has too many digits to be read.
    fn is_half_open(&self) -> bool {
        matches!(self.kind, Kind::Wide { .. }) || (self.kind.is_number() && self.scale > CLOSED_PLACES)
    }

    /// The interval between two integers, both included, as released: `[17,24]`, `[1,5;2,5]` with decimal commas; `[0.25,0.5)` where numbers
    /// have many places and the end before the next interval is shorter.
    #[must_use]
    pub fn interval(&self, low: i128, high: i128) -> String {
        let (from, to) = (self.text(low), self.text(high));
        let end =
            Some(self.text(high.saturating_add(1))).filter(|end| self.is_half_open() && end.len() < to.len());
        match end {
            Some(end) => format!("[{from}{}{end})", self.separator()),
            None => format!("[{from}{}{to}]", self.separator()),
        }
    }

    /// What stands between the two ends of an interval.
    #[must_use]
    pub fn separator(&self) -> char {
        if self.kind.has_comma() { ';' } else { ',' }
    }
}

/// The last day of a year between two day numbers, else of a month, else the first day.
fn last_of_period(low: i128, high: i128) -> i128 {
    let (Ok(first), Ok(last)) = (i64::try_from(low), i64::try_from(high)) else { return low };
    let date = Date::of(last + 1);
    let year = Date { year: date.year, month: 1, day: 1 }.number() - 1;
    let month = Date { year: date.year, month: date.month, day: 1 }.number() - 1;
    i128::from([year, month].into_iter().find(|day| (first..=last).contains(day)).unwrap_or(first))
}
