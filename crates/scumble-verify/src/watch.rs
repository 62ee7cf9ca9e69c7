//! Long checks look once in a while whether anybody still wants them. What they find does not depend on it.

use scumble_files::Control;

use crate::error::VerifyError;

/// [`VerifyError::Stopped`] if nobody wants the check any more.
pub(crate) fn check(control: &Control) -> Result<(), VerifyError> {
    if control.is_cancelled() { Err(VerifyError::Stopped) } else { Ok(()) }
}

/// Counts work in a loop over little of it, and looks once in a while.
pub(crate) struct Pace<'a>(scumble_files::Pace<'a>);

impl<'a> Pace<'a> {
    pub(crate) fn new(control: &'a Control) -> Self {
        Self(control.pace())
    }

    /// Tells that so much work was done.
    #[inline]
    pub(crate) fn tick(&mut self, work: usize) -> Result<(), VerifyError> {
        self.0.tick(work).map_err(|_| VerifyError::Stopped)
    }
}
