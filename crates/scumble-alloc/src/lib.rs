//! An allocator for commands. It gives back memory that is no longer needed. When the system has no more, it reports that in a
//! sentence and ends the process with an exit code of its own.
//!
//! By default Rust aborts, which looks like a crash and says nothing about what is left behind. Too many places allocate memory
//! to handle each of them, so this crate stands behind all of them: the system's allocator, and a way out when it fails. The way
//! out allocates no memory. The standard library's hook for this (`alloc_error_hook`) is not stable.
//!
//! This is the only crate with unsafe code. It is kept apart so that all others can forbid it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a command that ran out of memory or of another resource.
pub const EXIT_CODE: i32 = 3;

/// The system's allocator. When it has nothing left, the process ends with [`EXIT_CODE`] and a sentence on standard error.
pub struct OrLeave {
    left_behind: fn() -> &'static str,
}

impl OrLeave {
    /// `left_behind` says what the command has left behind so far. It must not allocate memory.
    #[must_use]
    pub const fn saying(left_behind: fn() -> &'static str) -> Self {
        Self { left_behind }
    }

    /// Returns the memory, or ends the process if there is none.
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
        // Several threads may run out at the same time. One of them reports it and ends the process.
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
                    // Nobody reads standard error; the exit code still shows what happened.
                    _ => break,
                }
            }
        }
        // Nothing is tidied up, since that may allocate memory. Files without a name disappear with the process, and the next run
        // sweeps up the rest.
        // SAFETY: it has no conditions, and does not return.
        unsafe { libc::_exit(EXIT_CODE) }
    }
}

/// From now on, memory that was allocated in large pieces goes back to the system as soon as it is freed.
///
/// By default, once a large piece has been freed, the GNU library keeps freed pieces of up to 32 MB for later. The stages of a
/// run need memory for different things, so most of what is kept is never used again. In a release of a million rows that was a
/// third of the peak.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator, under the allocator's own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}

/// The size from which a piece is large: more than the buffers that readers and writers allocate again and again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

// SAFETY: every call is passed on unchanged to the system's allocator, and its result is returned unchanged; if there is none,
// the process ends.
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
        // SAFETY: as above; the memory comes from the system's allocator, since nothing else allocates any.
        unsafe { System.dealloc(memory, layout) }
    }
}
