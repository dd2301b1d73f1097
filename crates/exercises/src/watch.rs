//! Notices that the learner's file was saved.
//!
//! Editors write in place, write another file and rename it, or delete the file and create it again. So the folder is
//! watched and not the file. A message from the system only means that it is time to look; what counts is that the file
//! is different and has not changed for a moment. If the system sends no messages, as on some network drives, it is
//! enough to look now and then.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// A file that is being written stops changing within this time.
const STILL: Duration = Duration::from_millis(40);
/// A file that is gone or empty may come back within this time.
const GONE: Duration = Duration::from_millis(250);
/// How often to look while something changes, and while nothing does.
const SOON: Duration = Duration::from_millis(10);
const NOW_AND_THEN: Duration = Duration::from_millis(250);

/// The time and size of a file; none if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(file: &Path) -> Stamp {
    let about = fs::metadata(file).ok()?;
    Some((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len()))
}

/// Watches one file at a time.
#[derive(Debug)]
pub struct Watch {
    orders: Sender<Order>,
}

enum Order {
    /// Watch this file, which looks like this.
    Aim(PathBuf, Stamp),
    /// Something in its folder has changed.
    Look,
}

impl Watch {
    /// Calls `changed` from a thread of its own, after each change of the file.
    pub fn start(changed: impl Fn() + Send + 'static) -> Watch {
        let (orders, received) = channel();
        let look = orders.clone();
        // Without a watcher, the file is still looked at now and then.
        let watcher = notify::recommended_watcher(move |_| {
            let _ = look.send(Order::Look);
        });
        thread::spawn(move || watch(&received, watcher.ok(), &changed));
        Watch { orders }
    }

    /// Watches this file from now on, and no longer the previous one.
    pub fn aim(&self, file: &Path) {
        let _ = self.orders.send(Order::Aim(file.to_owned(), stamp(file)));
    }
}

fn watch(orders: &Receiver<Order>, mut watcher: Option<RecommendedWatcher>, changed: &impl Fn()) {
    let start = Instant::now();
    let mut target: Option<(PathBuf, Settling)> = None;
    loop {
        let is_moving = target.as_ref().is_some_and(|(_, settling)| settling.is_moving());
        match orders.recv_timeout(if is_moving { SOON } else { NOW_AND_THEN }) {
            Ok(Order::Aim(file, stamp)) => {
                turn(watcher.as_mut(), target.as_ref().map(|(file, _)| file.as_path()), &file);
                target = Some((file, Settling::new(stamp)));
            }
            Ok(Order::Look) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if let Some((file, settling)) = &mut target
            && settling.look(start.elapsed(), stamp(file))
        {
            changed();
        }
    }
}

/// Watches the folder of another file. This is done even if the path is the same, because it may be a new folder.
fn turn(watcher: Option<&mut RecommendedWatcher>, from: Option<&Path>, to: &Path) {
    let Some(watcher) = watcher else { return };
    if let Some(folder) = from.and_then(Path::parent) {
        let _ = watcher.unwatch(folder);
    }
    if let Some(folder) = to.parent() {
        let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
    }
}

/// Waits until a file has stopped changing.
struct Settling {
    known: Stamp,
    seen: Stamp,
    since: Duration,
}

impl Settling {
    fn new(stamp: Stamp) -> Settling {
        Settling { known: stamp, seen: stamp, since: Duration::ZERO }
    }

    fn is_moving(&self) -> bool {
        self.seen != self.known
    }

    /// Whether the file is different, and has not changed for long enough.
    fn look(&mut self, now: Duration, stamp: Stamp) -> bool {
        if stamp != self.seen {
            (self.seen, self.since) = (stamp, now);
        }
        let is_text = stamp.is_some_and(|(_, bytes)| bytes > 0);
        let is_still = now.saturating_sub(self.since) >= if is_text { STILL } else { GONE };
        let has_changed = is_still && self.is_moving();
        if has_changed {
            self.known = stamp;
        }
        has_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64, bytes: u64) -> Stamp {
        Stamp::from((SystemTime::UNIX_EPOCH + Duration::from_secs(second), bytes))
    }

    /// Looks at these times in milliseconds, and returns the times at which a change was reported.
    fn reported(looks: &[(u64, Stamp)]) -> Vec<u64> {
        let mut settling = Settling::new(at(1, 10));
        let changed = |(time, stamp): &&(u64, Stamp)| settling.look(Duration::from_millis(*time), *stamp);
        looks.iter().filter(changed).map(|(time, _)| *time).collect()
    }

    #[test]
    fn a_save_is_told_once_it_is_still() {
        assert_eq!(
            reported(&[(0, at(2, 5)), (10, at(2, 9)), (45, at(2, 9)), (50, at(2, 9)), (90, at(2, 9))]),
            [50]
        );
    }

    #[test]
    fn an_editor_that_deletes_and_creates_saves_once() {
        assert_eq!(
            reported(&[(0, None), (100, None), (120, at(2, 0)), (130, at(3, 9)), (170, at(3, 9))]),
            [170]
        );
    }

    #[test]
    fn a_file_that_stays_away_is_told() {
        assert_eq!(reported(&[(0, None), (100, None), (250, None), (500, None)]), [250]);
    }

    #[test]
    fn a_file_that_comes_back_as_it_was_has_not_changed() {
        assert_eq!(reported(&[(0, None), (100, at(1, 10)), (400, at(1, 10))]), [0; 0]);
    }

    /// Uses real files, in the four ways in which editors save.
    #[test]
    fn saves_are_noticed_however_they_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kernel.cu");
        fs::write(&file, "old").unwrap();
        let (changes, changed) = channel();
        let watch = Watch::start(move || changes.send(()).unwrap());
        watch.aim(&file);
        let noticed = || changed.recv_timeout(Duration::from_secs(10)).expect("a change");
        fs::write(&file, "in place").unwrap();
        noticed();
        let beside = folder.path().join("kernel.cu.tmp");
        fs::write(&beside, "renamed over it").unwrap();
        fs::rename(&beside, &file).unwrap();
        noticed();
        fs::rename(&file, folder.path().join("kernel.cu~")).unwrap();
        fs::write(&file, "with a backup beside it").unwrap();
        noticed();
        fs::remove_dir_all(folder.path()).unwrap();
        noticed();
        fs::create_dir_all(folder.path()).unwrap();
        fs::write(&file, "the folder, too").unwrap();
        noticed();
    }
}
