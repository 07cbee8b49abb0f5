//! The part of the page that touches the browser.

mod address;
mod app;
mod choices;
mod connection;
mod dom;
mod draw;
mod driving;
mod events;
mod everyone;
mod explain;
mod hills;
mod intro;
mod live;
mod loading;
mod measure;
mod own_plan;
mod panel;
mod replayed;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use reckoning_arena::Level;
use reckoning_arena::hills::HillsLevel;
use reckoning_arena::planning::Planning;
use reckoning_arena::protocol::ModelChoice;
use reckoning_predict::TrendMap;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};

use self::app::{App, Source};
use self::draw::Ground;
use self::hills::{HillsGame, HillsLive, HillsReplayed, HillsSource};
use self::live::Live;
use self::own_plan::OwnPlan;
use self::replayed::Replayed;
use crate::replay::ReplayFrames;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// Starts the page.
///
/// # Errors
/// When this is no page of ours.
#[wasm_bindgen(start)]
pub fn start() -> Result<(), JsValue> {
    // A trap alone does not say what went wrong.
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
    panel::show_theme();
    if explain::is_here() {
        return explain::start();
    }
    let app = App::new().ok_or("the page has no arena to draw on")?;
    let app = Rc::new(RefCell::new(app));
    greet(&mut app.borrow_mut());
    expose(&app)?;
    events::listen(&app);
    address::listen(&app);
    everyone::listen(&app);
    dom::focus("arena");
    run(app.clone());
    wasm_bindgen_futures::spawn_local(load(app));
    Ok(())
}

/// The name of the last visit, or one of chance.
fn greet(app: &mut App) {
    let name = dom::remembered("name")
        .filter(|it| !it.is_empty())
        .unwrap_or_else(|| format!("Guest {}", (js_sys::Math::random() * 900.0) as u32 + 100));
    let query = dom::window().and_then(|it| it.location().search().ok()).unwrap_or_default();
    app.is_newcomer = intro::is_wanted(&query);
    app.set("name", &name);
    dom::remember("name", &name);
    // As at the last visit; a link may carry settings as well: `/?watch=true&preset=mobile`.
    address::take_up(app);
    app.measure();
}

/// What the browser calls for the next frame; it asks for itself again.
type NextFrame = Rc<RefCell<Option<Closure<dyn FnMut()>>>>;

/// Draws frame after frame.
fn run(app: Rc<RefCell<App>>) {
    each_frame(move || {
        if let Ok(mut app) = app.try_borrow_mut() {
            app.frame();
        }
    });
}

/// Calls `draw` for each frame, as long as the page lives.
fn each_frame(mut draw: impl FnMut() + 'static) {
    let again = NextFrame::default();
    let next = again.clone();
    *again.borrow_mut() = Some(Closure::new(move || {
        draw();
        ask_for_frame(&next);
    }));
    ask_for_frame(&again);
}

fn ask_for_frame(call: &NextFrame) {
    if let (Some(window), Some(call)) = (dom::window(), call.borrow().as_ref()) {
        let _ = window.request_animation_frame(call.as_ref().unchecked_ref());
    }
}

/// `window.reckoning`.
fn expose(app: &Rc<RefCell<App>>) -> Result<(), JsValue> {
    let object = js_sys::Object::new();
    let shared = app.clone();
    let state = Closure::<dyn FnMut() -> String>::new(move || shared.borrow().state().to_json());
    js_sys::Reflect::set(&object, &"state".into(), &state.into_js_value())?;
    let shared = app.clone();
    let reset = Closure::<dyn FnMut()>::new(move || shared.borrow_mut().meters.reset());
    js_sys::Reflect::set(&object, &"reset".into(), &reset.into_js_value())?;
    let shared = app.clone();
    let set = Closure::<dyn FnMut(JsValue, JsValue) -> String>::new(
        move |name: JsValue, value: JsValue| {
            let value = String::from(js_sys::Object::from(value).to_string());
            shared.borrow_mut().set(&name.as_string().unwrap_or_default(), &value)
        },
    );
    js_sys::Reflect::set(&object, &"set".into(), &set.into_js_value())?;
    js_sys::Reflect::set(&js_sys::global(), &"reckoning".into(), &object)?;
    Ok(())
}

/// Asks the server what there is: a game to join or a recording to show.
async fn load(app: Rc<RefCell<App>>) {
    let loaded = try_load(&app).await;
    let mut app = app.borrow_mut();
    match loaded {
        Ok((mut source, ground)) => {
            let mode = if source.replay_clock().is_some() { "replay" } else { "live" };
            dom::mark("data-mode", mode);
            let is_hills = matches!(source, Source::Hills(_));
            dom::mark("data-game", if is_hills { "hills" } else { "flat" });
            let level = ground.as_ref().and_then(|it| it.level.as_ref());
            let name = level.map_or(if is_hills { "hills" } else { "a recording" }, |it| it.name());
            dom::write("where", &format!("· {}", name.replace('-', " ")));
            intro::show_level(name);
            (app.source, app.ground) = (source, ground);
            if app.is_newcomer && mode == "live" && app.controls.demo {
                intro::open(&mut app);
            }
        }
        Err(said) => app.source = Source::Failed(said),
    }
    if app.trend.is_none() {
        dom::write("trend-key", "this level has no trend map");
    }
    panel::show_controls(&app.controls, &app.choices);
    choices::rove();
    app.measure();
}

/// Where the picture comes from, and the ground of the flat arena.
type Loaded = (Source, Option<Ground>);

async fn try_load(app: &Rc<RefCell<App>>) -> Result<Loaded, String> {
    let about = dom::fetch_text("arena.json").await.ok_or("the server does not say what is on")?;
    let about: serde_json::Value =
        serde_json::from_str(&about).map_err(|error| format!("arena.json is wrong: {error}"))?;
    if about["profile"] == true {
        dom::describe("profile-strip", "src", "profile.svg");
        dom::show("profile", true);
    }
    if about["recording"] == true {
        return load_recording(app, about["game"] == HillsLevel::NAME).await;
    }
    let level = dom::fetch_bytes("level.bin").await.ok_or("the server has no level")?;
    // Servers that do not say so are of a time when all were demonstrations.
    app.borrow_mut().controls.demo = about["demo"] != false;
    dom::mark("data-demo", if about["demo"] == false { "false" } else { "true" });
    if about["game"] == HillsLevel::NAME {
        return load_hills(&level);
    }
    let level = Level::from_bytes(&level).map_err(|error| error.to_string())?;
    if about["trend"] == true
        && let Some(bytes) = dom::fetch_bytes("trend.bin").await
    {
        app.borrow_mut().trend = TrendMap::from_bytes(&bytes).ok();
    }
    let zones = about["zones_px"].as_array().into_iter().flatten();
    app.borrow_mut().zones_px = zones.filter_map(serde_json::Value::as_f64).collect();
    let server = server();
    app.borrow_mut().controls.missing = missing(&about["world"]["missing"]);
    app.borrow_mut().address.know_server(&about["world"]);
    let trends = app.borrow().trend.clone().map(Arc::new);
    let own_plan = OwnPlan::new(Planning::new(&level, trends, None));
    let mut live = Live::new(&server, &app.borrow().controls, own_plan)?;
    live.is_per_hop = about["clock"] == "per-hop";
    Ok((Source::Live(Box::new(live)), Some(Ground::from_level(level))))
}

/// Where the page came from.
fn server() -> String {
    dom::window().and_then(|it| it.location().host().ok()).unwrap_or_default()
}

/// A game in the hills.
fn load_hills(level: &[u8]) -> Result<Loaded, String> {
    let level = HillsLevel::from_bytes(level).map_err(|error| error.to_string())?;
    let live = HillsLive::new(&server(), &level)?;
    let game = HillsGame::new(level, HillsSource::Live(Box::new(live)))?;
    Ok((Source::Hills(Box::new(game)), None))
}

/// Planners that the server cannot run, by their numbers, and why.
fn missing(about: &serde_json::Value) -> BTreeMap<ModelChoice, String> {
    let of = |(number, why): (&String, &serde_json::Value)| {
        let choice = ModelChoice::ALL.get(number.parse::<usize>().ok()?)?;
        Some((*choice, why.as_str()?.to_string()))
    };
    about.as_object().into_iter().flatten().filter_map(of).collect()
}

async fn load_recording(app: &Rc<RefCell<App>>, is_hills: bool) -> Result<Loaded, String> {
    let header = dom::fetch_text("recording.json").await.ok_or("the recording is missing")?;
    let told = |progress: String| app.borrow_mut().progress = progress;
    let frames = loading::fetch("recording.bin", told).await.ok_or("its frames are missing")?;
    let recording = ReplayFrames::new(&header, &frames).map_err(|error| error.to_string())?;
    // The level it was played in, where that is known.
    let level = dom::fetch_bytes("level.bin").await.unwrap_or_default();
    if is_hills && recording.is_spatial() {
        let level = HillsLevel::from_bytes(&level).map_err(|error| error.to_string())?;
        let (controls, choices) = (&app.borrow().controls, &app.borrow().choices);
        let replay = HillsReplayed::new(recording, controls, choices);
        let game = HillsGame::new(level, HillsSource::Replay(Box::new(replay)))?;
        return Ok((Source::Hills(Box::new(game)), None));
    }
    let is_plain = |choice: &ModelChoice| ModelChoice::PLAIN.contains(choice);
    let planned = ModelChoice::ALL.into_iter().filter(|choice| !is_plain(choice));
    let why = "not in a replay".to_string();
    app.borrow_mut().controls.missing = planned.map(|choice| (choice, why.clone())).collect();
    panel::show_planners(&app.borrow().controls, None, "");
    let (replay, ground) =
        Replayed::new(recording, Level::from_bytes(&level).ok(), &app.borrow().controls);
    Ok((Source::Replay(Box::new(replay)), Some(ground)))
}
