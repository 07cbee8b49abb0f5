//! A server that is killed in the middle of a game.

mod support;

use std::fs;
use std::path::Path;

use reckoning_recording::{Recording, open_session};

use support::process::{Process, folder, serve_as_child};
use support::{Native, instant, wait_for};

#[test]
#[ignore = "the server that the other tests start"]
fn server_process() {
    serve_as_child();
}

fn play(players: &mut [Native; 2], seconds: f64) {
    let begin = instant();
    while begin.elapsed().as_secs_f64() < seconds {
        players.iter_mut().for_each(Native::frame);
        std::thread::sleep(support::FRAME);
    }
}

fn see_each_other(players: &mut [Native; 2]) -> bool {
    players.iter_mut().for_each(Native::frame);
    let [a, b] = players;
    a.error_m(b).is_some_and(|error| error < 2.0) && b.error_m(a).is_some_and(|error| error < 2.0)
}

fn only_recording_in(folder: &Path) -> Recording {
    let mut files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect::<Vec<_>>();
    files.sort();
    let opened = open_session(&fs::read(&files[0]).unwrap()).unwrap();
    assert!(opened.truncated_at.is_some(), "a killed server closes no file");
    opened.recording
}

#[test]
fn a_killed_server_loses_a_second_at_most_and_its_clients_come_back() {
    let folder = folder("killed");
    let record = format!("recording.folder={:?}", folder.to_str().unwrap());
    let mut server = Process::start(&[&record]);
    let mut players = [(); 2].map(|()| Native::new(server.address));
    wait_for("both see each other", 15.0, || see_each_other(&mut players));
    play(&mut players, 3.0);

    let client = &players[0].client;
    let killed_at = client.session().unwrap().host_time(client.now()).unwrap();
    server.kill();
    let recording = only_recording_in(&folder);
    let (first, last) = recording.span().unwrap();
    let lacks_s = killed_at.secs_since(last);
    println!("recorded {:.2} s, lacks {lacks_s:.3} s", last.secs_since(first));
    assert!((-0.1..1.0).contains(&lacks_s), "lacks {lacks_s} s");
    assert_eq!(recording.tracks.len(), 2);

    let noticed = wait_for("both notice", 15.0, || {
        players.iter_mut().for_each(Native::frame);
        players.iter().all(|player| player.losses == 1)
    });
    // Three seconds of silence, and what a busy machine makes of them.
    assert!(noticed.as_secs_f64() < 6.0, "noticed after {noticed:?}");
    let listen = format!("listen={:?}", server.address.to_string());
    let _again = Process::start(&[&listen]);
    let back = wait_for("both are back and see each other", 30.0, || {
        players.iter_mut().for_each(Native::frame);
        players.iter().all(|it| it.joins == 2) && see_each_other(&mut players)
    });
    println!("noticed after {noticed:.2?}, back {back:.2?} after the server's return");
    fs::remove_dir_all(folder).unwrap();
}
