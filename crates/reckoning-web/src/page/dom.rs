//! Elements of the page, found by id and written to only when something changes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    CanvasRenderingContext2d, Document, Element, Event, EventTarget, HtmlCanvasElement,
    HtmlElement, Window,
};

thread_local! {
    /// What was written where, so that nothing is written twice.
    static WRITTEN: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// The window; a page without one does not run this.
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The document.
pub fn document() -> Option<Document> {
    window()?.document()
}

/// Milliseconds since the page was opened.
pub fn now_ms() -> f64 {
    window().and_then(|it| it.performance()).map_or(0.0, |it| it.now())
}

/// An element by its id.
pub fn element(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// The root, which carries what the style sheet asks for.
pub fn root() -> Option<Element> {
    document()?.document_element()
}

/// Whether `text` is new for this place, which it then is no longer.
fn is_new(place: &str, text: &str) -> bool {
    WRITTEN.with_borrow_mut(|written| {
        if written.get(place).is_some_and(|it| it == text) {
            return false;
        }
        written.insert(place.to_string(), text.to_string());
        true
    })
}

/// Writes a text.
pub fn write(id: &str, text: &str) {
    if is_new(id, text)
        && let Some(element) = element(id)
    {
        element.set_text_content(Some(text));
    }
}

/// Writes markup. Everything foreign in it must have gone through [`escaped`].
pub fn write_html(id: &str, html: &str) {
    if is_new(id, html)
        && let Some(element) = element(id)
    {
        element.set_inner_html(html);
    }
}

/// A foreign text for use in markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Shows or hides an element.
pub fn show(id: &str, is_shown: bool) {
    if is_new(&format!("{id} hidden"), if is_shown { "" } else { "hidden" })
        && let Some(element) = element(id)
    {
        element.set_hidden(!is_shown);
    }
}

/// Lets a control be used, or not.
pub fn disable(selector: &str, is_off: bool) {
    if is_new(&format!("{selector} disabled"), &is_off.to_string())
        && let Some(element) = all(selector).first()
    {
        let _ = element.toggle_attribute_with_force("disabled", is_off);
    }
}

/// Sets the width of a bar, in hundredths, and whether it is low.
pub fn fill(id: &str, share: f64) {
    let style = format!("width:{:.0}%", share.clamp(0.0, 1.0) * 100.0);
    if is_new(&format!("{id} width"), &style)
        && let Some(element) = element(id)
    {
        let _ = element.set_attribute("style", &style);
        element.set_class_name(if share < 0.3 { "low" } else { "" });
    }
}

/// Sets an attribute of an element.
pub fn describe(id: &str, name: &str, value: &str) {
    if is_new(&format!("{id} {name}"), value)
        && let Some(element) = element(id)
    {
        let _ = element.set_attribute(name, value);
    }
}

/// Gives an element the keyboard.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
}

/// Whether an element has the keyboard.
pub fn is_focused(id: &str) -> bool {
    document().and_then(|it| it.active_element()).is_some_and(|it| it.id() == id)
}

/// Copies a text to where it can be pasted from. False where the browser has no such place, or
/// does not let us.
pub async fn copy(text: &str) -> bool {
    let Some(copying) = begin_copy(text) else { return false };
    wasm_bindgen_futures::JsFuture::from(copying).await.is_ok()
}

fn begin_copy(text: &str) -> Option<js_sys::Promise> {
    let of = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &name.into()).ok();
    let board = of(&of(&window()?.into(), "navigator")?, "clipboard")?;
    let write: js_sys::Function = of(&board, "writeText")?.dyn_into().ok()?;
    write.call1(&board, &text.into()).ok()?.dyn_into().ok()
}

/// Sets an attribute of the root.
pub fn mark(name: &str, value: &str) {
    if is_new(&format!("root {name}"), value)
        && let Some(root) = root()
    {
        let _ = root.set_attribute(name, value);
    }
}

/// Sets a class of an element.
pub fn set_class(element: &Element, class: &str, is_on: bool) {
    let _ = element.class_list().toggle_with_force(class, is_on);
}

/// All elements that a selector finds.
pub fn all(selector: &str) -> Vec<Element> {
    let found = document().and_then(|it| it.query_selector_all(selector).ok());
    let Some(found) = found else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// The pen of a canvas.
pub fn pen_of(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// A canvas that is on no page.
pub fn new_canvas() -> Option<HtmlCanvasElement> {
    document()?.create_element("canvas").ok()?.dyn_into().ok()
}

/// Calls `call` at every such event, for as long as the page lives.
pub fn listen<E: JsCast>(target: &EventTarget, kind: &str, mut call: impl FnMut(E) + 'static) {
    let call = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        call(event.unchecked_into());
    });
    let _ = target.add_event_listener_with_callback(kind, call.as_ref().unchecked_ref());
    call.forget();
}

/// What the page remembers from visit to visit.
pub fn remembered(key: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(key).ok()?
}

/// Remembers it.
pub fn remember(key: &str, value: &str) {
    if let Some(storage) = window().and_then(|it| it.local_storage().ok().flatten()) {
        let _ = storage.set_item(key, value);
    }
}

/// Whether the page came over TLS.
pub fn is_secure() -> bool {
    let protocol = window().and_then(|it| it.location().protocol().ok());
    protocol.as_deref() == Some("https:")
}

/// Whether the person asked for little motion.
pub fn is_calm() -> bool {
    let query = window().and_then(|it| it.match_media("(prefers-reduced-motion: reduce)").ok());
    query.flatten().is_some_and(|it| it.matches())
}

/// Fetches a text, or bytes with [`fetch_bytes`]; `None` unless the server has it.
pub async fn fetch_text(url: &str) -> Option<String> {
    let response = fetch(url).await?;
    wasm_bindgen_futures::JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// Fetches bytes.
pub async fn fetch_bytes(url: &str) -> Option<Vec<u8>> {
    let response = fetch(url).await?;
    let buffer = wasm_bindgen_futures::JsFuture::from(response.array_buffer().ok()?).await.ok()?;
    Some(js_sys::Uint8Array::new(&buffer).to_vec())
}

/// Asks for a file; `None` unless the server has it.
pub async fn fetch(url: &str) -> Option<web_sys::Response> {
    let asked = window()?.fetch_with_str(url);
    let response: JsValue = wasm_bindgen_futures::JsFuture::from(asked).await.ok()?;
    response.dyn_into::<web_sys::Response>().ok().filter(web_sys::Response::ok)
}
