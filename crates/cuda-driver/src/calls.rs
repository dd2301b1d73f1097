//! Calls of the program, which a thread of this library carries out one after the other.
//!
//! The thread begins with the first call. After a `fork`, the child has no such thread: as with the real driver, its calls return
//! `CUDA_ERROR_NOT_INITIALIZED`.

use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use cuda_host::driver::AGAIN;
use cuda_host::{Call, Ending, Gone, Process};

use crate::report::Told;
use crate::{functions, memory, settings};

const NOT_INITIALIZED: u32 = 3;
const DEINITIALIZED: u32 = 4;
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
static THREADS: AtomicU64 = AtomicU64::new(0);
/// The process that was forked, and of which that was told.
static FORKED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static THREAD: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
        let drive = || cuda_host::driver::drive(&process, capability, &limits, &|event| told.tell(event));
        match catch_unwind(AssertUnwindSafe(drive)) {
            Ok(Ok(outcome)) => told.end(outcome.launches, &outcome.unchecked),
            Ok(Err(_)) => told.end(0, &[]),
            Err(why) => told.defect(why.as_ref()),
        }
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

/// Carries out a call of a function; its error. It may wait for a function of the program, and is carried out after that.
pub(crate) fn call(name: &str, values: &[u64]) -> u32 {
    loop {
        let ended = functions::ended();
        match answer(name, values) {
            AGAIN => functions::wait(ended),
            code => return code as u32,
        }
    }
}

fn answer(name: &str, values: &[u64]) -> u64 {
    let door = DOOR.get_or_init(open);
    let here = std::process::id();
    if door.process != here {
        if FORKED.swap(here, Ordering::Relaxed) != here {
            Told::open().forked();
        }
        return NOT_INITIALIZED.into();
    }
    let call = Call {
        name: name.to_owned(),
        thread: thread(),
        values: values.to_vec(),
        place: None,
        text: String::new(),
    };
    let ends = locked(&door.ends);
    let Some((calls, answers)) = &*ends else { return DEINITIALIZED.into() };
    calls.send(call).ok().and_then(|()| answers.recv().ok()).unwrap_or(UNKNOWN.into())
}
