//! Event listeners of the page.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, EventTarget, HtmlInputElement, HtmlSelectElement, KeyboardEvent, MouseEvent,
    PointerEvent,
};

use super::app::App;
use super::{choices, dom, intro, panel};

type SharedApp = Rc<RefCell<App>>;

/// Listens to everything.
pub fn listen(app: &SharedApp) {
    let Some(window) = dom::window() else { return };
    listen_to_keys(app, &window);
    if let Some(canvas) = dom::element("arena") {
        listen_to_pointers(app, &canvas);
    }
    if let Some(element) = dom::element("panel") {
        listen_to_panel(app, &element);
    }
    listen_to_replay(app);
    listen_to_lob(app);
    listen_to_beginners(app);
    let shared = app.clone();
    dom::listen::<Event>(&window, "resize", move |_| with(&shared, App::measure));
    listen_to_farewell(app, &window);
    if let Ok(Some(query)) = window.match_media("(prefers-color-scheme: light)") {
        dom::listen::<Event>(&query, "change", |_| panel::show_theme());
    }
}

/// Leaves when the page is closed, unless the browser keeps it to come back to.
fn listen_to_farewell(app: &SharedApp, window: &web_sys::Window) {
    let shared = app.clone();
    dom::listen::<Event>(window, "pagehide", move |event| {
        let kept = js_sys::Reflect::get(&event, &"persisted".into());
        if kept.is_ok_and(|it| it.is_truthy()) {
            return;
        }
        with(&shared, |app| {
            if let Some(connection) = app.source.connection() {
                connection.client.leave();
            }
        });
    });
}

/// Nothing, should a frame be under way; it never is, as both run one after the other.
fn with(app: &SharedApp, call: impl FnOnce(&mut App)) {
    if let Ok(mut app) = app.try_borrow_mut() {
        call(&mut app);
    }
}

/// Keys play only while the arena has the focus: elsewhere they are the browser's, and go from
/// control to control.
fn listen_to_keys(app: &SharedApp, window: &web_sys::Window) {
    let Some(arena) = dom::element("arena") else { return };
    for (kind, is_down) in [("keydown", true), ("keyup", false)] {
        let shared = app.clone();
        dom::listen::<KeyboardEvent>(&arena, kind, move |event| {
            let is_command = event.ctrl_key() || event.meta_key() || event.alt_key();
            if is_command && is_down {
                return;
            }
            with(&shared, |app| {
                if press(app, &event, is_down) {
                    event.prevent_default();
                }
            });
        });
    }
    for target in [arena.as_ref(), window.as_ref() as &EventTarget] {
        let shared = app.clone();
        dom::listen::<Event>(target, "blur", move |_| {
            with(&shared, |app| {
                app.held.let_go();
                app.show_board = false;
            });
        });
    }
    let shared = app.clone();
    dom::listen::<KeyboardEvent>(window, "keydown", move |event| {
        if event.code() == "Escape" {
            with(&shared, escape);
        } else if choices::step(&event) {
            event.prevent_default();
        }
    });
}

/// A key of the game, or of a recording. False when it means nothing there.
fn press(app: &mut App, event: &KeyboardEvent, is_down: bool) -> bool {
    let (code, is_first) = (event.code(), is_down && !event.repeat());
    if is_down && seek(app, event) {
        return true;
    }
    let is_held = app.held.key(&code, is_down);
    match code.as_str() {
        "KeyB" => app.show_board = is_down && app.source.connection().is_some(),
        "KeyE" if is_first => app.use_vehicle(),
        "KeyC" if is_first => app.next_camera(),
        _ => {}
    }
    is_held || code == "KeyB"
}

/// A key of a recording.
fn seek(app: &mut App, event: &KeyboardEvent) -> bool {
    let code = event.code();
    let Some(clock) = app.source.replay_clock() else { return false };
    (event.repeat() && code == "Space") || clock.press(&code)
}

/// Puts away what lies open.
fn escape(app: &mut App) {
    app.show_board = false;
    if intro::is_open() {
        intro::close(app);
    }
    show_sheet(false);
}

fn listen_to_pointers(app: &SharedApp, canvas: &web_sys::HtmlElement) {
    let place = |event: &PointerEvent| [f64::from(event.offset_x()), f64::from(event.offset_y())];
    let is_touch = |event: &PointerEvent| event.pointer_type() == "touch";
    // Of several buttons only the first that goes down is an event of its own.
    let second = |event: &PointerEvent| event.buttons() & 2 != 0;
    let (shared, element) = (app.clone(), canvas.clone());
    dom::listen::<PointerEvent>(canvas, "pointerdown", move |event| {
        let _ = element.set_pointer_capture(event.pointer_id());
        let _ = element.focus();
        let [x, y] = place(&event);
        with(&shared, |app| {
            if is_touch(&event) {
                app.held.thumb_down(event.pointer_id(), [x, y], app.size[0]);
            } else if event.button() == 0 {
                app.held.pointer = Some([x, y]);
                app.held.button(true);
            }
            app.held.second_button(second(&event));
            app.pick(x, y);
        });
    });
    let shared = app.clone();
    dom::listen::<PointerEvent>(canvas, "pointermove", move |event| {
        with(&shared, |app| {
            if is_touch(&event) {
                app.held.thumb_moved(event.pointer_id(), place(&event));
            } else {
                app.held.pointer = Some(place(&event));
                app.held.second_button(second(&event));
            }
        });
    });
    for kind in ["pointerup", "pointercancel"] {
        let shared = app.clone();
        dom::listen::<PointerEvent>(canvas, kind, move |event| {
            with(&shared, |app| {
                app.held.thumb_up(event.pointer_id());
                app.held.button(false);
                app.held.second_button(false);
            });
        });
    }
    dom::listen::<Event>(canvas, "contextmenu", |event| event.prevent_default());
    let shared = app.clone();
    dom::listen::<web_sys::WheelEvent>(canvas, "wheel", move |event| {
        with(&shared, |app| app.zoom_by(libm::exp(-event.delta_y() * 1e-3)));
    });
}

/// The control an event came from.
fn control_of(event: &Event) -> Option<(String, Element)> {
    let element: Element = event.target()?.dyn_into().ok()?;
    let control = element.closest("[data-control]").ok()??;
    Some((control.get_attribute("data-control")?, control))
}

fn listen_to_panel(app: &SharedApp, element: &web_sys::HtmlElement) {
    for kind in ["input", "change"] {
        let shared = app.clone();
        dom::listen::<Event>(element, kind, move |event| {
            let Some((name, control)) = control_of(&event) else { return };
            let Some(value) = entered_value(&control, kind) else { return };
            with(&shared, |app| {
                app.set(&name, &value);
                if name == "name" {
                    dom::remember("name", &app.controls.name);
                }
            });
        });
    }
    let shared = app.clone();
    dom::listen::<MouseEvent>(element, "click", move |event| {
        let Some((name, control)) = control_of(&event) else { return };
        if let Some(value) = control.get_attribute("data-value") {
            with(&shared, |app| {
                app.set(&name, &value);
            });
        }
    });
    listen_to_buttons(app);
}

/// The value of a control that an event of this kind sets, if it does.
fn entered_value(control: &Element, kind: &str) -> Option<String> {
    if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
        // A name is taken when it is complete.
        if (input.type_() == "text") != (kind == "change") {
            return None;
        }
        let is_box = input.type_() == "checkbox";
        return Some(if is_box { input.checked().to_string() } else { input.value() });
    }
    control.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value)
}

/// The theme, and on phones the sheet with the controls.
fn listen_to_buttons(app: &SharedApp) {
    if let Some(button) = dom::element("theme") {
        let shared = app.clone();
        dom::listen::<Event>(&button, "click", move |_| {
            panel::switch_theme();
            with(&shared, App::measure);
        });
    }
    if let Some(button) = dom::element("sheet") {
        dom::listen::<Event>(&button, "click", |_| {
            let is_open = dom::root().and_then(|it| it.get_attribute("data-sheet"));
            show_sheet(is_open.as_deref() != Some("open"));
        });
    }
    if let Some(button) = dom::element("score") {
        let shared = app.clone();
        dom::listen::<Event>(&button, "click", move |_| {
            with(&shared, |app| app.show_board = !app.show_board);
        });
    }
}

fn show_sheet(is_open: bool) {
    dom::mark("data-sheet", if is_open { "open" } else { "shut" });
    dom::describe("sheet", "aria-expanded", if is_open { "true" } else { "false" });
}

/// The introduction, and the list of levels.
fn listen_to_beginners(app: &SharedApp) {
    type Call = fn(&mut App);
    let calls: [(&str, Call); 3] =
        [("play", intro::play), ("look-on", intro::close), ("intro-again", intro::open)];
    for (id, call) in calls {
        let Some(button) = dom::element(id) else { continue };
        let shared = app.clone();
        dom::listen::<Event>(&button, "click", move |_| with(&shared, call));
    }
    if let Some(select) = dom::element("level") {
        dom::listen::<Event>(&select, "change", |_| intro::tell_level());
    }
    if let Some(button) = dom::element("level-copy") {
        dom::listen::<Event>(&button, "click", |_| {
            wasm_bindgen_futures::spawn_local(intro::copy_command());
        });
    }
}

/// A thumb that lobs, where there is no second button.
fn listen_to_lob(app: &SharedApp) {
    let Some(button) = dom::element("lob") else { return };
    for (kind, is_down) in [("pointerdown", true), ("pointerup", false), ("pointercancel", false)] {
        let shared = app.clone();
        dom::listen::<PointerEvent>(&button, kind, move |_| {
            with(&shared, |app| app.held.second_button(is_down));
        });
    }
}

fn listen_to_replay(app: &SharedApp) {
    let set = |id: &str, kind: &str, name: &'static str| {
        let shared = app.clone();
        let Some(element) = dom::element(id) else { return };
        dom::listen::<Event>(&element, kind, move |event| {
            let target: Option<EventTarget> = event.target();
            let input = target.as_ref().and_then(|it| it.dyn_ref::<HtmlInputElement>());
            let select = target.as_ref().and_then(|it| it.dyn_ref::<HtmlSelectElement>());
            let value = input.map(HtmlInputElement::value).or(select.map(HtmlSelectElement::value));
            with(&shared, |app| {
                app.set(name, &value.unwrap_or_default());
            });
        });
    };
    set("scrubber", "input", "at");
    set("speed", "change", "speed");
    if let Some(scrubber) = dom::element("scrubber") {
        let shared = app.clone();
        dom::listen::<KeyboardEvent>(&scrubber, "keydown", move |event| {
            with(&shared, |app| {
                if seek(app, &event) {
                    event.prevent_default();
                }
            });
        });
    }
    if let Some(button) = dom::element("play-pause") {
        let shared = app.clone();
        dom::listen::<Event>(&button, "click", move |_| {
            with(&shared, |app| {
                if let Some(clock) = app.source.replay_clock() {
                    clock.toggle();
                }
            });
        });
    }
}
