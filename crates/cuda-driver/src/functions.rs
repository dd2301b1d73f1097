//! Functions of the program that streams call.
//!
//! A thread calls them, in the order in which the program has given them to streams. So the program goes on, and a function may
//! wait for what it does next. A call that comes after a function in its stream, or waits for it, is carried out when it has ended.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::calls::{call, locked};

const OUT_OF_MEMORY: u32 = 2;

type Function = Box<dyn FnOnce() + Send>;

/// Where functions go, with their numbers, once there is one.
static GIVEN: Mutex<Option<Sender<(u64, Function)>>> = Mutex::new(None);

/// How many have ended.
static ENDED: Mutex<u64> = Mutex::new(0);
static ONE_HAS_ENDED: Condvar = Condvar::new();

/// A stream gets a function; the error.
pub(crate) fn give(stream: u64, function: impl FnOnce() + Send + 'static) -> u32 {
    // Whoever comes first here has the smaller number, too.
    let mut given = locked(&GIVEN);
    let Some(thread) = given.take().or_else(open) else { return OUT_OF_MEMORY };
    let mut number = [0_u64];
    let code = call("__lanes_function", &[stream, number.as_mut_ptr() as u64]);
    if code == 0 {
        // The thread receives as long as there is a sender.
        let _ = thread.send((number[0], Box::new(function)));
    }
    *given = Some(thread);
    code
}

fn open() -> Option<Sender<(u64, Function)>> {
    let (to, from) = channel();
    std::thread::Builder::new().name("lanes functions".into()).spawn(move || call_all(&from)).ok()?;
    Some(to)
}

fn call_all(functions: &Receiver<(u64, Function)>) {
    for (number, function) in functions {
        call("__lanes_function_begin", &[]);
        function();
        call("__lanes_function_end", &[number]);
        *locked(&ENDED) += 1;
        ONE_HAS_ENDED.notify_all();
    }
}

/// How many functions have ended.
pub(crate) fn ended() -> u64 {
    *locked(&ENDED)
}

/// Waits until more have ended than before a call that has to wait for one.
pub(crate) fn wait(before: u64) {
    let more = ONE_HAS_ENDED.wait_while(locked(&ENDED), |ended| *ended == before);
    drop(more.unwrap_or_else(PoisonError::into_inner));
}
