//! A service on a free port, and a client that says exactly what it is told to: tests of a
//! protocol must be able to break it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use plimsoll::http::{ServeOptions, Serving, TokenRule, serve};
use plimsoll::run::Runs;
use plimsoll::store::Store;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A running service with a data folder of its own.
pub struct Server {
    runtime: Runtime,
    serving: Option<Serving>,
    dir: TempDir,
}

impl Server {
    /// A service that lets everyone in.
    pub fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// A service with other options.
    pub fn start_with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        let runtime = Runtime::new().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let serving = runtime.block_on(open(dir.path(), change));
        Self { runtime, serving: Some(serving), dir }
    }

    /// Ends the service and starts another one on the same data folder.
    pub fn restart_with(&mut self, change: impl FnOnce(&mut ServeOptions)) {
        if let Some(serving) = self.serving.take() {
            self.runtime.block_on(serving.stop());
        }
        self.serving = Some(self.runtime.block_on(open(self.dir.path(), change)));
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        self.serving.as_ref().unwrap().url()
    }

    pub fn address(&self) -> SocketAddr {
        self.serving.as_ref().unwrap().address
    }

    /// The data folder.
    pub fn data_dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends a request as the dashboard's own page would, and reads the whole answer.
    pub fn send(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let head = self.head(line, headers, Some(body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        // A refusal may come, and the connection go, before the body is through.
        let _ = stream.write_all(body);
        Answer::read(stream)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[], b"")
    }

    pub fn json(&self, line: &str, body: &serde_json::Value) -> Answer {
        let body = body.to_string();
        self.send(line, &[("Content-Type", "application/json")], body.as_bytes())
    }

    /// The head of a request; `headers` may name another Host.
    pub fn head(&self, line: &str, headers: &[(&str, &str)], length: Option<usize>) -> String {
        let mut head = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address()));
        }
        if let Some(length) = length {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        head
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.take() {
            self.runtime.block_on(serving.stop());
        }
    }
}

async fn open(dir: &Path, change: impl FnOnce(&mut ServeOptions)) -> Serving {
    let mut options = ServeOptions {
        bind: ([127, 0, 0, 1], 0).into(),
        token: TokenRule::Off,
        who: "amy".to_owned(),
        disk_reserve_bytes: 0,
        ..ServeOptions::default()
    };
    change(&mut options);
    let store = Store::open(dir, None).await.unwrap();
    serve(Runs::new(store).unwrap(), options).await.unwrap()
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads to the end of the connection.
    pub fn read(mut stream: TcpStream) -> Self {
        let mut all = Vec::new();
        // A connection that is reset after the answer has still given the answer.
        let _ = stream.read_to_end(&mut all);
        Self::parse(&all)
    }

    fn parse(all: &[u8]) -> Self {
        let end = all.windows(4).position(|w| w == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(all)));
        let head = String::from_utf8_lossy(&all[..end]);
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| {
                let (name, value) = line.split_once(':').unwrap();
                (name.to_ascii_lowercase(), value.trim().to_owned())
            })
            .collect();
        let mut body = all[end + 4..].to_vec();
        if headers.iter().any(|(n, v)| n == "transfer-encoding" && v == "chunked") {
            body = unchunk(&body);
        }
        Self { status, headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {} {:?}", self.status, self.text()))
    }

    /// Asserts the status and that the body is an error with this code and a sentence.
    pub fn assert_error(&self, status: u16, code: &str) -> &Self {
        assert_eq!(self.status, status, "{}", self.text());
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert!(body["message"].as_str().is_some_and(|m| m.ends_with('.')), "{body}");
        self
    }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line_end) = rest.windows(2).position(|w| w == b"\r\n") {
        let size = std::str::from_utf8(&rest[..line_end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[line_end + 2..line_end + 2 + size]);
        rest = &rest[line_end + 2 + size + 2..];
    }
    body
}
