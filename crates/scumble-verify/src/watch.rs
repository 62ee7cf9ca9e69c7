//! Long checks test once in a while whether to stop. Their results do not depend on it.

use scumble_files::Control;

use crate::error::VerifyError;

/// Returns [`VerifyError::Stopped`] if the check is to stop.
pub(crate) fn check(control: &Control) -> Result<(), VerifyError> {
    if control.is_cancelled() { Err(VerifyError::Stopped) } else { Ok(()) }
}

/// Counts work in a loop whose rounds are short, and checks once in a while whether to stop.
pub(crate) struct Pace<'a>(scumble_files::Pace<'a>);

impl<'a> Pace<'a> {
    pub(crate) fn new(control: &'a Control) -> Self {
        Self(control.pace())
    }

    /// Adds this much work.
    #[inline]
    pub(crate) fn tick(&mut self, work: usize) -> Result<(), VerifyError> {
        self.0.tick(work).map_err(|_| VerifyError::Stopped)
    }
}
