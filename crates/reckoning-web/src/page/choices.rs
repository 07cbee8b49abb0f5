//! Choices of which one holds, as tabs and radio buttons: one of each group is reached by Tab, the
//! others from there by arrow keys.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use super::dom;
use crate::newcomer::stepped;

/// Shows which choice of its group holds. Returns whether that is news.
pub fn show(choice: &Element, holds: bool) -> bool {
    if choice.class_list().contains("on") == holds {
        return false;
    }
    dom::set_class(choice, "on", holds);
    let says = if choice.get_attribute("role").as_deref() == Some("tab") {
        "aria-selected"
    } else {
        "aria-checked"
    };
    let _ = choice.set_attribute(says, if holds { "true" } else { "false" });
    true
}

/// Lets Tab reach the choice of each group that holds, or its first.
pub fn rove() {
    for group in dom::all("[role=radiogroup], [role=tablist]") {
        let members = members(&group);
        let holds = members.iter().position(|it| it.class_list().contains("on"));
        let reached = holds.or_else(|| members.iter().position(is_free));
        for (at, member) in members.iter().enumerate() {
            let _ = member.set_attribute("tabindex", if Some(at) == reached { "0" } else { "-1" });
        }
    }
}

/// Goes to another choice by an arrow key, and takes it. False when the key is for something else.
pub fn step(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
    let choice = target.and_then(|it| it.closest("[role=radio], [role=tab]").ok().flatten());
    let group = choice.as_ref().and_then(|it| it.closest("[role=radiogroup], [role=tablist]").ok());
    let (Some(choice), Some(Some(group))) = (choice, group) else { return false };
    let free: Vec<Element> = members(&group).into_iter().filter(is_free).collect();
    let at = free.iter().position(|it| *it == choice).unwrap_or(0);
    let Some(next) = stepped(&event.code(), at, free.len()) else { return false };
    if let Some(next) = free[next].dyn_ref::<HtmlElement>() {
        let _ = next.focus();
        next.click();
    }
    true
}

fn members(group: &Element) -> Vec<Element> {
    let Ok(found) = group.query_selector_all("[role=radio], [role=tab]") else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

fn is_free(choice: &Element) -> bool {
    !choice.has_attribute("disabled")
}
