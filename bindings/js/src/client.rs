//! The client, by WebTransport or a WebSocket.

use js_sys::{Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use reckoning::ground::Pose;
use reckoning::{Kinematics, SimTime};
use reckoning_client::{Delivery, EntityId, SessionEvent, Status, Trust};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsError, JsValue};

use crate::motion::{POSE, kinematics, moment, motion_of, numbers};
use crate::options::Options;
use crate::refused;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Settings of a client. */
export interface ClientOptions {
  /** The SHA-256 of the server's certificate, 32 bytes: only that server is trusted. Default: as the browser does. */
  certificateSha256?: Uint8Array;
  /** The token to join with. Default: a random one. */
  token?: Uint8Array;
}

/** What happened. After "lost" the client comes back by itself and all ghosts and grants are void. */
export type ClientEvent =
  | { type: "joined"; peer: number; bytes: Uint8Array }
  | { type: "lost" }
  | { type: "granted" | "revoked" | "exited"; entity: number }
  | { type: "entered"; entity: number; kind: number; bytes: Uint8Array }
  | { type: "corrected"; entity: number; atUs: number; motion: Float64Array }
  | { type: "message" | "command"; bytes: Uint8Array }
  | { type: "disconnected"; reason: string }
  | { type: "other" };
"#;

#[wasm_bindgen]
extern "C" {
    /// Settings of a client.
    #[wasm_bindgen(typescript_type = "ClientOptions")]
    pub type ClientOptions;
    /// What happened.
    #[wasm_bindgen(typescript_type = "ClientEvent")]
    pub type ClientEvent;
}

/// A player's side of a game: joins a server, publishes what is yours, shows the rest.
#[wasm_bindgen]
pub struct Client {
    inner: reckoning_client::Client,
    poses: Vec<(EntityId, Pose)>,
    numbers: Vec<f64>,
}

#[wasm_bindgen]
impl Client {
    /// Begins to connect to a server, as host:port; an event tells when it is in.
    #[wasm_bindgen(constructor)]
    pub fn new(server: &str, options: Option<ClientOptions>) -> Result<Client, JsError> {
        let options = options.map_or(JsValue::UNDEFINED, JsValue::from);
        let options = Options::new(options, "a client", &["certificateSha256", "token"])?;
        let mut config = reckoning_client::ClientConfig::new(server);
        if let Some(hash) = options.value("certificateSha256") {
            let hash = Uint8Array::new(&hash).to_vec();
            let got = hash.len();
            let pinned = hash
                .try_into()
                .map_err(|_| JsError::new(&format!("certificateSha256 has {got} bytes, not 32")))?;
            config.trust = Trust::Pinned(pinned);
        }
        if let Some(token) = options.value("token") {
            config.session.token = Uint8Array::new(&token).to_vec();
        }
        let inner = reckoning_client::Client::connect(config).map_err(refused)?;
        Ok(Self { inner, poses: Vec::new(), numbers: Vec::new() })
    }

    /// Takes in what came and sends what is due; call it once a frame. Gives the moment it looked at, in
    /// microseconds of the client's own timeline: what moments mean in its calls.
    pub fn drive(&mut self) -> f64 {
        self.inner.drive().as_micros() as f64
    }

    /// The state of the connection: connecting, joined, reconnecting or over.
    #[wasm_bindgen(getter)]
    pub fn status(&self) -> String {
        match self.inner.status() {
            Status::Connecting => "connecting",
            Status::Joined => "joined",
            Status::Reconnecting { .. } => "reconnecting",
            _ => "over",
        }
        .to_owned()
    }

    /// What carries the datagrams, webtransport or websocket; unknown until it stands.
    #[wasm_bindgen(getter)]
    pub fn transport(&self) -> Option<String> {
        self.inner.transport().map(str::to_owned)
    }

    /// The next event, until there is none.
    #[wasm_bindgen(js_name = pollEvent)]
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.inner.poll_event().map(|it| object_of(&it))
    }

    /// Says where an entity of ours is; updates are sent when others need them. False while it is not ours,
    /// or the server's clock is not known yet.
    pub fn observe(
        &mut self,
        entity: u32,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        motion: &[f64],
    ) -> Result<bool, JsError> {
        Ok(self.inner.observe(EntityId(entity), &kinematics(at_us, motion)?))
    }

    /// Says that an entity of ours is elsewhere at once.
    pub fn teleport(
        &mut self,
        entity: u32,
        #[wasm_bindgen(js_name = atUs)] at_us: f64,
        motion: &[f64],
    ) -> Result<bool, JsError> {
        Ok(self.inner.teleport(EntityId(entity), &kinematics(at_us, motion)?))
    }

    /// Aims a joint of an entity of ours, each frame.
    pub fn aim(
        &mut self,
        entity: u32,
        joint: usize,
        #[wasm_bindgen(js_name = angleRad)] angle_rad: f64,
        #[wasm_bindgen(js_name = rateRadps)] rate_radps: f64,
    ) -> bool {
        self.inner.aim(EntityId(entity), joint, angle_rad, rate_radps)
    }

    /// The angle at which to draw a joint of an entity of others.
    #[wasm_bindgen(js_name = jointAngle)]
    pub fn joint_angle(
        &mut self,
        entity: u32,
        joint: usize,
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
    ) -> Result<Option<f64>, JsError> {
        Ok(self.inner.joint_at(EntityId(entity), joint, moment(now_us)?))
    }

    /// Where and how to draw all entities of others: their numbers and seven numbers each into arrays of
    /// yours. Gives how many there are; nothing is written if there are more than fit.
    #[wasm_bindgen(js_name = posesInto)]
    pub fn poses_into(
        &mut self,
        #[wasm_bindgen(js_name = nowUs)] now_us: f64,
        entities: &Uint32Array,
        out: &Float64Array,
    ) -> Result<usize, JsError> {
        self.inner.poses_into(moment(now_us)?, &mut self.poses);
        let there = self.poses.len();
        if (entities.length() as usize) < there || (out.length() as usize) < there * POSE {
            return Ok(there);
        }
        let names: Vec<u32> = self.poses.iter().map(|(entity, _)| entity.0).collect();
        self.numbers.clear();
        self.numbers.extend(self.poses.iter().flat_map(|(_, pose)| numbers(pose)));
        entities.subarray(0, there as u32).copy_from(&names);
        out.subarray(0, (there * POSE) as u32).copy_from(&self.numbers);
        Ok(there)
    }

    /// Sends a message of the game to the server: once and in order, or repeated, by the next few datagrams.
    pub fn send(&mut self, bytes: &[u8], repeated: Option<bool>) -> Result<(), JsError> {
        let delivery = if repeated == Some(true) { Delivery::Repeated } else { Delivery::Reliable };
        self.inner.send(bytes, delivery).map_err(refused)
    }

    /// Leaves the game; call it when the page is closed.
    pub fn leave(&mut self) {
        self.inner.leave();
    }
}

fn object_of(event: &SessionEvent) -> ClientEvent {
    let number = |it: u32| JsValue::from_f64(f64::from(it));
    let bytes = |it: &[u8]| JsValue::from(Uint8Array::from(it));
    let (name, fields): (&str, Vec<(&str, JsValue)>) = match event {
        SessionEvent::Joined { peer, welcome } => {
            ("joined", vec![("peer", number(peer.0)), ("bytes", bytes(welcome))])
        }
        SessionEvent::Lost => ("lost", vec![]),
        SessionEvent::Granted(it) => ("granted", vec![("entity", number(it.0))]),
        SessionEvent::Revoked(it) => ("revoked", vec![("entity", number(it.0))]),
        SessionEvent::Exited { entity, .. } => ("exited", vec![("entity", number(entity.0))]),
        SessionEvent::Entered { entity, kind, tag, .. } => {
            let kind = number(u32::from(kind.number()));
            ("entered", vec![("entity", number(entity.0)), ("kind", kind), ("bytes", bytes(tag))])
        }
        SessionEvent::Corrected { entity, state } => ("corrected", corrected(*entity, state)),
        SessionEvent::Message(it) => ("message", vec![("bytes", bytes(it))]),
        SessionEvent::Command(it) => ("command", vec![("bytes", bytes(it))]),
        SessionEvent::Disconnected(why) => {
            ("disconnected", vec![("reason", format!("{why:?}").into())])
        }
        SessionEvent::Kicked { words, .. } => ("disconnected", vec![("reason", words.into())]),
        _ => ("other", vec![]),
    };
    let object = Object::new();
    for (key, value) in fields.into_iter().chain([("type", name.into())]) {
        // A plain object takes any field.
        let _ = Reflect::set(&object, &key.into(), &value);
    }
    object.unchecked_into()
}

fn corrected(entity: EntityId, state: &Kinematics) -> Vec<(&'static str, JsValue)> {
    let at: SimTime = state.at;
    vec![
        ("entity", JsValue::from_f64(f64::from(entity.0))),
        ("atUs", JsValue::from_f64(at.as_micros() as f64)),
        ("motion", Float64Array::from(motion_of(state).as_slice()).into()),
    ]
}
