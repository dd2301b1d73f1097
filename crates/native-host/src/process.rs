//! A program that runs: a process, its socket, and what it prints.

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use cuda_host::{Call, Ending, Gone, Process};
use simt::Pulse;

use crate::clang::Compiled;

/// The kinds of answers, as in `runtime.cc`.
const RESULT: u64 = 0;
const READ: u64 = 1;
const WRITE: u64 = 2;
const PRINT: u64 = 3;
const ALLOCATE: u64 = 4;
const MAP: u64 = 5;
const UNMAP: u64 = 6;
const DIGEST: u64 = 7;

/// What the texts of a call may have together, and how many values it may have. More is a program that writes to the socket
/// itself.
const MOST_TEXT_BYTES: u64 = 1 << 20;
const MOST_VALUES: u64 = 64;

/// The signal of a process that has used the processor for as long as it may.
const TOO_LONG: i32 = 24;

/// How long is waited before it is looked again whether a process has ended or shall.
const PAUSE: Duration = Duration::from_millis(20);

/// What a program may do, and what it gets.
#[derive(Clone, Debug)]
pub struct Given<'g> {
    /// The name of the program, and its arguments.
    pub words: &'g [String],
    /// Seconds of the processor.
    pub seconds: u64,
    /// Bytes of its memory, besides that of the device.
    pub memory_bytes: u64,
    /// Bytes that are printed.
    pub output_bytes: usize,
    /// If its pulse shall stop, the program does too.
    pub pulse: Option<Arc<Pulse>>,
}

/// A program that runs.
#[derive(Debug)]
pub struct Running {
    child: Arc<Mutex<Child>>,
    stream: UnixStream,
    printed: Arc<Printed>,
    readers: Mutex<Vec<JoinHandle<()>>>,
    seconds: u64,
    has_ended: Arc<AtomicBool>,
}

/// What it has printed and nobody has taken.
#[derive(Debug)]
struct Printed {
    streams: [Mutex<Vec<u8>>; 2],
    /// How much more it may print.
    left: Mutex<usize>,
    is_too_much: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// The process cannot be started, or ends before it is connected.
    pub fn start(compiled: &Compiled, given: &Given<'_>) -> io::Result<Running> {
        let folder = tempfile::Builder::new().prefix("lanes").tempdir()?;
        let path: PathBuf = folder.path().join("socket");
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        let mut command = Command::new(compiled.folder.path().join("program"));
        command
            .args(given.words.iter().skip(1))
            .env("LANES_SOCKET", &path)
            .env("LANES_SECONDS", given.seconds.to_string())
            .env("LANES_BYTES", given.memory_bytes.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(name) = given.words.first() {
            std::os::unix::process::CommandExt::arg0(&mut command, name);
        }
        let mut child = command.spawn()?;
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if child.try_wait()?.is_some() {
                        return Err(io::Error::other("the program ended before it began"));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        };
        stream.set_nonblocking(false)?;
        Ok(Running::connected(child, stream, given))
    }

    fn connected(mut child: Child, stream: UnixStream, given: &Given<'_>) -> Running {
        let printed = Arc::new(Printed {
            streams: Default::default(),
            left: Mutex::new(given.output_bytes),
            is_too_much: AtomicBool::new(false),
        });
        let (out, err): (Option<ChildStdout>, Option<ChildStderr>) =
            (child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let has_ended = Arc::new(AtomicBool::new(false));
        let mut readers = Vec::new();
        if let Some(out) = out {
            readers.push(reader(out, 0, &printed, &child));
        }
        if let Some(err) = err {
            readers.push(reader(err, 1, &printed, &child));
        }
        if let Some(pulse) = given.pulse.clone() {
            let (child, has_ended) = (Arc::clone(&child), Arc::clone(&has_ended));
            readers.push(std::thread::spawn(move || {
                while !has_ended.load(Ordering::Relaxed) {
                    if pulse.is_stopping() {
                        let _ = locked(&child).kill();
                        return;
                    }
                    std::thread::sleep(PAUSE);
                }
            }));
        }
        Running { child, stream, printed, readers: Mutex::new(readers), seconds: given.seconds, has_ended }
    }

    fn receive(&self, bytes: u64) -> Result<Vec<u8>, Gone> {
        let mut found = vec![0; bytes as usize];
        (&self.stream).read_exact(&mut found).map_err(|_| Gone)?;
        Ok(found)
    }

    fn words<const N: usize>(&self) -> Result<[u64; N], Gone> {
        let found = self.receive(8 * N as u64)?;
        let mut words =
            found.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        Ok(std::array::from_fn(|_| words.next().unwrap_or_default()))
    }

    /// Asks for something, and returns what the process says.
    fn ask(&self, words: [u64; 3], bytes: &[u8]) -> Result<u64, Gone> {
        self.send(words, bytes)?;
        Ok(self.words::<1>()?[0])
    }

    fn send(&self, words: [u64; 3], bytes: &[u8]) -> Result<(), Gone> {
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut stream = &self.stream;
        stream.write_all(&words).and_then(|()| stream.write_all(bytes)).map_err(|_| Gone)
    }
}

/// Collects what comes from a stream of the process, and stops it if that is too much.
fn reader(
    mut from: impl Read + Send + 'static,
    stream: usize,
    printed: &Arc<Printed>,
    child: &Arc<Mutex<Child>>,
) -> JoinHandle<()> {
    let (printed, child) = (Arc::clone(printed), Arc::clone(child));
    std::thread::spawn(move || {
        let mut part = vec![0; 1 << 16];
        while let Ok(bytes @ 1..) = from.read(&mut part) {
            let mut left = locked(&printed.left);
            let kept = bytes.min(*left);
            *left -= kept;
            locked(&printed.streams[stream]).extend_from_slice(&part[..kept]);
            if kept < bytes {
                printed.is_too_much.store(true, Ordering::Relaxed);
                let _ = locked(&child).kill();
                return;
            }
        }
    })
}

impl Process for Running {
    fn next(&self) -> Result<Call, Gone> {
        let [texts, count, thread, line, name, file, arguments] = self.words::<7>()?;
        if texts > MOST_TEXT_BYTES
            || count > MOST_VALUES
            || name.saturating_add(file).saturating_add(arguments) != texts
        {
            return Err(Gone);
        }
        let values = self.receive(8 * count)?;
        let values =
            values.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        let text = |bytes| self.receive(bytes).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (values, name, file, text) = (values.collect(), text(name)?, text(file)?, text(arguments)?);
        let place = (line > 0).then_some((file, line as u32));
        Ok(Call { name, thread, values, place, text })
    }

    fn answer(&self, value: u64) -> Result<(), Gone> {
        self.send([RESULT, value, 0], &[])
    }

    fn read(&self, address: u64, into: &mut [u8]) -> Result<bool, Gone> {
        let is_there = self.ask([READ, address, into.len() as u64], &[])? != 0;
        if is_there {
            (&self.stream).read_exact(into).map_err(|_| Gone)?;
        }
        Ok(is_there)
    }

    fn digest(&self, address: u64, bytes: u64) -> Result<Option<u64>, Gone> {
        match self.ask([DIGEST, address, bytes], &[])? {
            0 => Ok(None),
            _ => self.words::<1>().map(|[digest]| Some(digest)),
        }
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<bool, Gone> {
        self.ask([WRITE, address, bytes.len() as u64], bytes).map(|answer| answer != 0)
    }

    fn allocate(&self, bytes: u64) -> Result<u64, Gone> {
        self.ask([ALLOCATE, 0, bytes], &[])
    }

    fn map(&self, address: u64, bytes: u64) -> Result<bool, Gone> {
        self.ask([MAP, address, bytes], &[]).map(|answer| answer != 0)
    }

    fn unmap(&self, address: u64, bytes: u64) -> Result<(), Gone> {
        self.ask([UNMAP, address, bytes], &[]).map(|_| ())
    }

    fn print(&self, text: &[u8]) -> Result<(), Gone> {
        self.ask([PRINT, 0, text.len() as u64], text).map(|_| ())
    }

    fn printed(&self) -> [Vec<u8>; 2] {
        [0, 1].map(|stream| std::mem::take(&mut *locked(&self.printed.streams[stream])))
    }

    fn end(&self) -> Ending {
        // Without its socket it gives up at once if it waits for a result; one that has ended is not concerned.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let mut patience = 1000;
        let status = loop {
            patience -= 1;
            if patience == 0 {
                let _ = locked(&self.child).kill();
            }
            match locked(&self.child).try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) => {}
                Err(_) => break None,
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        self.has_ended.store(true, Ordering::Relaxed);
        for reader in std::mem::take(&mut *locked(&self.readers)) {
            let _ = reader.join();
        }
        if self.printed.is_too_much.load(Ordering::Relaxed) {
            return Ending::TooMuchOutput;
        }
        match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => Ending::Exited(code),
            Some((None, Some(TOO_LONG))) => Ending::TooLong(self.seconds),
            Some((None, Some(signal))) => Ending::Signal(signal),
            _ => Ending::Exited(1),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = locked(&self.child).kill();
        self.end();
    }
}
