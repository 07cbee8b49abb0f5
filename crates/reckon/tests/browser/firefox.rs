//! Firefox, driven by the protocol `WebDriver BiDi`, which it speaks by itself. `RECKONING_FIREFOX` names it.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use super::chrome::{host_of, keep_picture, listening_at};
use super::{Arena, distance, place, sleep};

const PATIENCE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A profile that talks to nobody but the page's server.
const PREFERENCES: &str = r#"
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.enabled", false);
"#;

/// One Firefox with one page.
struct Firefox {
    child: Child,
    profile: PathBuf,
    socket: WebSocket<TcpStream>,
    context: String,
    next: u64,
    complaints: Vec<String>,
}

impl Firefox {
    /// Starts it without a window and opens `url`; `None`, said aloud, where there is none.
    fn open(test: &str, url: &str) -> Option<Self> {
        let Some(program) = std::env::var_os("RECKONING_FIREFOX") else {
            reckoning_testing::skip(test, "no Firefox: RECKONING_FIREFOX names none");
            return None;
        };
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("firefox-{test}"));
        let _ = fs::remove_dir_all(&profile);
        fs::create_dir_all(&profile).unwrap();
        fs::write(profile.join("user.js"), PREFERENCES).unwrap();
        let mut child = Command::new(program)
            .args(["--headless", "--no-remote", "--remote-debugging-port=0", "--profile"])
            .arg(&profile)
            .args(["--width", "1440", "--height", "900", "about:blank"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("RECKONING_FIREFOX can be started");
        let address = listening_at(&mut child, "WebDriver BiDi listening on ");
        let stream = TcpStream::connect(host_of(&address)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(format!("{address}/session"), stream).unwrap();
        let (context, complaints) = (String::new(), Vec::new());
        let mut browser = Self { child, profile, socket, context, next: 0, complaints };
        browser.attach();
        browser.goto(url);
        Some(browser)
    }

    fn goto(&mut self, url: &str) {
        let how = json!({ "context": self.context, "url": url, "wait": "complete" });
        self.call("browsingContext.navigate", &how);
    }

    /// Holds a key of the keyboard down for a while.
    fn hold(&mut self, key: &str, millis: u32) {
        let steps = json!([
            { "type": "keyDown", "value": key },
            { "type": "pause", "duration": millis },
            { "type": "keyUp", "value": key },
        ]);
        let keys = json!([{ "type": "key", "id": "keyboard", "actions": steps }]);
        self.call("input.performActions", &json!({ "context": self.context, "actions": keys }));
    }

    fn attach(&mut self) {
        self.call("session.new", &json!({ "capabilities": {} }));
        self.call("session.subscribe", &json!({ "events": ["log.entryAdded"] }));
        let tree = self.call("browsingContext.getTree", &json!({}));
        tree["contexts"][0]["context"].as_str().unwrap().clone_into(&mut self.context);
    }

    /// What a script comes to: a text, a number or a truth.
    fn value(&mut self, script: &str) -> Value {
        let how = json!({
            "expression": script, "target": { "context": self.context }, "awaitPromise": true,
        });
        let answer = self.call("script.evaluate", &how);
        assert_eq!(answer["type"], "success", "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    fn state(&mut self) -> Value {
        let text = self.value("reckoning.state()");
        serde_json::from_str(text.as_str().unwrap()).unwrap()
    }

    fn wait_until(&mut self, what: &str, script: &str) {
        let begin = Instant::now();
        let guarded =
            format!("(() => {{ try {{ return !!({script}) }} catch {{ return false }} }})()");
        while self.value(&guarded) != true {
            if begin.elapsed() > PATIENCE {
                let picture = self.picture("firefox-gave-up");
                panic!("not seen: {what}; {}; {:?}", picture.display(), self.complaints);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn picture(&mut self, name: &str) -> PathBuf {
        let how = json!({ "context": self.context });
        let answer = self.call("browsingContext.captureScreenshot", &how);
        let text = answer["data"].as_str().unwrap();
        keep_picture(name, &base64::engine::general_purpose::STANDARD.decode(text).unwrap())
    }

    /// Errors of the page's scripts and on its console.
    fn complaints(&mut self) -> Vec<String> {
        self.value("0"); // takes in what waits
        self.complaints.clone()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let call = json!({ "id": self.next, "method": method, "params": params });
        self.socket.send(Message::text(call.to_string())).unwrap();
        loop {
            let message = self.read(method);
            if message["id"] == json!(self.next) {
                assert_eq!(message["type"], "success", "{method}: {message}");
                return message["result"].clone();
            }
            let entry = &message["params"];
            if message["method"] == "log.entryAdded" && entry["level"] == "error" {
                self.complaints.push(entry["text"].to_string());
            }
        }
    }

    fn read(&mut self, method: &str) -> Value {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).unwrap(),
                Ok(_) => {}
                Err(error) => panic!("Firefox did not answer {method}: {error}"),
            }
        }
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// Where the bodies of others are shown, by their entities.
fn places(state: &Value) -> Vec<(u64, (f64, f64))> {
    let ghosts = state["ghosts"].as_array().unwrap().iter();
    ghosts.map(|it| (it["entity"].as_u64().unwrap(), place(it))).collect()
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn firefox_joins_shows_others_move_and_compares_without_a_complaint() {
    let test = "firefox_joins_shows_others_move_and_compares_without_a_complaint";
    let arena = Arena::play(&["--bots", "12"]);
    let Some(mut browser) = Firefox::open(test, &arena.url()) else { return };
    browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 12");
    println!("Firefox speaks {}", browser.state()["transport"]);

    let before = places(&browser.state());
    sleep(2.0);
    let after = places(&browser.state());
    let moved = before.iter().filter_map(|(entity, old)| {
        let new = after.iter().find(|it| it.0 == *entity)?;
        Some(distance(*old, new.1))
    });
    let moved: f64 = moved.sum();
    println!("others moved {moved:.0} px in two seconds");
    assert!(moved > 100.0, "nothing moves");

    browser.value("document.querySelector('[data-control=view][data-value=compare]').click()");
    browser.wait_until("Compare", "document.documentElement.dataset.view == 'compare'");
    sleep(1.0);
    println!("{}", browser.picture("firefox-compare").display());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn firefox_plays_by_the_keyboard_and_runs_the_explainer_without_a_complaint() {
    let test = "firefox_plays_by_the_keyboard_and_runs_the_explainer_without_a_complaint";
    let arena = Arena::play(&["--bots", "0"]);
    let Some(mut browser) = Firefox::open(test, &arena.url()) else { return };
    browser.wait_until("the introduction", "document.querySelector('#intro').checkVisibility()");
    browser.value("document.querySelector('#play').click()");
    browser.wait_until("a body", "JSON.parse(reckoning.state()).me != null");
    let own = |browser: &mut Firefox| place(&browser.state()["me"]);
    let start = own(&mut browser);
    // Which way is free depends on where it was born.
    let walked = ["d", "a"].map(|key| {
        browser.hold(key, 600);
        distance(start, own(&mut browser))
    });
    println!("walked {walked:.0?} px, {}", browser.picture("firefox-plays").display());
    assert!(walked[0].max(walked[1]) > 60.0, "{walked:?}");

    browser.goto(&format!("{}explain", arena.url()));
    let sent = "JSON.parse(reckoning.state()).steps.guess.sent";
    browser.wait_until("updates of the ball", &format!("{sent} > 2"));
    println!("{}", browser.picture("firefox-explain").display());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
