//! How a command takes memory: it gives back what it no longer needs, and when the system gives no more, it says so in a sentence and
//! leaves with an exit code of its own.
//!
//! Rust's own way is to abort, which looks like a crash and says nothing about what is left behind. There are too many places that ask
//! for memory to look at each, so this stands behind all of them: the system's allocator, and a way out where it fails. What it does
//! there asks for no memory. The hook that the standard library has for this (`alloc_error_hook`) is not stable.
//!
//! This is the only crate with unsafe code, and it is kept apart so that all others can forbid it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a command that ran out of memory, as of every lack of resources.
pub const EXIT_CODE: i32 = 3;

/// The system's allocator. Where it has nothing left, the process ends with [`EXIT_CODE`] and a sentence on standard error.
pub struct OrLeave {
    left_behind: fn() -> &'static str,
}

impl OrLeave {
    /// `left_behind` says what there is of the command's work; it must not ask for memory.
    #[must_use]
    pub const fn saying(left_behind: fn() -> &'static str) -> Self {
        Self { left_behind }
    }

    /// Goes on with memory, or not at all.
    #[inline]
    fn or_leave(&self, memory: *mut u8) -> *mut u8 {
        if memory.is_null() {
            self.leave();
        }
        memory
    }

    #[cold]
    #[inline(never)]
    fn leave(&self) -> ! {
        // Several threads may run out at the same time; one speaks, and ends all of them.
        static LEAVING: AtomicBool = AtomicBool::new(false);
        if LEAVING.swap(true, Ordering::SeqCst) {
            loop {
                // SAFETY: it has no conditions; it only waits.
                unsafe { libc::pause() };
            }
        }
        let parts = [
            "error: out of memory: the system gives this process no more; ",
            (self.left_behind)(),
            ". Use a machine with more memory, raise the limit if there is one (ulimit -v, a container's), use fewer threads \
             (--threads), or leave columns or rows out\n",
        ];
        for mut rest in parts.map(str::as_bytes) {
            while !rest.is_empty() {
                // SAFETY: the pointer and the length are those of a slice.
                let written = unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
                match usize::try_from(written) {
                    Ok(written) if written > 0 => rest = &rest[written.min(rest.len())..],
                    // Nobody listens; the exit code still tells.
                    _ => break,
                }
            }
        }
        // Nothing is tidied up: that may ask for memory. What has no name yet goes with the process, and the next run sweeps.
        // SAFETY: it has no conditions, and does not come back.
        unsafe { libc::_exit(EXIT_CODE) }
    }
}

/// From here on, memory that was asked for in large pieces goes back to the system as soon as it is free.
///
/// Once a large piece is freed, the GNU library by default keeps freed pieces of up to 32 MB for later. The stages of a run need memory for
/// different things, so most of what is kept is never used again. In a release of a million rows that was a third of the peak.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator, under the allocator's own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}

/// What is large: more than the buffers that readers and writers ask for again and again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

// SAFETY: every call is passed on to the system's allocator as it came, and what that gives is given back unchanged; where it gives
// nothing, the process ends.
unsafe impl GlobalAlloc for OrLeave {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the conditions of this method, which are the same.
        self.or_leave(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.or_leave(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        self.or_leave(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above; the memory is the system allocator's, since nothing else gives any.
        unsafe { System.dealloc(memory, layout) }
    }
}
