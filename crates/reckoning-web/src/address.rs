//! Settings in the page's address, and what is remembered from visit to visit: the same words, as in
//! `?preset=mobile&view=compare`.
//!
//! Only what is not as it would be anyway is written. What the page does not know stays in the
//! address as it is.

use std::fmt::Write as _;

use crate::controls::{Controls, DEMO_NAMES, NAMES};
use crate::hills::choices::{self, HillsChoices};

/// Four numbers that a preset stands for.
const LINK: [&str; 4] = ["latency", "jitter", "loss", "burst"];
/// Settings of the server, for everyone.
pub const FOR_EVERYONE: [&str; 12] = [
    "model",
    "threshold",
    "policy",
    "budget",
    "weights",
    "near",
    "far",
    "prevents",
    "joints",
    "train",
    "merchant",
    "spacing",
];

/// Whether a control changes something for everyone.
#[must_use]
pub fn is_for_everyone(name: &str) -> bool {
    FOR_EVERYONE.contains(&name)
}

/// The pairs of a query, with or without its question mark.
pub fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let parts = query.trim_start_matches('?').split('&');
    parts.filter_map(|it| it.split_once('=')).map(|(name, value)| (decoded(name), decoded(value)))
}

/// Whose settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only one's own: what a browser remembers.
    Own,
    /// Those for everyone as well: what an address says.
    All,
}

/// Settings that are not as `plain` ones, as the pairs of a query.
#[must_use]
pub fn written(
    (controls, choices): (&Controls, &HillsChoices),
    (plain, plain_choices): (&Controls, &HillsChoices),
    scope: Scope,
) -> Vec<(String, String)> {
    let is_preset = controls.value("preset").is_some();
    let is_written = |name: &&str| match *name {
        "name" | "eye" => false,
        "preset" => is_preset,
        name if LINK.contains(&name) => !is_preset,
        name => scope == Scope::All || !is_for_everyone(name),
    };
    let is_possible = |name: &&str| controls.demo || !DEMO_NAMES.contains(name);
    let ours = NAMES.into_iter().filter(is_written).filter(is_possible);
    let ours = ours.map(|name| (name, controls.value(name), plain.value(name)));
    let hills = choices::NAMES.into_iter().filter(is_written);
    let hills = hills.map(|name| (name, choices.value(name), plain_choices.value(name)));
    let differ = ours.chain(hills).filter(|(_, value, plain)| value != plain);
    differ.filter_map(|(name, value, _)| Some((name.to_string(), value?))).collect()
}

/// A query of these pairs with its question mark; empty for none.
#[must_use]
pub fn query(pairs: &[(String, String)]) -> String {
    let parts: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}

/// Pairs of an address that are no settings of ours, and the name if it is there.
#[must_use]
pub fn foreign(query: &str) -> Vec<(String, String)> {
    let is_ours =
        |name: &str| name != "name" && (NAMES.contains(&name) || choices::NAMES.contains(&name));
    pairs(query).filter(|it| !is_ours(&it.0)).collect()
}

fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~,".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// What is no sign of encoding stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let code = code.filter(|_| *first == b'%').and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(code.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> (Controls, HillsChoices) {
        (Controls::default(), HillsChoices::default())
    }

    fn set(words: &[(&str, &str)]) -> (Controls, HillsChoices) {
        let (mut controls, mut choices) = plain();
        for (name, value) in words {
            let is_set = controls.set(name, value).is_ok() || choices.set(name, value).is_some();
            assert!(is_set, "{name}={value}");
        }
        (controls, choices)
    }

    fn said(words: &[(&str, &str)], scope: Scope) -> String {
        let ((controls, choices), (plain, plain_choices)) = (set(words), plain());
        query(&written((&controls, &choices), (&plain, &plain_choices), scope))
    }

    #[test]
    fn an_address_says_only_what_is_not_plain_and_brings_it_back() {
        assert_eq!(said(&[], Scope::All), "");
        let words = [
            ("preset", "mobile"),
            ("threshold", "7.5"),
            ("near", "delayed"),
            ("blend", "snap"),
            ("errors", "true"),
            ("view", "compare"),
            ("watch", "true"),
            ("clamp", "up"),
            ("spacing", "1.5"),
        ];
        let address = said(&words, Scope::All);
        assert_eq!(
            address,
            "?preset=mobile&threshold=7.5&near=delayed&blend=snap&errors=true&view=compare\
             &watch=true&clamp=up&spacing=1.5"
        );
        let read: Vec<_> = pairs(&address).collect();
        let read: Vec<_> = read.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
        assert_eq!(set(&read), set(&words));
    }

    #[test]
    fn every_control_and_switch_survives_the_address() {
        let (mut controls, mut choices) = plain();
        for (name, value) in [
            ("latency", "155"),
            ("jitter", "15"),
            ("loss", "7"),
            ("burst", "3"),
            ("model", "2"),
            ("policy", "4"),
            ("budget", "50"),
            ("weights", "3"),
            ("far", "delayed"),
            ("motion", "calm"),
            ("truth", "false"),
            ("naive", "false"),
            ("ghost", "false"),
            ("trend", "true"),
            ("zones", "true"),
        ] {
            controls.set(name, value).unwrap();
        }
        for (name, value) in [
            ("points", "1"),
            ("prevents", "false"),
            ("joints", "off"),
            ("train", "kinematic"),
            ("merchant", "reckoned"),
            ("camera", "top"),
        ] {
            choices.set(name, value).unwrap();
        }
        let (plain_controls, plain_choices) = plain();
        let all = written((&controls, &choices), (&plain_controls, &plain_choices), Scope::All);
        let (mut read, mut read_choices) = plain();
        for (name, value) in pairs(&query(&all)) {
            let is_set =
                read.set(&name, &value).is_ok() || read_choices.set(&name, &value).is_some();
            assert!(is_set, "{name}={value}");
        }
        assert_eq!((read, read_choices), (controls, choices));
    }

    #[test]
    fn what_holds_for_everyone_is_not_remembered_and_a_server_that_grants_nothing_is_not_asked() {
        let words =
            [("threshold", "9"), ("spacing", "1"), ("preset", "wifi"), ("blend", "hermite")];
        assert_eq!(said(&words, Scope::Own), "?preset=wifi&blend=hermite");
        let ((mut controls, choices), (plain, plain_choices)) = (set(&words), plain());
        controls.demo = false;
        let all = written((&controls, &choices), (&plain, &plain_choices), Scope::All);
        assert_eq!(query(&all), "?blend=hermite&spacing=1");
    }

    #[test]
    fn what_the_page_does_not_know_stays_and_letters_of_all_languages_are_read() {
        assert_eq!(
            query(&foreign("?a=1&preset=lan&name=Zo%C3%AB+L&eye=1,2")),
            "?a=1&name=Zo%C3%AB%20L"
        );
        let read: Vec<_> = pairs("?name=Zo%C3%AB+L&x=100%&y=%zz&nothing").collect();
        let expected = [("name", "Zoë L"), ("x", "100%"), ("y", "%zz")];
        assert_eq!(read, expected.map(|it| (it.0.to_string(), it.1.to_string())));
    }

    #[test]
    fn controls_that_apply_to_everyone_say_so_on_the_page() {
        let page = include_str!("../page/index.html");
        for name in FOR_EVERYONE {
            let mark = format!("data-control=\"{name}\"");
            let at = page.find(&mark).unwrap_or_else(|| panic!("there is no {name}"));
            let block = &page[page[..at].rfind("<div class=\"control").unwrap()..];
            let block = &block[..block.find("</div><!-- control -->").unwrap()];
            assert!(block.contains("For everyone."), "{name} does not say so");
        }
    }
}
