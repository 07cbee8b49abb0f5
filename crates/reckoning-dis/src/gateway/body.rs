//! Bodies of the server, as a gateway puts them into the exercise.

use core::time::Duration;

use reckoning::dis::{DisAlgorithm, DisFields, DisModel, euler_from_quat};
use reckoning::{
    AngleThreshold, DVec3, Kinematics, Model, Publisher, PublisherConfig, SimTime, Update,
};

use super::config::{GatewayConfig, GatewayError};
use super::entity::JointAngle;
use super::mark::Mark;
use crate::mapping::Entry;
use crate::wire::{DeadReckoning, EntityId, EntityState, Marking, PartRecord};

/// A body of the server, as the gateway is told of it each time.
#[derive(Clone, Debug)]
pub struct BodyState<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Where it is now, in the local frame.
    pub truth: Kinematics,
    /// By which model its owner publishes it.
    pub model: Model,
    /// Its team.
    pub team: Option<u8>,
    /// What is written on it.
    pub marking: &'a str,
    /// Bits of its appearance.
    pub appearance: u32,
    /// Its joints.
    pub joints: &'a [JointAngle],
}

/// Angles that differ by more than this are sent.
const JOINT_THRESHOLD_RAD: f64 = 3.0 * core::f64::consts::PI / 180.0;
/// Joints alone are sent no more often than this.
const JOINTS_EVERY: Duration = Duration::from_millis(200);

/// A body of the server in the exercise.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) id: EntityId,
    publisher: Publisher,
    /// What was sent last.
    pub(super) state: EntityState,
    joints: Vec<JointAngle>,
    pub(super) sent_at: SimTime,
    /// When the last change of motion is said again.
    repeat_at: Option<SimTime>,
}

impl Published {
    pub(super) fn start(
        id: EntityId,
        mark: Option<Mark>,
        body: &BodyState<'_>,
        entry: &Entry,
        config: &GatewayConfig,
    ) -> Result<Self, GatewayError> {
        let model = Model::Dis(DisModel::new(algorithm(body)));
        let publishing = publishing(config, model, id).map_err(GatewayError::Publishing)?;
        let (publisher, first) =
            Publisher::start(publishing, &body.truth).map_err(GatewayError::Publishing)?;
        let mut state = EntityState { id, kind: entry.sent_type(), ..EntityState::default() };
        state.alternative_kind = state.kind;
        state.reckoning.parameters = mark.map_or([0; 15], Mark::encode);
        let (joints, sent_at) = (body.joints.to_vec(), body.truth.at);
        let repeat_at = config.repeat_after.map(|after| sent_at + after);
        let mut published = Self { id, publisher, state, joints, sent_at, repeat_at };
        published.say(&first, body, entry, config);
        Ok(published)
    }

    /// Takes the body as it is now; whether something is to be sent.
    pub(super) fn observe(
        &mut self,
        body: &BodyState<'_>,
        entry: &Entry,
        config: &GatewayConfig,
    ) -> bool {
        let mut model = Model::Dis(DisModel::new(algorithm(body)));
        let before = self.publisher.last_update().at();
        let update = self.publisher.observe_planned(&body.truth, &mut model, &());
        let said = (self.state.force, self.state.marking, self.state.appearance);
        let wanted = (config.mapping.force(body.team), Marking::new(body.marking), body.appearance);
        let waited = body.truth.at.saturating_since(self.sent_at);
        if let Some(update) = update {
            // A heartbeat says nothing new.
            let is_news = update.at().saturating_since(before) < config.heartbeat.mul_f64(0.9);
            self.repeat_at = config.repeat_after.filter(|_| is_news).map(|it| update.at() + it);
            self.say(&update, body, entry, config);
        } else if self.repeat_at.is_some_and(|due| body.truth.at >= due)
            || said != wanted
            || (waited >= JOINTS_EVERY && self.joints_moved(body))
        {
            // The motion need not be told: it is told as it is believed to be.
            self.repeat_at = self.repeat_at.filter(|due| body.truth.at < *due);
            let believed = *self.publisher.last_update();
            self.say_from(&believed, body, entry, config);
        } else {
            return false;
        }
        true
    }

    fn joints_moved(&self, body: &BodyState<'_>) -> bool {
        let secs = body.truth.at.secs_since(self.sent_at);
        body.joints.iter().any(|joint| {
            self.joints.iter().find(|it| it.name == joint.name).is_none_or(|told| {
                let guess = told.angle_rad + told.rate_radps * secs;
                let off = reckoning::orientation::shortest_turn_rad(guess, joint.angle_rad);
                off.abs() > JOINT_THRESHOLD_RAD
            })
        })
    }

    /// What the exercise believes, told as of now.
    fn say_from(
        &mut self,
        update: &Update,
        body: &BodyState<'_>,
        entry: &Entry,
        config: &GatewayConfig,
    ) {
        let Model::Dis(model) = *update.model() else { return };
        let seen = super::entity::reckoned(update.kinematics(), model, body.truth.at);
        self.put_motion(&seen, model, config);
        self.put_rest(body, entry, config);
    }

    fn say(
        &mut self,
        update: &Update,
        body: &BodyState<'_>,
        entry: &Entry,
        config: &GatewayConfig,
    ) {
        let Model::Dis(model) = *update.model() else { return };
        self.put_motion(update.kinematics(), model, config);
        self.put_rest(body, entry, config);
    }

    fn put_motion(&mut self, seen: &Kinematics, model: DisModel, config: &GatewayConfig) {
        let fields = DisFields::from_kinematics(&config.frame.to_geocentric(seen), model);
        let (psi, theta, phi) = euler_from_quat(fields.orientation);
        let state = &mut self.state;
        state.location = fields.position;
        state.velocity = narrow(fields.velocity);
        state.orientation = [psi as f32, theta as f32, phi as f32];
        state.reckoning = DeadReckoning {
            algorithm: model.algorithm.number(),
            parameters: state.reckoning.parameters,
            acceleration: narrow(fields.acceleration),
            angular_velocity: narrow(fields.angular_velocity),
        };
    }

    fn put_rest(&mut self, body: &BodyState<'_>, entry: &Entry, config: &GatewayConfig) {
        self.state.force = config.mapping.force(body.team);
        self.state.marking = Marking::new(body.marking);
        self.state.appearance = body.appearance;
        self.joints = body.joints.to_vec();
        self.state.parts.clear();
        for wanted in &entry.joint {
            let Some(joint) = self.joints.iter().find(|it| it.name == wanted.name) else {
                continue;
            };
            let values =
                [(wanted.parameter, joint.angle_rad), (wanted.rate_parameter(), joint.rate_radps)];
            for (parameter, value) in values {
                self.state.parts.push(PartRecord::Articulated {
                    change: 0,
                    attached_to: wanted.attached_to,
                    parameter,
                    value: (value * wanted.sign()) as f32,
                });
            }
        }
        self.sent_at = body.truth.at;
    }
}

fn narrow(vector: DVec3) -> [f32; 3] {
    vector.to_array().map(|it| it as f32)
}

/// The standard's model that is nearest to the one by which the owner publishes.
fn algorithm(body: &BodyState<'_>) -> DisAlgorithm {
    let spins = body.truth.angular_velocity != DVec3::ZERO;
    match body.model {
        Model::Dis(model) => model.algorithm,
        Model::Hold => DisAlgorithm::Static,
        Model::Linear | Model::Damped { .. } | Model::Decaying { .. } if spins => DisAlgorithm::Rpw,
        Model::Linear | Model::Damped { .. } | Model::Decaying { .. } => DisAlgorithm::Fpw,
        _ if spins => DisAlgorithm::Rvw,
        _ => DisAlgorithm::Fvw,
    }
}

fn publishing(
    config: &GatewayConfig,
    model: Model,
    id: EntityId,
) -> Result<PublisherConfig, reckoning::ConfigError> {
    let mut publishing = PublisherConfig::dis(model);
    publishing.threshold = config.threshold;
    publishing.angle_threshold = Some(AngleThreshold::degrees(config.angle_deg)?);
    publishing.heartbeat = config.heartbeat;
    // Stops are told at once: what overshoots in the exercise is off for up to a heartbeat.
    publishing.export_stops = true;
    publishing.seed = u64::from(id.entity);
    Ok(publishing)
}
