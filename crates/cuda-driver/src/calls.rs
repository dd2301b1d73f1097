//! Calls of the program, which a thread of this library carries out one after the other.
//!
//! The thread begins with the first call. After a `fork`, the child has no such thread: as with the real driver, its calls return
//! `CUDA_ERROR_NOT_INITIALIZED`.

use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use cuda_host::{Call, Ending, Gone, Process};

use crate::report::Told;
use crate::{memory, settings};

const NOT_INITIALIZED: u32 = 3;
const UNKNOWN: u32 = 999;

/// The emulator's calls are calls of its own.
const STACK_BYTES: usize = 256 << 20;

/// The two ends for the thread that calls, and the thread that carries calls out.
#[derive(Debug)]
struct Door {
    ends: Mutex<Option<(Sender<Call>, Receiver<u64>)>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    process: u32,
}

static DOOR: OnceLock<Door> = OnceLock::new();
/// Held by the thread whose call is carried out, and while a function of the program runs that a stream calls.
static TURN: Mutex<()> = Mutex::new(());
static THREADS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static THREAD: Cell<u64> = const { Cell::new(0) };
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the thread that calls.
fn thread() -> u64 {
    THREAD.with(|known| {
        if known.get() == 0 {
            known.set(THREADS.fetch_add(1, Ordering::Relaxed) + 1);
        }
        known.get()
    })
}

/// This process, for the thread that carries out its calls.
#[derive(Debug)]
struct Here {
    calls: Receiver<Call>,
    answers: Sender<u64>,
}

impl Process for Here {
    fn next(&self) -> Result<Call, Gone> {
        self.calls.recv().map_err(|_| Gone)
    }

    fn answer(&self, value: u64) -> Result<(), Gone> {
        self.answers.send(value).map_err(|_| Gone)
    }

    fn read(&self, address: u64, into: &mut [u8]) -> Result<bool, Gone> {
        Ok(memory::read(address, into))
    }

    fn digest(&self, address: u64, bytes: u64) -> Result<Option<u64>, Gone> {
        let mut found = vec![0; bytes as usize];
        Ok(memory::read(address, &mut found).then(|| cuda_host::digest(&found)))
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<bool, Gone> {
        Ok(memory::write(address, bytes))
    }

    fn allocate(&self, bytes: u64) -> Result<u64, Gone> {
        Ok(vec![0_u8; bytes.max(1) as usize].leak().as_mut_ptr() as u64)
    }

    fn map(&self, address: u64, bytes: u64) -> Result<bool, Gone> {
        Ok(memory::map(address, bytes))
    }

    fn unmap(&self, address: u64, bytes: u64) -> Result<(), Gone> {
        memory::unmap(address, bytes);
        Ok(())
    }

    fn print(&self, text: &[u8]) -> Result<(), Gone> {
        if !text.is_empty() {
            memory::flush();
            let mut out = std::io::stdout().lock();
            // As with the program's own output, nothing can be done if nobody reads it.
            let _ = out.write_all(text).and_then(|()| out.flush());
        }
        Ok(())
    }

    fn printed(&self) -> [Vec<u8>; 2] {
        [Vec::new(), Vec::new()]
    }

    fn end(&self) -> Ending {
        Ending::Exited(0)
    }
}

fn open() -> Door {
    let (calls, calls_here) = channel();
    let (answers_here, answers) = channel();
    let process = Here { calls: calls_here, answers: answers_here };
    let carry_out = move || {
        let (capability, mut limits) = settings::read();
        limits.launch.pulse = Some(Arc::default());
        let told = Told::open();
        let outcome = cuda_host::driver::drive(&process, capability, &limits, &|event| told.tell(event));
        told.end(outcome.map_or(0, |outcome| outcome.launches));
    };
    let thread =
        std::thread::Builder::new().name("lanes".into()).stack_size(STACK_BYTES).spawn(carry_out).ok();
    memory::at_exit(end);
    let ends = Mutex::new(thread.is_some().then_some((calls, answers)));
    Door { ends, thread: Mutex::new(thread), process: std::process::id() }
}

/// The process ends: what is known at the end is told.
extern "C" fn end() {
    let Some(door) = DOOR.get().filter(|door| door.process == std::process::id()) else { return };
    drop(locked(&door.ends).take());
    let thread = locked(&door.thread).take();
    if let Some(thread) = thread {
        let _ = thread.join();
    }
}

/// Lets the calling thread have the turn while it does something, unless it has it already.
fn in_turn<T>(then: impl FnOnce() -> T) -> T {
    if HAS_TURN.get() {
        return then();
    }
    let _turn = locked(&TURN);
    HAS_TURN.set(true);
    let done = then();
    HAS_TURN.set(false);
    done
}

/// Carries out a call of a function; its error.
pub(crate) fn call(name: &str, values: &[u64]) -> u32 {
    let door = DOOR.get_or_init(open);
    if door.process != std::process::id() {
        return NOT_INITIALIZED;
    }
    let call = Call {
        name: name.to_owned(),
        thread: thread(),
        values: values.to_vec(),
        place: None,
        text: String::new(),
    };
    in_turn(|| {
        let ends = locked(&door.ends);
        let Some((calls, answers)) = &*ends else { return UNKNOWN };
        match calls.send(call).ok().and_then(|()| answers.recv().ok()) {
            Some(code) => code as u32,
            None => UNKNOWN,
        }
    })
}

/// What comes before it in a stream is done, and then a function of the program runs.
pub(crate) fn call_in_stream(stream: u64, function: impl FnOnce()) -> u32 {
    in_turn(|| match call("__lanes_callback_begin", &[stream]) {
        0 => {
            function();
            call("__lanes_callback_end", &[])
        }
        code => code,
    })
}
