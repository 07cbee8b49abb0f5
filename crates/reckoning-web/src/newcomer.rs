//! Who opens the page for the first time, and what is set for them.
//!
//! A newcomer looks on before playing: at one bot drawn four ways, over a link on which the ways
//! differ. A link that carries settings is a wish, and whoever put the introduction away knows the
//! page: both join at once.

/// What a newcomer sees: names and values of controls, in this order.
pub const SETTINGS: [(&str, &str); 3] =
    [("watch", "true"), ("view", "compare"), ("preset", "mobile")];

/// What pressing Play changes: the link stays, as what it does was just explained.
pub const PLAYS: [(&str, &str); 2] = [("watch", "false"), ("view", "arena")];

/// Whether somebody who opens the page with this query is new here. An address that says just what
/// newcomers see is that of one who loads the page anew.
#[must_use]
pub fn is_newcomer(query: &str, knows_intro: bool) -> bool {
    let wishes = query.trim_start_matches('?');
    let wished = |it: &(_, _)| wishes.split('&').any(|wish| wish.split_once('=') == Some(*it));
    let is_ours = wishes.split('&').count() == SETTINGS.len() && SETTINGS.iter().all(wished);
    !knows_intro && (wishes.is_empty() || is_ours)
}

/// Where an arrow key goes from one of several choices, round and round.
#[must_use]
pub fn stepped(code: &str, at: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    Some(match code {
        "ArrowRight" | "ArrowDown" => (at + 1) % count,
        "ArrowLeft" | "ArrowUp" => at.checked_sub(1).unwrap_or(last),
        "Home" => 0,
        "End" => last,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::{Controls, PRESETS, ViewMode};

    #[test]
    fn only_who_was_never_here_and_wishes_nothing_is_new() {
        assert!(is_newcomer("", false) && is_newcomer("?", false));
        assert!(is_newcomer("?preset=mobile&view=compare&watch=true", false), "loaded anew");
        for wish in
            ["?name=Ada", "?watch=true", "?preset=mobile&view=compare&watch=true&naive=false"]
        {
            assert!(!is_newcomer(wish, false), "{wish}");
        }
        assert!(!is_newcomer("", true) && !is_newcomer("?name=Ada", true));
    }

    #[test]
    fn a_newcomer_compares_over_a_mobile_link_and_play_leaves_that_but_for_the_link() {
        let mut controls = Controls::default();
        for (name, value) in SETTINGS {
            controls.set(name, value).unwrap();
        }
        assert!(controls.watch && controls.view == ViewMode::Compare);
        for (name, value) in PLAYS {
            controls.set(name, value).unwrap();
        }
        assert!(!controls.watch && controls.view == ViewMode::Arena);
        assert_eq!(controls.value("preset").as_deref(), Some("mobile"));
    }

    #[test]
    fn the_introduction_names_the_delay_that_is_set() {
        let page = include_str!("../page/index.html");
        let intro = &page[page.find("id=\"intro-text\"").unwrap()..];
        let intro = &intro[..intro.find("</p>").unwrap()];
        let mobile = PRESETS.iter().find(|it| it.name == "mobile").unwrap();
        assert!(intro.contains(&format!("{} ms away", mobile.link.delay_ms)), "{intro}");
    }

    #[test]
    fn arrows_go_round() {
        assert_eq!(stepped("ArrowRight", 0, 4), Some(1));
        assert_eq!(stepped("ArrowDown", 3, 4), Some(0));
        assert_eq!(stepped("ArrowLeft", 0, 4), Some(3));
        assert_eq!((stepped("Home", 2, 4), stepped("End", 2, 4)), (Some(0), Some(3)));
        assert_eq!((stepped("KeyW", 1, 4), stepped("Home", 0, 0)), (None, None));
    }
}
