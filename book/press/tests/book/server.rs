//! The built book on this machine's own address, as a site would have it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Response, Server as Http};

/// A server, until it is dropped.
pub struct Server {
    http: Arc<Http>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves that folder.
    pub fn start(folder: &Path) -> Self {
        let http = Arc::new(Http::http("127.0.0.1:0").expect("a port is free"));
        let serve = |_| {
            let (http, folder) = (Arc::clone(&http), folder.to_owned());
            thread::spawn(move || {
                for request in http.incoming_requests() {
                    let file = file(&folder, request.url());
                    // A browser that went on to the next page does not wait for the answer.
                    let _ = match fs::read(&file) {
                        Ok(bytes) => {
                            request.respond(Response::from_data(bytes).with_header(content_type(&file)))
                        }
                        Err(_) => request.respond(Response::empty(404)),
                    };
                }
            })
        };
        let threads = (0..4).map(serve).collect();
        Self { http, threads }
    }

    /// Its address, with `/` at the end.
    pub fn address(&self) -> String {
        format!("http://{}/", self.http.server_addr())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.threads.iter().for_each(|_| self.http.unblock());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn file(folder: &Path, address: &str) -> PathBuf {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    folder.join(path.trim_start_matches('/'))
}

fn content_type(file: &Path) -> Header {
    let kind = match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    };
    Header::from_bytes("Content-Type", kind).expect("a type is plain text")
}
