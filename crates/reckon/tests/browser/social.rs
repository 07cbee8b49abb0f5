//! The picture that a link to the page is shown with elsewhere: Compare, as the page draws it.
//!
//! To make it anew, with the page built and Chromium named as for all tests here:
//!
//! ```text
//! RECKONING_SOCIAL=crates/reckoning-web/page/social.png \
//!     cargo test -p reckon --test browser social -- --ignored
//! ```

use super::{Arena, Browser, number, sleep, state};

const SIZE: (u32, u32) = (1_200, 630);
/// Some who show cards load no more.
const MOST_BYTES: usize = 150_000;
/// Over this link the four ways differ so much that one sees it.
const LINK: &str = "?watch=true&view=compare&preset=mobile";
/// The whole window for the four pictures.
const ALONE: &str = "document.head.appendChild(document.createElement('style')).textContent = \
    'aside, #live, .right, .score, .feed, .note, .legend { display: none !important } \
     body { grid-template: \"stage\" 1fr / 1fr !important }'";

/// Width and height of a PNG: its first chunk has them.
fn size_of(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn the_social_image_is_as_large_as_cards_are_and_short() {
    let png = include_bytes!("../../../reckoning-web/page/social.png");
    assert_eq!(size_of(png), SIZE);
    assert!(png.len() <= MOST_BYTES, "{} bytes", png.len());
    for page in [
        include_str!("../../../reckoning-web/page/index.html"),
        include_str!("../../../reckoning-web/page/explain.html"),
    ] {
        for line in [
            "og:image\" content=\"social.png\"".to_string(),
            "twitter:card\" content=\"summary_large_image\"".to_string(),
            format!("og:image:width\" content=\"{}\"", SIZE.0),
            format!("og:image:height\" content=\"{}\"", SIZE.1),
        ] {
            assert!(page.contains(&line), "{line}");
        }
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_social_image_is_made_of_compare_over_a_mobile_link() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browser = Browser::open("social", SIZE, &format!("{}{LINK}", arena.url()));
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 12");
    browser.value(ALONE);
    sleep(8.0);
    let errors = state(&mut browser)["error"].clone();
    assert!(number(&errors["reckoning"]) < number(&errors["naive"]), "{errors}");
    let picture = browser.picture("social");
    let png = std::fs::read(&picture).unwrap();
    println!("{}, {} bytes", picture.display(), png.len());
    assert_eq!(size_of(&png), SIZE);
    if let Some(path) = std::env::var_os("RECKONING_SOCIAL") {
        std::fs::write(path, png).unwrap();
    }
}
