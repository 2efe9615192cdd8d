//! The upload against a service that is told what to say.

use super::*;
use shared::ErrorCode;

const MB: u64 = 1 << 20;

fn start(sizes: &[u64]) -> (Upload, Action) {
    let piece =
        |(i, bytes): (usize, &u64)| Piece { name: format!("{i}.csv"), bytes: *bytes, id: None };
    Upload::start(sizes.iter().enumerate().map(piece).collect())
}

#[test]
fn a_file_goes_chunk_by_chunk_to_the_end() {
    let (mut up, first) = start(&[6 * MB]);
    assert_eq!(first, Action::Create);
    let next = up.on(Event::Created("x".into()), 0.0);
    assert_eq!(next, Action::Send { from: 0, bytes: 4 * MB });
    up.on(Event::Sent(2 * MB), 100.0);
    assert_eq!(up.sent(), 2 * MB);
    let next = up.on(Event::Offset(4 * MB), 200.0);
    assert_eq!(next, Action::Send { from: 4 * MB, bytes: 2 * MB });
    assert_eq!(up.on(Event::Offset(6 * MB), 300.0), Action::Stop);
    assert!(up.is_done());
}

#[test]
fn an_empty_file_is_done_at_once() {
    let (mut up, _) = start(&[0]);
    assert_eq!(up.on(Event::Created("x".into()), 0.0), Action::Stop);
    assert!(up.is_done());
}

#[test]
fn a_lost_connection_waits_longer_each_time_and_goes_on_where_the_service_is() {
    let (mut up, _) = start(&[20 * MB]);
    up.on(Event::Created("x".into()), 0.0);
    assert_eq!(up.on(Event::Lost, 10.0), Action::Wait(1000));
    assert_eq!(up.on(Event::Lost, 20.0), Action::Wait(2000));
    for _ in 0..20 {
        up.on(Event::Lost, 30.0);
    }
    assert_eq!(up.phase, Phase::Waiting { retry_ms: WAIT_MS_MAX });
    assert_eq!(up.on(Event::Offset(3 * MB), 99.0), Action::Send { from: 3 * MB, bytes: 4 * MB });
    assert_eq!(up.on(Event::Lost, 100.0), Action::Wait(1000), "progress forgets old failures");
}

#[test]
fn a_pause_holds_against_late_news() {
    let (mut up, _) = start(&[20 * MB]);
    up.on(Event::Created("x".into()), 0.0);
    up.on(Event::Pause, 1.0);
    assert_eq!(up.on(Event::Lost, 2.0), Action::Stop);
    assert_eq!(up.on(Event::Offset(4 * MB), 2.0), Action::Stop);
    assert_eq!(up.phase, Phase::Paused);
    assert_eq!(up.on(Event::Resume, 3.0), Action::Ask);
}

#[test]
fn a_reloaded_page_asks_and_a_forgotten_upload_starts_again() {
    let up = Upload::reloaded("a.csv", 10, Some("x"), 4);
    assert_eq!((up.phase.clone(), up.sent()), (Phase::Missing, 4));
    assert!(Upload::reloaded("a.csv", 10, Some("x"), 10).is_done());
    let known = Piece { name: "a.csv".into(), bytes: 10, id: Some("x".into()) };
    let (mut up, first) = Upload::start(vec![known]);
    assert_eq!(first, Action::Ask);
    assert_eq!(up.on(Event::Gone, 0.0), Action::Create);
    assert_eq!(up.id, None);
}

#[test]
fn the_rate_is_of_the_last_seconds_and_sizes_the_chunks() {
    let (mut up, _) = start(&[1 << 40]);
    up.on(Event::Created("x".into()), 0.0);
    for i in 1..=50_u64 {
        up.on(Event::Offset(i * 10 * MB), i as f64 * 100.0);
    }
    let rate = up.bytes_per_sec().unwrap();
    assert!((rate - 100.0 * MB as f64).abs() < 0.02 * rate, "{rate}");
    assert!(matches!(
        up.on(Event::Offset(510 * MB), 5100.0),
        Action::Send { bytes: CHUNK_BYTES_MAX, .. }
    ));
    assert!(up.samples.len() < 40, "old samples go");
}

#[test]
fn a_refusal_stops() {
    let (mut up, _) = start(&[10]);
    let error = ErrorBody::new(ErrorCode::DiskFull, "full");
    assert_eq!(up.on(Event::Refused(error.clone()), 0.0), Action::Stop);
    assert_eq!(up.phase, Phase::Failed(error));
}

#[test]
fn several_files_go_one_after_the_other_and_become_one_source() {
    let (mut up, first) = start(&[MB, 5 * MB]);
    assert_eq!((up.name.as_str(), up.total, first), ("0.csv and 1 more", 6 * MB, Action::Create));
    assert_eq!(up.on(Event::Created("x".into()), 0.0), Action::Send { from: 0, bytes: MB });
    assert_eq!((up.on(Event::Offset(MB), 10.0), up.at), (Action::Create, 1));
    let next = up.on(Event::Created("y".into()), 20.0);
    assert_eq!(next, Action::Send { from: 0, bytes: 4 * MB });
    up.on(Event::Sent(2 * MB), 30.0);
    assert_eq!((up.sent(), up.id.clone()), (3 * MB, None), "no source before they are one");
    assert_eq!(up.on(Event::Lost, 40.0), Action::Wait(1000));
    assert_eq!(up.on(Event::Offset(4 * MB), 50.0), Action::Send { from: 4 * MB, bytes: MB });
    assert_eq!(up.on(Event::Offset(5 * MB), 60.0), Action::Join);
    assert!(!up.is_done() && up.is_active());
    assert_eq!(up.on(Event::Lost, 70.0), Action::Wait(1000), "joining is tried again");
    assert_eq!(up.on(Event::Offset(5 * MB), 80.0), Action::Join);
    assert_eq!(up.on(Event::Joined("z".into()), 90.0), Action::Stop);
    assert!(up.is_done());
    assert_eq!(up.ids(), ["z", "x", "y"]);
}

#[test]
fn files_that_are_there_already_are_asked_for_and_passed() {
    let piece = |name: &str, id: &str| Piece { name: name.into(), bytes: 10, id: Some(id.into()) };
    let (mut up, first) = Upload::start(vec![piece("a", "x"), piece("b", "y")]);
    assert_eq!(first, Action::Ask);
    assert_eq!((up.on(Event::Offset(10), 0.0), up.at), (Action::Ask, 1));
    assert_eq!((up.on(Event::Gone, 0.0), up.confirmed), (Action::Create, 10));
    assert_eq!(Upload::reloaded("a and 1 more", 20, None, 20).phase, Phase::Missing);
}
