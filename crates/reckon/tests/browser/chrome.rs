//! A real Chromium without a window, driven over its debugging protocol.
//!
//! Only what the tests need: open a page, run a script in it, press keys, take pictures, and
//! collect whatever the page complained about.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// How long a browser may take for one answer. Builds may run beside the test.
const PATIENCE: Duration = Duration::from_mins(1);
/// Between two looks at something that is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Where Chromium is.
fn program() -> PathBuf {
    std::env::var_os("RECKONING_BROWSER").expect("RECKONING_BROWSER names a browser").into()
}

/// A key of a keyboard.
#[derive(Clone, Copy)]
pub struct Key {
    code: &'static str,
    name: &'static str,
    number: u32,
    text: &'static str,
}

impl Key {
    pub const TAB: Self = Self::new("Tab", "Tab", 9, "");
    pub const ENTER: Self = Self::new("Enter", "Enter", 13, "\r");
    pub const ESCAPE: Self = Self::new("Escape", "Escape", 27, "");
    pub const SPACE: Self = Self::new("Space", " ", 32, " ");
    pub const LEFT: Self = Self::new("ArrowLeft", "ArrowLeft", 37, "");
    pub const RIGHT: Self = Self::new("ArrowRight", "ArrowRight", 39, "");
    pub const DOWN: Self = Self::new("ArrowDown", "ArrowDown", 40, "");

    const fn new(code: &'static str, name: &'static str, number: u32, text: &'static str) -> Self {
        Self { code, name, number, text }
    }
}

/// One browser with one page.
pub struct Browser {
    child: Child,
    profile: PathBuf,
    socket: WebSocket<TcpStream>,
    session: String,
    next: u64,
    complaints: Vec<String>,
}

impl Browser {
    /// Starts a browser of this window size and opens `url`.
    pub fn open(name: &str, size: (u32, u32), url: &str) -> Self {
        Self::open_after(name, size, url, "")
    }

    /// The same, with a script that runs before those of the page.
    pub fn open_after(name: &str, size: (u32, u32), url: &str, first: &str) -> Self {
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}"));
        let _ = fs::remove_dir_all(&profile);
        let mut child = Command::new(program())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-timer-throttling", "--disable-renderer-backgrounding"])
            .args(["--disable-backgrounding-occluded-windows", "--remote-debugging-port=0"])
            .arg("--disable-dev-shm-usage")
            // WebGL2 by the processor: tests need no graphics card.
            .arg("--enable-unsafe-swiftshader")
            .arg(format!("--window-size={},{}", size.0, size.1))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("RECKONING_BROWSER can be started");
        let address = listening_at(&mut child, "DevTools listening on ");
        let stream = TcpStream::connect(host_of(&address)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(address.as_str(), stream).unwrap();
        let complaints = Vec::new();
        let mut browser =
            Self { child, profile, socket, session: String::new(), next: 0, complaints };
        browser.attach(size);
        if url.starts_with("https:") {
            // What WebDriver calls `acceptInsecureCerts`: as a person who clicks the warning away.
            browser.call("Security.setIgnoreCertificateErrors", &json!({ "ignore": true }));
        }
        browser.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": first }));
        browser.goto(url);
        browser
    }

    fn attach(&mut self, (width, height): (u32, u32)) {
        let made = self.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let how = json!({ "targetId": made["targetId"], "flatten": true });
        let attached = self.call("Target.attachToTarget", &how);
        attached["sessionId"].as_str().unwrap().clone_into(&mut self.session);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            self.call(domain, &json!({}));
        }
        let is_phone = width < 600;
        let screen =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone });
        self.call("Emulation.setDeviceMetricsOverride", &screen);
        self.call("Emulation.setTouchEmulationEnabled", &json!({ "enabled": is_phone }));
    }

    /// Opens another address in the page.
    pub fn goto(&mut self, url: &str) {
        let answer = self.call("Page.navigate", &json!({ "url": url }));
        assert_eq!(answer["errorText"], Value::Null, "{url}");
    }

    /// What a script comes to, as JSON; a promise is waited for.
    pub fn value(&mut self, script: &str) -> Value {
        let how = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &how);
        assert_eq!(answer["exceptionDetails"], Value::Null, "{script}");
        answer["result"]["value"].clone()
    }

    /// Looks until the script comes to true.
    pub fn wait_until(&mut self, what: &str, script: &str) {
        self.wait_within(PATIENCE, what, script);
    }

    /// Looks until the script comes to true, for so long.
    pub fn wait_within(&mut self, patience: Duration, what: &str, script: &str) {
        let begin = Instant::now();
        // A page that is on its way has no window.reckoning yet.
        let guarded =
            format!("(() => {{ try {{ return !!({script}) }} catch {{ return false }} }})()");
        while self.value(&guarded) != Value::Bool(true) {
            if begin.elapsed() > patience {
                let picture = self.picture("gave-up");
                let state = self.value("window.reckoning ? window.reckoning.state() : 'no page'");
                let said = self.complaints().join("\n");
                panic!(
                    "not seen after {patience:?}: {what}; see {}; {state}\n{said}",
                    picture.display()
                );
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Presses (or lets go of) a key by its code, for example `KeyD`.
    pub fn key(&mut self, code: &str, is_down: bool) {
        let kind = if is_down { "keyDown" } else { "keyUp" };
        let key = code.trim_start_matches("Key").to_lowercase();
        self.call("Input.dispatchKeyEvent", &json!({ "type": kind, "code": code, "key": key }));
    }

    /// Presses and lets go of a key as a keyboard does, so that the browser itself acts on it: goes to
    /// the next control, moves a slider, clicks a button.
    pub fn press(&mut self, key: Key) {
        self.press_with(key, 0);
    }

    /// The same with the shift key held.
    pub fn press_shifted(&mut self, key: Key) {
        self.press_with(key, 8);
    }

    fn press_with(&mut self, key: Key, modifiers: u32) {
        let Key { code, name, number, text } = key;
        let mut how = json!({
            "type": "rawKeyDown", "code": code, "key": name, "windowsVirtualKeyCode": number,
            "nativeVirtualKeyCode": number, "modifiers": modifiers,
        });
        self.call("Input.dispatchKeyEvent", &how);
        if !text.is_empty() {
            let typed = json!({ "type": "char", "key": name, "text": text, "code": code });
            self.call("Input.dispatchKeyEvent", &typed);
        }
        how["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", &how);
    }

    /// Sets the size of the window, and how many pixels of the screen make one of the page.
    pub fn resize(&mut self, (width, height): (u32, u32), ratio: f64, is_phone: bool) {
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": ratio, "mobile": is_phone,
        });
        self.call("Emulation.setDeviceMetricsOverride", &screen);
        self.call("Emulation.setTouchEmulationEnabled", &json!({ "enabled": is_phone }));
    }

    /// What the person asked their system for, such as `prefers-reduced-motion`.
    pub fn prefer(&mut self, name: &str, value: &str) {
        let features = json!({ "features": [{ "name": name, "value": value }] });
        self.call("Emulation.setEmulatedMedia", &features);
    }

    /// Holds or lets go of a key that has a name of its own, for example `ArrowLeft`.
    pub fn named_key(&mut self, name: &str, is_down: bool) {
        let kind = if is_down { "keyDown" } else { "keyUp" };
        self.call("Input.dispatchKeyEvent", &json!({ "type": kind, "code": name, "key": name }));
    }

    /// Moves the pointer, with the button down or not.
    pub fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let how = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", &how);
    }

    /// Turns the wheel over a place.
    pub fn wheel(&mut self, (x, y): (f64, f64), delta_y: f64) {
        let how = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta_y });
        self.call("Input.dispatchMouseEvent", &how);
    }

    /// Fingers that are on the screen from now on; `kind` is `touchStart`, `touchMove` or
    /// `touchEnd`, the last with those that stay.
    pub fn touch(&mut self, kind: &str, fingers: &[(f64, f64)]) {
        let points: Vec<Value> = fingers
            .iter()
            .enumerate()
            .map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id }))
            .collect();
        self.call("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points }));
    }

    /// Keeps a picture of the page as a test artefact.
    pub fn picture(&mut self, name: &str) -> PathBuf {
        let answer = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let text = answer["data"].as_str().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
        keep_picture(name, &bytes)
    }

    /// Errors that the page wrote to the console, threw, or met while loading.
    pub fn complaints(&mut self) -> Vec<String> {
        self.call("Runtime.evaluate", &json!({ "expression": "0" })); // takes in what waits
        self.complaints.clone()
    }

    /// Calls a method of the debugging protocol, of the page or of the browser.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let mut call = json!({ "id": self.next, "method": method, "params": params });
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string())).unwrap();
        loop {
            let message = self.read(method);
            if message["id"] == json!(self.next) {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn read(&mut self, method: &str) -> Value {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).unwrap(),
                Ok(_) => {}
                Err(error) => panic!("the browser did not answer {method}: {error}"),
            }
        }
    }

    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        let complaint = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => Some(params["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                Some(params["args"].to_string())
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                Some(params["entry"].to_string())
            }
            _ => None,
        };
        self.complaints.extend(complaint);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// Keeps a picture as a test artefact.
pub fn keep_picture(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.png"));
    fs::write(&path, bytes).unwrap();
    path
}

/// The address it prints, and a thread that reads the rest so that it never blocks.
pub fn listening_at(child: &mut Child, after: &str) -> String {
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix(after).map(str::to_owned));
    std::thread::spawn(move || lines.for_each(drop));
    address.expect("a browser that listens for a debugger")
}

/// Host and port of a WebSocket's address.
pub fn host_of(address: &str) -> &str {
    let rest = address.trim_start_matches("ws://");
    rest.split('/').next().unwrap_or(rest)
}
