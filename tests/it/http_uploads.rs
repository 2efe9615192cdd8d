//! Resumable uploads over real sockets: the protocol's table, cuts, limits, restarts.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use crate::http_client::{Answer, Server};

const TUS: (&str, &str) = ("Tus-Resumable", "1.0.0");
const PART: (&str, &str) = ("Content-Type", "application/offset+octet-stream");

fn begin(server: &Server, bytes: usize) -> String {
    let length = bytes.to_string();
    let name = ("Upload-Metadata", "filename dHJpcHMuY3N2");
    let answer = server.send("POST /api/v1/uploads", &[TUS, ("Upload-Length", &length), name], b"");
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location").unwrap().to_owned()
}

fn append(server: &Server, at: &str, offset: usize, body: &[u8]) -> Answer {
    let offset = offset.to_string();
    server.send(&format!("PATCH {at}"), &[TUS, PART, ("Upload-Offset", &offset)], body)
}

fn offset(server: &Server, at: &str) -> usize {
    let answer = server.send(&format!("HEAD {at}"), &[TUS], b"");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.header("upload-offset").unwrap().parse().unwrap()
}

fn source(server: &Server, at: &str) -> Value {
    server.get(&at.replace("uploads", "sources")).json()
}

fn stored(server: &Server, at: &str) -> Vec<u8> {
    let id = at.rsplit('/').next().unwrap();
    std::fs::read(server.data_dir().join("sources").join(id)).unwrap()
}

/// Bytes that differ at every place.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

#[test]
fn a_file_goes_up_in_parts() {
    let server = Server::start();
    let all = bytes(3_000_000);
    let at = begin(&server, all.len());
    assert_eq!(offset(&server, &at), 0);
    let first = append(&server, &at, 0, &all[..1_000_001]);
    assert_eq!((first.status, first.header("upload-offset")), (204, Some("1000001")));
    assert!(first.header("upload-expires").is_some());
    assert_eq!(source(&server, &at)["complete"], false);
    let last = append(&server, &at, 1_000_001, &all[1_000_001..]);
    assert_eq!((last.status, last.header("upload-offset")), (204, Some("3000000")));
    assert_eq!(last.header("tus-resumable"), Some("1.0.0"));
    assert_eq!(stored(&server, &at), all);
    let view = source(&server, &at);
    assert_eq!(view["complete"], true);
    assert_eq!((&view["name"], &view["bytes"]), (&json!("trips.csv"), &json!(3_000_000)));
    assert_eq!(server.get("/api/v1/sources").json().as_array().map(Vec::len), Some(1));
}

#[test]
fn the_protocol_is_kept_to() {
    let server = Server::start();
    let options = server.send("OPTIONS /api/v1/uploads", &[], b"");
    assert_eq!((options.status, options.header("tus-version")), (204, Some("1.0.0")));
    assert_eq!(options.header("tus-extension"), Some("creation,termination,expiration"));

    let length = ("Upload-Length", "10");
    let create = |headers: &[(&str, &str)]| server.send("POST /api/v1/uploads", headers, b"");
    let versionless = create(&[length]);
    assert_eq!((versionless.status, versionless.header("tus-version")), (412, Some("1.0.0")));
    assert_eq!(create(&[("Tus-Resumable", "0.2.2"), length]).status, 412);
    create(&[TUS]).assert_error(400, "bad_request");
    create(&[TUS, ("Upload-Length", "-1")]).assert_error(400, "bad_request");
    create(&[TUS, ("Upload-Defer-Length", "1")]).assert_error(400, "bad_request");
    create(&[TUS, length, ("Upload-Metadata", "filename ###")]).assert_error(400, "bad_request");

    let at = begin(&server, 10);
    let patch = format!("PATCH {at}");
    let zero = ("Upload-Offset", "0");
    assert_eq!(server.send(&patch, &[PART, zero], b"x").status, 412);
    assert_eq!(server.send(&patch, &[TUS, zero], b"x").status, 415);
    server.send(&patch, &[TUS, PART], b"x").assert_error(400, "bad_request");
    append(&server, &at, 5, b"x").assert_error(409, "conflict");
    append(&server, &at, 0, b"eleven byte").assert_error(413, "too_large");
    assert_eq!(offset(&server, &at), 0, "nothing of a refused part is kept");
    assert_eq!(append(&server, &at, 0, b"").status, 204);
    assert_eq!(server.send(&format!("GET {at}"), &[TUS], b"").status, 405);

    let override_patch = ("X-HTTP-Method-Override", "PATCH");
    let by_post = server.send(&format!("POST {at}"), &[TUS, PART, zero, override_patch], b"abc");
    assert_eq!((by_post.status, by_post.header("upload-offset")), (204, Some("3")));

    let delete = format!("DELETE {at}");
    assert_eq!(server.send(&delete, &[], b"").status, 412);
    assert_eq!(server.send(&delete, &[TUS], b"").status, 204);
    server.send(&delete, &[TUS], b"").assert_error(404, "not_found");
    append(&server, &at, 3, b"x").assert_error(404, "not_found");
    assert_eq!(server.send(&format!("HEAD {at}"), &[TUS], b"").status, 404);
    assert_eq!(std::fs::read_dir(server.data_dir().join("sources")).unwrap().count(), 0);
}

/// Begins to send a part and stops half-way, the connection still open.
fn send_half(server: &Server, at: &str, all: &[u8], from: usize, until: usize) -> TcpStream {
    let mut stream = server.connect();
    let offset = from.to_string();
    let headers = [TUS, PART, ("Upload-Offset", offset.as_str())];
    let head = server.head(&format!("PATCH {at}"), &headers, Some(all.len() - from));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&all[from..until]).unwrap();
    while source(server, at)["received_bytes"].as_u64() <= Some(from as u64) {
        std::thread::yield_now();
    }
    stream
}

#[test]
fn a_cut_connection_keeps_what_arrived() {
    let server = Server::start();
    let all = bytes(8 << 20);
    let at = begin(&server, all.len());
    let sent = (3 << 20) + 12_345;
    let mut stream = send_half(&server, &at, &all, 0, sent);
    stream.shutdown(Shutdown::Write).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    assert_eq!(offset(&server, &at), sent, "every byte before the cut is kept");

    // Gone without a word: the service learns of it when the client asks where to go on.
    let silent = send_half(&server, &at, &all, sent, sent + (2 << 20));
    let kept = offset(&server, &at);
    assert!((sent + 1..=sent + (2 << 20)).contains(&kept), "{kept}");
    assert_eq!(append(&server, &at, kept, &all[kept..]).status, 204);
    drop(silent);
    assert_eq!(stored(&server, &at), all);
}

#[test]
fn two_at_once_cannot_mix() {
    let server = Server::start();
    let all = bytes(4 << 20);
    let at = begin(&server, all.len());
    let mut first = send_half(&server, &at, &all, 0, 3 << 20);
    append(&server, &at, 0, &all[..1000]).assert_error(409, "conflict");
    first.write_all(&all[3 << 20..]).unwrap();
    let done = Answer::read(first);
    assert_eq!((done.status, done.header("upload-offset")), (204, Some("4194304")));
    assert_eq!(stored(&server, &at), all);
}

#[test]
fn an_upload_outlives_the_service() {
    let mut server = Server::start();
    let all = bytes(200_000);
    let at = begin(&server, all.len());
    assert_eq!(append(&server, &at, 0, &all[..123_456]).status, 204);
    server.restart_with(|_| {});
    assert_eq!(offset(&server, &at), 123_456);
    assert_eq!(append(&server, &at, 123_456, &all[123_456..]).status, 204);
    assert_eq!(stored(&server, &at), all);
}

#[test]
fn limits_are_told_before_the_first_byte() {
    let server = Server::start_with(|options| options.upload_bytes_max = 1000);
    let max = server.send("OPTIONS /api/v1/uploads", &[], b"");
    assert_eq!(max.header("tus-max-size"), Some("1000"));
    let create =
        |length| server.send("POST /api/v1/uploads", &[TUS, ("Upload-Length", length)], b"");
    assert_eq!(create("1000").status, 201);
    create("1001").assert_error(413, "too_large");
}

#[test]
fn a_full_disk_says_so_and_keeps_what_is_there() {
    let mut server = Server::start();
    let all = bytes(200_000);
    let at = begin(&server, all.len());
    assert_eq!(append(&server, &at, 0, &all[..100_000]).status, 204);
    server.restart_with(|options| options.disk_reserve_bytes = u64::MAX);
    let refused = append(&server, &at, 100_000, &all[100_000..]);
    refused.assert_error(507, "disk_full");
    assert!(refused.text().contains("100000 more bytes are needed"), "{}", refused.text());
    let create = server.send("POST /api/v1/uploads", &[TUS, ("Upload-Length", "1")], b"");
    create.assert_error(507, "disk_full");
    server.restart_with(|_| {});
    let kept = offset(&server, &at);
    assert_eq!(append(&server, &at, kept, &all[kept..]).status, 204);
    assert_eq!(stored(&server, &at), all);
}

#[test]
fn a_file_name_is_shown_and_never_used() {
    let server = Server::start();
    // ../../../tmp/pwned.csv
    let name = ("Upload-Metadata", "filename Li4vLi4vLi4vdG1wL3B3bmVkLmNzdg==");
    let headers = [TUS, ("Upload-Length", "1"), name];
    let answer = server.send("POST /api/v1/uploads", &headers, b"");
    let at = answer.header("location").unwrap();
    assert_eq!(append(&server, at, 0, b"x").status, 204);
    assert_eq!(source(&server, at)["name"], "pwned.csv");
    assert_eq!(stored(&server, at), b"x");
    for id in ["..%2fcontrol.db", "%2e%2e%2fsecret.key", "..", "%00", "control.db"] {
        let path = format!("PATCH /api/v1/uploads/{id}");
        let answer = server.send(&path, &[TUS, PART, ("Upload-Offset", "0")], b"x");
        answer.assert_error(404, "not_found");
        let answer = server.send(&format!("DELETE /api/v1/sources/{id}"), &[], b"");
        answer.assert_error(404, "not_found");
    }
    assert!(server.data_dir().join("control.db").exists());
}

#[test]
fn a_file_is_profiled_once_it_is_whole() {
    let server = Server::start();
    let text = b"id,name,price\n1,ale,2.50\n2,bock,3.00\n";
    let at = begin(&server, text.len());
    assert_eq!(append(&server, &at, 0, &text[..10]).status, 204);
    let profile = format!("POST {}/profile", at.replace("uploads", "sources"));
    server.json(&profile, &json!({})).assert_error(409, "conflict");
    assert_eq!(append(&server, &at, 10, &text[10..]).status, 204);
    let answer = server.json(&profile, &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!(answer["source"]["complete"], true);
    let names: Vec<&Value> =
        answer["profile"]["columns"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["id", "name", "price"]);
}
