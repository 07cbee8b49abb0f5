//! The page over https, with a certificate that no browser trusts by itself.

use super::{Arena, Browser, LAPTOP, distance, place, sleep, state, walk};

/// A player on the page over https, with this script before those of the page.
fn join_over_https(arena: &Arena, name: &str, first: &str) -> Browser {
    let url = format!("{}?name={name}", arena.url());
    let mut browser = Browser::open_after(name, LAPTOP, &url, first);
    browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    browser.wait_until("a body of its own", "JSON.parse(reckoning.state()).me != null");
    browser
}

/// One of them walks and the other sees it: bytes flow both ways over both transports.
fn one_sees_the_other_walk(mover: &mut Browser, watcher: &mut Browser) {
    let start = place(&state(mover)["me"]);
    walk(mover);
    sleep(0.3);
    let end = place(&state(mover)["me"]);
    let seen = place(&state(watcher)["ghosts"][0]);
    println!("moved from {start:?} to {end:?}, shown at {seen:?}");
    assert!(distance(start, end) > 60.0);
    assert!(distance(end, seen) < 5.0);
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_page_over_https_plays_by_webtransport_and_by_secure_websocket_without_a_complaint() {
    let arena = Arena::serve_https();
    let mut newer = join_over_https(&arena, "secure", "");
    let mut older = join_over_https(&arena, "secure-older", "delete window.WebTransport");
    for (browser, transport) in [(&mut newer, "webtransport"), (&mut older, "websocket")] {
        assert_eq!(browser.value("location.protocol"), "https:");
        assert_eq!(browser.value("isSecureContext"), true);
        assert_eq!(state(browser)["transport"], transport);
        browser.wait_until("the other", "JSON.parse(reckoning.state()).ghosts.length == 1");
    }
    one_sees_the_other_walk(&mut newer, &mut older);
    one_sees_the_other_walk(&mut older, &mut newer);
    newer.picture("over-https");
    for browser in [&mut newer, &mut older] {
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}
