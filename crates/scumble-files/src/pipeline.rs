//! One reader, several workers: jobs are made in order, done in any order, and put together in order.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

use crate::codes::{Piece, Pieces};
use crate::dictionary::Dictionary;
use crate::error::Error;
use crate::flaw::{FirstFlaw, Flaw};
use crate::limits;
use crate::table::Codes;

/// What one worker keeps from job to job.
pub(crate) struct Encoder {
    /// One dictionary for each selected column.
    pub(crate) dictionaries: Vec<Dictionary>,
    /// The current job's codes for each selected column.
    pub(crate) codes: Vec<Vec<u32>>,
    /// The memory that the dictionaries took at the last call of `growth`.
    taken: u64,
}

/// The number of good rows of a job, and what was wrong with the next row, if anything.
pub(crate) type Done = (usize, Option<Flaw>);

impl Encoder {
    fn new(columns: usize, limit: usize) -> Self {
        Self {
            dictionaries: (0..columns).map(|_| Dictionary::new(limit)).collect(),
            codes: vec![Vec::new(); columns],
            taken: 0,
        }
    }

    /// Returns how many more bytes of memory the dictionaries take than at the last call.
    fn growth(&mut self) -> u64 {
        let taken = self.dictionaries.iter().map(Dictionary::memory).sum();
        taken - std::mem::replace(&mut self.taken, taken)
    }

    /// Takes the codes of a finished job.
    fn take_piece(&mut self, worker: usize, rows: usize) -> Piece {
        let columns = self
            .codes
            .iter_mut()
            .zip(&self.dictionaries)
            .map(|(codes, dictionary)| {
                let narrow = Codes::narrow(dictionary.texts().len(), codes);
                codes.clear();
                narrow
            })
            .collect();
        Piece { worker, rows, columns }
    }
}

/// The memory that codes and dictionaries may take, and what they have taken so far.
pub(crate) struct Memory<'a> {
    file: &'a str,
    most: Option<u64>,
    taken: AtomicU64,
}

impl<'a> Memory<'a> {
    /// Allows what was given, or what the system has left.
    pub(crate) fn new(file: &'a str, given: Option<u64>) -> Self {
        Self { file, most: given.or_else(limits::memory_left), taken: AtomicU64::new(0) }
    }

    /// Takes this many bytes more. Fails if that is too much.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), Error> {
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        match self.most {
            Some(most) if taken > most => Err(Error::resources(format!(
                "'{}' needs more memory than the {} that are left",
                self.file,
                limits::size(most)
            ))
            .advise("use a machine with more memory")
            .advise("leave columns or rows out")),
            _ => Ok(()),
        }
    }
}

/// A worker's results: the number, the piece and the flaw of each job.
type Finished = Vec<(usize, Piece, Option<Flaw>)>;

/// Runs jobs through `threads` workers. `produce` gives the next job, or a flaw of the row behind all jobs before it. `work`
/// encodes a job and returns how many rows were good.
pub(crate) fn run<J: Send>(
    threads: usize,
    columns: usize,
    limit: usize,
    memory: &Memory<'_>,
    mut produce: impl FnMut() -> Option<Result<J, Flaw>>,
    work: impl Fn(&mut Encoder, J) -> Done + Sync,
) -> Result<Pieces, FirstFlaw> {
    // Jobs behind the first flawed one need not be done. Those before it must be, for its row number and because one of them may
    // be flawed as well.
    let first_flawed = AtomicUsize::new(usize::MAX);
    let mut last_flaw = None;
    let do_job = |worker: usize, encoder: &mut Encoder, finished: &mut Finished, number: usize, job: J| {
        if number > first_flawed.load(Ordering::Relaxed) {
            return;
        }
        let (rows, flaw) = work(encoder, job);
        let piece = encoder.take_piece(worker, rows);
        // At the end the codes are rewritten column by column, so they exist twice.
        let codes: usize = piece.columns.iter().map(|codes| size_of::<Codes>() + codes.bytes()).sum();
        let growth = encoder.growth();
        let flaw = flaw.or_else(|| memory.take(2 * codes as u64 + growth).err().map(Flaw::Other));
        if flaw.is_some() {
            first_flawed.fetch_min(number, Ordering::Relaxed);
        }
        finished.push((number, piece, flaw));
    };
    // The next job with its number, as long as there is one and nothing is wrong.
    let mut jobs = 0;
    let mut next_job = || {
        if first_flawed.load(Ordering::Relaxed) != usize::MAX {
            return None;
        }
        match produce()? {
            Ok(job) => {
                jobs += 1;
                Some((jobs - 1, job))
            }
            Err(flaw) => {
                last_flaw = Some(flaw);
                None
            }
        }
    };

    let mut all: Vec<(Encoder, Finished)> = Vec::with_capacity(threads);
    if threads <= 1 {
        let (mut encoder, mut finished) = (Encoder::new(columns, limit), Vec::new());
        while let Some((number, job)) = next_job() {
            do_job(0, &mut encoder, &mut finished, number, job);
        }
        all.push((encoder, finished));
    } else {
        let (sender, receiver) = sync_channel::<(usize, J)>(threads);
        let receiver = Mutex::new(receiver);
        let work_all = |worker: usize| {
            let (mut encoder, mut finished) = (Encoder::new(columns, limit), Vec::new());
            while let Some((number, job)) = receive(&receiver) {
                do_job(worker, &mut encoder, &mut finished, number, job);
            }
            (encoder, finished)
        };
        let mut started = true;
        std::thread::scope(|scope| {
            let work_all = &work_all;
            let start = |worker: usize| {
                std::thread::Builder::new().spawn_scoped(scope, move || work_all(worker)).ok()
            };
            // If the system refuses more threads, those that started do the work.
            let workers: Vec<_> = (0..threads).map_while(start).collect();
            started = !workers.is_empty();
            while started && let Some(job) = next_job() {
                if sender.send(job).is_err() {
                    break;
                }
            }
            drop(sender);
            for worker in workers {
                match worker.join() {
                    Ok(result) => all.push(result),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        if !started {
            last_flaw = Some(Flaw::Other(Error::resources(
                "cannot start a thread to read with; there is too little memory left, or too many threads are running"
                    .to_owned(),
            )));
        }
    }
    put_together(all, last_flaw)
}

fn receive<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    // A poisoned lock means that another worker panicked. Its panic is passed on when that worker is joined.
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Returns the pieces in order, or the first flaw in the order of the file.
fn put_together(all: Vec<(Encoder, Finished)>, last_flaw: Option<Flaw>) -> Result<Pieces, FirstFlaw> {
    let mut dictionaries = Vec::with_capacity(all.len());
    let mut finished = Vec::new();
    for (encoder, jobs) in all {
        dictionaries.push(encoder.dictionaries);
        finished.extend(jobs);
    }
    finished.sort_unstable_by_key(|(number, ..)| *number);
    let mut rows_before = 0;
    let mut pieces = Vec::with_capacity(finished.len());
    for (_, piece, flaw) in finished {
        rows_before += piece.rows;
        if let Some(flaw) = flaw {
            return Err(FirstFlaw { rows_before, flaw });
        }
        pieces.push(piece);
    }
    match last_flaw {
        Some(flaw) => Err(FirstFlaw { rows_before, flaw }),
        None => Ok(Pieces { dictionaries, pieces }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Selection;

    /// Jobs are lists of texts for one column; the text "bad" is a flaw.
    #[allow(clippy::needless_pass_by_value)] // The pipeline gives jobs away by value.
    fn encode(encoder: &mut Encoder, job: Vec<&'static str>) -> Done {
        for (row, text) in job.iter().enumerate() {
            if *text == "bad" {
                return (row, Some(Flaw::Ragged(row)));
            }
            let code = encoder.dictionaries[0].code_of(text.as_bytes()).unwrap();
            encoder.codes[0].push(code);
        }
        (job.len(), None)
    }

    #[test]
    fn pieces_come_back_in_order_for_any_number_of_threads() {
        let texts = ["d", "a", "c", "a", "b", "d", "e"];
        for threads in [1, 2, 5] {
            let mut jobs = texts.chunks(2).map(|job| Ok(job.to_vec()));
            let pieces =
                run(threads, 1, usize::MAX, &Memory::new("t", None), || jobs.next(), encode).ok().unwrap();
            let table =
                pieces.merge(&Selection::new("t", vec!["x".to_owned()], None).unwrap(), usize::MAX).unwrap();
            let column = &table.columns[0];
            let back: Vec<&str> = column.codes.iter().map(|code| column.values.get(code)).collect();
            assert_eq!(back, texts);
            assert_eq!(column.values.iter().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        }
    }

    #[test]
    fn too_much_for_the_memory_is_an_error() {
        let mut jobs = (0..1000).map(|_| Ok(vec!["a", "b", "c"]));
        let flaw =
            run(2, 1, usize::MAX, &Memory::new("t", Some(5_000)), || jobs.next(), encode).err().unwrap();
        let Flaw::Other(error) = flaw.flaw else { panic!("{:?}", flaw.flaw) };
        let message = error.to_string();
        assert!(message.starts_with("'t' needs more memory than the 5.0 KB that are left"), "{message}");
        assert!(jobs.len() > 0);
    }

    #[test]
    fn the_first_flaw_wins_with_its_row() {
        for threads in [1, 2, 5] {
            let mut jobs = vec![Ok(vec!["a", "b"]), Ok(vec!["c", "bad"]), Ok(vec!["bad"])].into_iter();
            let flaw =
                run(threads, 1, usize::MAX, &Memory::new("t", None), || jobs.next(), encode).err().unwrap();
            assert_eq!(flaw.rows_before, 3);
            assert!(matches!(flaw.flaw, Flaw::Ragged(1)));
        }
    }

    #[test]
    fn a_flaw_of_the_reader_comes_behind_all_jobs() {
        for threads in [1, 2] {
            let mut jobs = vec![Ok(vec!["a", "b"]), Err(Flaw::QuoteNeverClosed)].into_iter();
            let flaw =
                run(threads, 1, usize::MAX, &Memory::new("t", None), || jobs.next(), encode).err().unwrap();
            assert_eq!(flaw.rows_before, 2);
            assert!(matches!(flaw.flaw, Flaw::QuoteNeverClosed));
        }
    }
}
