//! Firefox and WebKitGTK by the protocol that browsers have in common (WebDriver, <https://www.w3.org/TR/webdriver2/>).
//!
//! A program of each, the driver, translates the protocol. It hears nothing of a page's console, so the pages are a copy of
//! the book in which a script records what goes wrong.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::book;
use crate::server::Server;
use crate::session::{PATIENCE, Session};

/// How long a script in a page may take: grading an exercise, for example, beside other work.
const LONGEST_SCRIPT: Duration = Duration::from_secs(600);

/// A browser, and the program that drives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Firefox,
    WebKit,
}

impl Engine {
    pub const ALL: [Engine; 2] = [Engine::Firefox, Engine::WebKit];

    /// The programs that it takes, and how to get them.
    fn programs(self) -> (&'static [&'static str], &'static str) {
        match self {
            Engine::Firefox => (
                &["firefox", "geckodriver"],
                "on Debian `apt-get install firefox-esr`, and `cargo install --locked geckodriver`",
            ),
            Engine::WebKit => {
                (&["WebKitWebDriver", "Xvfb"], "on Debian `apt-get install webkit2gtk-driver xvfb`")
            }
        }
    }

    /// What is missing on this machine, with the remedy.
    pub fn missing(self) -> Option<String> {
        let (programs, remedy) = self.programs();
        let is_missing = |program: &&&str| !in_path(program);
        let missing = programs.iter().find(is_missing)?;
        Some(format!("{self:?} is not tested, because `{missing}` is not installed: {remedy}"))
    }

    /// The program that drives it, listening at a port, and the display that it draws on.
    fn start(self, port: u16) -> Vec<Child> {
        let mut display = None;
        let mut driver = match self {
            Engine::Firefox => Command::new("geckodriver"),
            Engine::WebKit => {
                let (server, name) = screen();
                display = Some(server);
                let mut driver = Command::new("WebKitWebDriver");
                driver.env("DISPLAY", name).env("GDK_BACKEND", "x11");
                driver
            }
        };
        driver.arg(format!("--port={port}")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = driver.spawn().unwrap_or_else(|error| panic!("the driver of {self:?}: {error}"));
        [driver].into_iter().chain(display).collect()
    }

    /// What is asked of the browser.
    fn capabilities(self) -> Value {
        let own = match self {
            Engine::Firefox => json!({ "moz:firefoxOptions": { "args": ["-headless"] } }),
            Engine::WebKit => {
                let found = glob("/usr/lib", "MiniBrowser").expect("the package of the driver has a browser");
                json!({ "webkitgtk:browserOptions": { "binary": found, "args": ["--automation"] } })
            }
        };
        let mut all = json!({ "timeouts": { "script": 60_000, "pageLoad": 60_000 } });
        all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        json!({ "capabilities": { "alwaysMatch": all } })
    }
}

fn in_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// A file with this name, at most three folders deep.
fn glob(folder: &str, name: &str) -> Option<PathBuf> {
    let mut folders = vec![PathBuf::from(folder)];
    for _ in 0..3 {
        if let Some(found) = folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()) {
            return Some(found);
        }
        let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    }
    None
}

/// A screen in memory, and its name.
fn screen() -> (Child, String) {
    let mut command = Command::new("Xvfb");
    command.args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("Xvfb starts");
    let mut number = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).expect("Xvfb says its number");
    (server, format!(":{}", number.trim()))
}

/// Records, from the first script of a page on, what goes wrong in it.
const RECORDER: &str = "<script>
window.recorded = [];
addEventListener('error', event => { recorded.push(`a script or a file fails: ${event.message ?? event.target.outerHTML}`); }, true);
addEventListener('unhandledrejection', event => { recorded.push(`a promise fails: ${event.reason}`); });
for (const level of ['error', 'warn', 'assert']) {
    const own = console[level];
    console[level] = (...all) => { if (level !== 'assert' || !all[0]) { recorded.push(`the console says: ${all.join(' ')}`); } own.apply(console, all); };
}
</script>";

/// The book with this script at the beginning of every page. The driver of WebKit evaluates its scripts in the page, which the policy
/// of the book forbids; what else the policy forbids stays forbidden, and Chromium has all of it.
fn recorded() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let copy = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recorded");
        copy_with_recorder(&book().out, &copy);
        copy
    })
}

fn copy_with_recorder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_with_recorder(&from, &to);
        } else if from.extension().is_some_and(|extension| extension == "html") {
            let page = fs::read_to_string(&from).unwrap();
            let recorded = page.replacen("<head>", &format!("<head>{RECORDER}"), 1);
            fs::write(to, recorded.replacen("script-src ", "script-src 'unsafe-eval' ", 1)).unwrap();
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// How the pages get to the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Server,
    Files,
}

/// A browser that its driver controls.
pub struct Driver {
    /// The driver, and what it needs.
    programs: Vec<Child>,
    /// The address of the session, without `/` at the end.
    address: String,
    /// The address of the book, with `/` at the end.
    home: String,
    _server: Option<Server>,
}

impl Driver {
    /// Starts a browser. [`Engine::missing`] says before whether it is there.
    pub fn start(engine: Engine, way: Way) -> Driver {
        let server = (way == Way::Server).then(|| Server::start(recorded()));
        let files = || url::Url::from_directory_path(recorded()).unwrap().into();
        let home = server.as_ref().map_or_else(files, Server::address);
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).unwrap().port();
        let programs = engine.start(port);
        let base = format!("http://127.0.0.1:{port}");
        let start = Instant::now();
        while ureq::get(format!("{base}/status")).call().is_err() {
            assert!(start.elapsed() < PATIENCE, "the driver of {engine:?} does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        let answer = post(&format!("{base}/session"), &engine.capabilities())
            .unwrap_or_else(|error| panic!("{engine:?} does not start: {error}"));
        let id = answer["sessionId"].as_str().expect("a session has a name");
        let address = format!("{base}/session/{id}");
        let capabilities = &answer["capabilities"];
        println!("{} {}, {way:?}", capabilities["browserName"], capabilities["browserVersion"]);
        Driver { programs, address, home, _server: server }
    }

    /// Sends a command of the session.
    fn command(&self, name: &str, body: &Value) -> Result<Value, String> {
        post(&format!("{}/{name}", self.address), body)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The driver ends the browser. If it does not answer, it ends here all the same.
        drop(ureq::delete(&self.address).call());
        for program in &mut self.programs {
            drop(program.kill());
            drop(program.wait());
        }
    }
}

/// The value of the answer, or its error.
fn post(address: &str, body: &Value) -> Result<Value, String> {
    let config = ureq::Agent::config_builder().http_status_as_error(false).build();
    let answer = ureq::Agent::from(config).post(address).send_json(body);
    let mut answer = answer.map_err(|error| error.to_string())?;
    let mut all: Value =
        answer.body_mut().with_config().limit(1 << 30).read_json().map_err(|error| error.to_string())?;
    let value = all["value"].take();
    match value.get("error") {
        Some(error) if !answer.status().is_success() => Err(format!("{error}: {}", value["message"])),
        _ => Ok(value),
    }
}

impl Session for Driver {
    fn go(&self, page: &str) {
        let url = format!("{}{page}", self.home);
        self.command("url", &json!({ "url": url })).unwrap_or_else(|error| panic!("{page}: {error}"));
        self.wait("document.readyState === 'complete'");
    }

    fn evaluate(&self, script: &str) -> Result<Value, String> {
        // A driver runs scripts beside those of the page, where the page's constants are not known; `eval` runs them in it.
        let start = format!(
            "window.answered = null;
            (async () => ({script}))().then(
                value => {{ window.answered = ['value', value]; }},
                error => {{ window.answered = ['error', `${{error}} ${{error.stack}}`]; }}
            );"
        );
        // WebKit's driver sometimes loses the answer of a command that takes many seconds; so each takes one at most.
        let wait = "const done = arguments[arguments.length - 1], end = performance.now() + 1000;
            (function look() {
                const answered = window.eval('answered');
                answered !== null || performance.now() > end ? done(answered) : setTimeout(look, 2);
            })();";
        let ask = |script: &str| self.command("execute/async", &json!({ "script": script, "args": [] }));
        let mut answer = ask(&format!("window.eval({});\n{wait}", json!(start)))?;
        let begun = Instant::now();
        while answer.is_null() {
            if begun.elapsed() > LONGEST_SCRIPT {
                return Err(format!("the script takes more than {} s", LONGEST_SCRIPT.as_secs()));
            }
            answer = ask(wait)?;
        }
        let value = answer[1].take();
        if answer[0] == "error" { Err(value.to_string()) } else { Ok(value) }
    }

    fn faults(&self) -> Vec<String> {
        let left = format!(
            "performance.getEntriesByType('resource').map(entry => entry.name)
                .filter(name => !['{}', 'data:', 'blob:', 'file:'].some(start => name.startsWith(start)))",
            self.home
        );
        let left: Vec<String> = self.ask(&left).unwrap_or_else(|error| vec![error]);
        let said: Vec<String> = self.ask("recorded.splice(0)").unwrap_or_else(|error| vec![error]);
        left.into_iter().map(|url| format!("a request leaves the book: {url}")).chain(said).collect()
    }
}
