//! Serves the built book on this machine, at the address that a site would have.

use std::fs;
use std::io::{BufRead, BufReader, Error, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;

/// A server, for as long as the test runs.
pub struct Server {
    address: SocketAddr,
}

impl Server {
    /// Serves this folder.
    pub fn start(folder: &Path) -> Self {
        Self::serving(folder, false)
    }

    /// Serves this folder with its texts packed by the program `gzip`, as sites do.
    pub fn packed(folder: &Path) -> Self {
        Self::serving(folder, true)
    }

    fn serving(folder: &Path, is_packed: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let folder: Arc<Path> = folder.into();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = Arc::clone(&folder);
                // A browser that has gone to the next page does not wait for the answer.
                thread::spawn(move || drop(answer(stream, &folder, is_packed)));
            }
        });
        Self { address }
    }

    /// Its address, with `/` at the end.
    pub fn address(&self) -> String {
        format!("http://{}/", self.address)
    }
}

/// Answers one request, and closes the connection.
fn answer(mut stream: TcpStream, folder: &Path, is_packed: bool) -> Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let file = file(folder, request.split(' ').nth(1).unwrap_or("/"));
    let (status, kind, body) = match fs::read(&file) {
        Ok(bytes) => ("200 OK", content_type(&file), bytes),
        Err(_) => ("404 Not Found", "text/plain", Vec::new()),
    };
    let is_packed = is_packed && kind.starts_with("text/");
    let body = if is_packed { packed(&file)? } else { body };
    let packing = if is_packed { "Content-Encoding: gzip\r\n" } else { "" };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: max-age=600\r\n\
         {packing}Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)
}

/// What the program `gzip` makes of a file.
fn packed(file: &Path) -> Result<Vec<u8>> {
    let packer = Command::new("gzip").arg("--stdout").arg(file).output()?;
    if packer.status.success() { Ok(packer.stdout) } else { Err(Error::other("`gzip` fails")) }
}

fn file(folder: &Path, address: &str) -> PathBuf {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    folder.join(path.trim_start_matches('/'))
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
