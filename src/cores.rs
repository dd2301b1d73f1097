//! The cores of this computer: how many there are, and work that is spread over them.
//!
//! The emulator itself spreads the blocks of one launch, as far as [`simt::Launch::cores`] allows. This module spreads
//! launches that are independent of each other, such as the seeds of a search. Neither changes a report, because
//! results are used in the order of their numbers. What it leaves out: cancelling work. After an early end it waits for
//! the launches that have begun.

use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

/// More cores than any computer has today.
const MOST: u32 = 1024;

/// How many cores this process may use.
pub fn available() -> u32 {
    thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST as usize) as u32)
}

/// Reads the option `--cores`.
pub fn parse(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(cores @ 1..=MOST) => Ok(cores),
        _ => Err(format!("the emulator uses 1 to {MOST} cores")),
    }
}

/// Carries out `work` for every number on this many threads, and passes the results to `take` in the order of the
/// numbers, until `take` breaks. On one core no thread is started.
///
/// The numbers are assigned to the threads in turn, and a thread is at most two results ahead. So it is known which
/// thread has the next result, and only a few results take up memory at a time. If `work` panics, the caller panics
/// too.
pub fn in_order<T: Send, B>(
    cores: u32,
    numbers: Range<u64>,
    work: impl Fn(u64) -> T + Sync,
    mut take: impl FnMut(u64, T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let threads = u64::from(cores).min(numbers.end.saturating_sub(numbers.start));
    if threads <= 1 {
        return numbers.into_iter().try_for_each(|number| take(number, work(number)));
    }
    let work = &work;
    thread::scope(|scope| {
        let start = |nth| {
            let own = (numbers.start + nth..numbers.end).step_by(threads as usize);
            started(scope, move |results| {
                for number in own {
                    let result = catch_unwind(AssertUnwindSafe(|| work(number)));
                    // After `take` has broken off, nothing receives any more.
                    if results.send(result).is_err() {
                        return;
                    }
                }
            })
        };
        let results: Vec<_> = (0..threads).map(start).collect();
        numbers.clone().zip(results.iter().cycle()).try_for_each(|(number, results)| {
            let result = results.recv().expect("a thread sends a result for each of its numbers");
            take(number, result.unwrap_or_else(|panic| resume_unwind(panic)))
        })
    })
}

/// Starts a thread that sends results. It has the name of this thread, by which the exercises recognise whose panic it
/// is.
fn started<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce(SyncSender<T>) + Send + 'scope,
) -> Receiver<T> {
    let (send, receive) = sync_channel(1);
    let name = thread::current().name().unwrap_or("seeds").to_owned();
    let thread = thread::Builder::new().name(name).spawn_scoped(scope, move || work(send));
    thread.expect("the system gives a thread");
    receive
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::ThreadId;
    use std::time::Duration;

    use super::*;

    /// The results of work that takes longest for small numbers, up to the one at which to stop.
    fn taken(cores: u32, numbers: Range<u64>, stop: u64) -> (Vec<u64>, Option<u64>) {
        let mut taken = Vec::new();
        let work = |number: u64| {
            thread::sleep(Duration::from_millis(5 * u64::from(number.is_multiple_of(4))));
            !number
        };
        let end = in_order(cores, numbers, work, |number, result| {
            assert_eq!(result, !number);
            taken.push(number);
            if number == stop { ControlFlow::Break(number) } else { ControlFlow::Continue(()) }
        });
        (taken, end.break_value())
    }

    #[test]
    fn results_come_in_order_on_any_number_of_cores() {
        for cores in [1, 2, 3, 8, 100] {
            assert_eq!(taken(cores, 3..20, 99), ((3..20).collect(), None), "{cores}");
            assert_eq!(taken(cores, 3..20, 11), ((3..12).collect(), Some(11)), "{cores}");
            assert_eq!(taken(cores, u64::MAX - 2..u64::MAX, 0).0.len(), 2, "{cores}");
            assert_eq!(taken(cores, 5..5, 0), (Vec::new(), None), "{cores}");
        }
    }

    #[test]
    fn one_core_is_this_thread_and_two_are_others() {
        let threads = |cores| -> Vec<ThreadId> {
            let seen = Mutex::new(Vec::new());
            let work = |_| seen.lock().unwrap().push(thread::current().id());
            let _ = in_order(cores, 0..2, work, |_, ()| ControlFlow::<()>::Continue(()));
            seen.into_inner().unwrap()
        };
        let here = thread::current().id();
        assert_eq!(threads(1), [here; 2]);
        assert!(threads(2).iter().all(|thread| *thread != here));
        assert_ne!(threads(2)[0], threads(2)[1]);
    }

    #[test]
    #[should_panic = "number 3"]
    fn a_panic_of_the_work_is_the_callers() {
        let work = |number| assert_ne!(number, 3, "number 3");
        let _ = in_order(2, 0..9, work, |_, ()| ControlFlow::<()>::Continue(()));
    }

    #[test]
    fn numbers_of_cores_are_read_or_refused() {
        assert_eq!([parse("1"), parse("1024")], [Ok(1), Ok(1024)]);
        for wrong in ["0", "-1", "two", "", "1025", "99999999999"] {
            assert_eq!(parse(wrong), Err("the emulator uses 1 to 1024 cores".to_owned()), "{wrong}");
        }
        assert!((1..=MOST).contains(&available()));
    }
}
