//! Exact fractions, so that limits of models are compared without rounding.

/// A fraction with a positive denominator; not reduced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fraction {
    pub(crate) over: i128,
    pub(crate) under: i128,
}

impl Fraction {
    pub(crate) fn new(over: i128, under: i128) -> Self {
        Self { over, under }
    }

    /// Reads `3`, `1.25` or `2/3`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Some((over, under)) = text.split_once('/') {
            return Some(Self::new(over.parse().ok()?, under.parse().ok()?));
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty()
            || part.len() > 12
            || !(whole.to_owned() + part).bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let under = 10_i128.pow(u32::try_from(part.len()).ok()?);
        let over: i128 = (whole.to_owned() + part).parse().ok()?;
        Some(Self::new(if negative { -over } else { over }, under))
    }

    /// Whether this is at most the other.
    pub(crate) fn at_most(self, other: Self) -> bool {
        self.over * other.under <= other.over * self.under
    }

    /// Whether this is less than the other.
    pub(crate) fn below(self, other: Self) -> bool {
        self.over * other.under < other.over * self.under
    }

    pub(crate) fn float(self) -> f64 {
        self.over as f64 / self.under as f64
    }
}
