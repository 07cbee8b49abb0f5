//! Reckoning for Bevy: dead reckoning as components.
//!
//! The owner of a body gives it [`Published`]: its truth is taken after each fixed step, from [`Motion`] or,
//! without that, measured from its `Transform`, and an [`UpdateToSend`] is written when others must hear of
//! it. Your transport carries its [`Update`] (`update.to_bytes()`); where it arrives write an
//! [`UpdateReceived`] for the entity that stands for the body. That entity becomes a [`Ghost`], and its
//! `Transform` is set each frame, between physics and your own systems.
//!
//! ```text
//! owner     FixedUpdate: you move it  -> FixedLast: Publish -> UpdateToSend      -> your transport
//! onlooker  UpdateReceived -> PreUpdate: Receive -> RunFixedMainLoop, after it: Show -> Transform
//! ```
//!
//! - A newborn ghost never stands at the origin: its `Transform` is set when the component is.
//! - A `Transform` is written only when it changes, so that change detection stays of use.
//! - Both ends speak of one timeline; [`ReckoningClock::offset_us`] leads from this app's to it.

use bevy_app::prelude::*;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_math::{DQuat, DVec3, Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_time::prelude::*;
use bevy_transform::prelude::*;
use reckoning::ground::Pose;
use reckoning::{
    ConfigError, GhostConfig, Kinematics, Publisher, PublisherConfig, Sampler, SamplerConfig,
    SimTime,
};

pub use reckoning;
pub use reckoning::Update;

/// Which way is up in the app. The engine's own is z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
pub enum UpAxis {
    /// As Bevy's cameras and lights have it.
    #[default]
    Y,
    /// As the engine has it.
    Z,
}

impl UpAxis {
    fn to_engine(self, v: DVec3) -> DVec3 {
        match self {
            Self::Y => DVec3::new(v.x, -v.z, v.y),
            Self::Z => v,
        }
    }

    fn to_app(self, v: DVec3) -> DVec3 {
        match self {
            Self::Y => DVec3::new(v.x, v.z, -v.y),
            Self::Z => v,
        }
    }

    fn rotation_to_engine(self, q: DQuat) -> DQuat {
        let axis = self.to_engine(DVec3::new(q.x, q.y, q.z));
        DQuat::from_xyzw(axis.x, axis.y, axis.z, q.w)
    }

    fn rotation_to_app(self, q: DQuat) -> DQuat {
        let axis = self.to_app(DVec3::new(q.x, q.y, q.z));
        DQuat::from_xyzw(axis.x, axis.y, axis.z, q.w)
    }
}

/// Publishes and shows bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReckoningPlugin {
    /// Which way is up. Default: y.
    pub up: UpAxis,
}

/// When the plugin does what: order your own systems by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, SystemSet)]
pub enum ReckoningSystems {
    /// Takes in [`UpdateReceived`], in `PreUpdate`.
    Receive,
    /// Takes truths and writes [`UpdateToSend`], in `FixedLast`.
    Publish,
    /// Sets the `Transform` of ghosts, in `RunFixedMainLoop` after the fixed steps.
    Show,
}

impl Plugin for ReckoningPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ReckoningClock { up: self.up, ..ReckoningClock::default() })
            .register_type::<Motion>()
            .register_type::<Teleported>()
            .register_type::<ReckoningClock>()
            .add_message::<UpdateToSend>()
            .add_message::<UpdateReceived>()
            .add_systems(PreUpdate, (tell_time, receive).chain().in_set(ReckoningSystems::Receive))
            .add_systems(FixedLast, publish.in_set(ReckoningSystems::Publish))
            .add_systems(
                RunFixedMainLoop,
                show.in_set(ReckoningSystems::Show)
                    .in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
            );
    }
}

/// The timeline that owners and onlookers share.
#[derive(Clone, Copy, Debug, Default, Reflect, Resource)]
#[reflect(Resource)]
pub struct ReckoningClock {
    /// Added to this app's virtual time, in microseconds: the estimate of your network. Default: 0.
    pub offset_us: i64,
    now_us: i64,
    up: UpAxis,
}

impl ReckoningClock {
    /// The moment that this frame shows.
    #[must_use]
    pub const fn now(&self) -> SimTime {
        SimTime::from_micros(self.now_us)
    }

    fn at(&self, elapsed: core::time::Duration) -> SimTime {
        let own_us = i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX);
        SimTime::from_micros(own_us.saturating_add(self.offset_us))
    }
}

fn tell_time(mut clock: ResMut<ReckoningClock>, time: Res<Time<Virtual>>) {
    clock.now_us = clock.at(time.elapsed()).as_micros();
}

/// How a body is published and shown, for each entity by itself. Give it to owners and ghosts alike; what
/// has none goes by the defaults.
#[derive(Clone, Debug, Default, Component)]
pub struct Kind {
    /// How its owner publishes it.
    pub publisher: PublisherConfig,
    /// How it is shown.
    pub ghost: GhostConfig,
}

/// How a body moves, in double precision and in the app's axes. Without it, its motion is measured from its
/// `Transform`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component, Reflect)]
#[reflect(Component)]
pub struct Motion {
    /// Where it is; `None` for where its `Transform` is.
    pub position: Option<DVec3>,
    /// How fast it moves, per second.
    pub velocity: DVec3,
    /// How that changes, per second.
    pub acceleration: DVec3,
    /// How fast it turns, in radians per second about the world's axes.
    pub angular_velocity: DVec3,
}

/// Marks a body that is somewhere else at once, without having moved there; taken away when others were told.
#[derive(Clone, Copy, Debug, Default, Component, Reflect)]
#[reflect(Component)]
pub struct Teleported;

/// A body of ours, of which others hear.
#[derive(Debug, Default, Component)]
#[require(Transform)]
pub struct Published {
    publisher: Option<Publisher>,
    sampler: Option<Sampler>,
    refused: Option<ConfigError>,
}

impl Published {
    /// Why its kind, or its first truth, was refused; nothing is sent of it then.
    #[must_use]
    pub const fn refused(&self) -> Option<ConfigError> {
        self.refused
    }
}

/// An update that others need: send it.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
pub struct UpdateToSend {
    /// The body.
    pub entity: Entity,
    /// What to send of it.
    pub update: Update,
}

/// An update that arrived: write it, and the entity becomes a ghost or goes on being one.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
pub struct UpdateReceived {
    /// The entity that stands for the body here.
    pub entity: Entity,
    /// What arrived.
    pub update: Update,
}

/// A body that lives elsewhere, as it is shown here.
#[derive(Clone, Copy, Debug, Component)]
#[component(on_insert = place_newborn)]
#[require(Transform)]
pub struct Ghost {
    inner: reckoning::Ghost,
}

impl Ghost {
    /// A ghost born from the first update, which arrives now.
    ///
    /// # Errors
    /// When a setting of the kind is out of range.
    pub fn new(kind: &Kind, first: Update, now: SimTime) -> Result<Self, ConfigError> {
        let inner = reckoning::Ghost::with_config(kind.ghost, first, now)?;
        Ok(Self { inner })
    }

    /// The engine's ghost, in double precision and with z up.
    #[must_use]
    pub const fn engine(&self) -> &reckoning::Ghost {
        &self.inner
    }
}

fn place_newborn(mut world: DeferredWorld, context: HookContext) {
    let Some(clock) = world.get_resource::<ReckoningClock>().copied() else { return };
    let Some(ghost) = world.get::<Ghost>(context.entity).copied() else { return };
    if let Some(mut transform) = world.get_mut::<Transform>(context.entity) {
        let pose = ghost.inner.pose_at(clock.now());
        *transform = with_pose(&transform, &pose, clock.up);
    }
}

fn with_pose(old: &Transform, pose: &Pose, up: UpAxis) -> Transform {
    let translation: Vec3 = up.to_app(pose.position).as_vec3();
    let rotation: Quat = up.rotation_to_app(pose.orientation).as_quat();
    Transform { translation, rotation, scale: old.scale }
}

type Owned<'a> = (
    Entity,
    &'a mut Published,
    &'a Transform,
    Option<&'a Motion>,
    Option<&'a Kind>,
    Has<Teleported>,
);

fn publish(
    mut commands: Commands,
    mut bodies: Query<Owned>,
    mut updates: MessageWriter<UpdateToSend>,
    time: Res<Time<Fixed>>,
    clock: Res<ReckoningClock>,
) {
    let now = clock.at(time.elapsed());
    for (entity, mut published, transform, motion, kind, teleported) in &mut bodies {
        let published = &mut *published;
        if published.refused.is_some() {
            continue;
        }
        let truth = published.truth(now, transform, motion, clock.up, teleported);
        let update = match &mut published.publisher {
            Some(publisher) if teleported => publisher.teleport(&truth),
            Some(publisher) => publisher.observe(&truth),
            None => published.start(&truth, kind),
        };
        if teleported {
            commands.entity(entity).remove::<Teleported>();
        }
        updates.write_batch(update.map(|update| UpdateToSend { entity, update }));
    }
}

impl Published {
    fn start(&mut self, truth: &Kinematics, kind: Option<&Kind>) -> Option<Update> {
        let config = kind.map(|it| it.publisher.clone()).unwrap_or_default();
        match Publisher::start(config, truth) {
            Ok((publisher, first)) => {
                self.publisher = Some(publisher);
                Some(first)
            }
            Err(error) => {
                self.refused = Some(error);
                None
            }
        }
    }

    fn truth(
        &mut self,
        now: SimTime,
        transform: &Transform,
        motion: Option<&Motion>,
        up: UpAxis,
        teleported: bool,
    ) -> Kinematics {
        let place = motion.and_then(|it| it.position).unwrap_or(transform.translation.as_dvec3());
        let position = up.to_engine(place);
        let orientation = up.rotation_to_engine(transform.rotation.as_dquat()).normalize();
        let Some(motion) = motion else {
            let none = || Sampler::new(SamplerConfig::default()).ok();
            self.sampler = self.sampler.take().filter(|_| !teleported).or_else(none);
            let rest = Kinematics { orientation, ..Kinematics::at_rest(now, position) };
            let sampler = self.sampler.as_mut();
            return sampler.map_or(rest, |it| it.observe(now, position, orientation));
        };
        Kinematics {
            at: now,
            position,
            velocity: up.to_engine(motion.velocity),
            acceleration: up.to_engine(motion.acceleration),
            orientation,
            angular_velocity: up.to_engine(motion.angular_velocity),
        }
    }
}

fn receive(
    mut commands: Commands,
    mut updates: MessageReader<UpdateReceived>,
    mut ghosts: Query<&mut Ghost>,
    kinds: Query<&Kind>,
    clock: Res<ReckoningClock>,
) {
    let mut born: Vec<(Entity, Ghost)> = Vec::new();
    for UpdateReceived { entity, update } in updates.read().copied() {
        if let Ok(mut ghost) = ghosts.get_mut(entity) {
            ghost.inner.accept(update, clock.now());
        } else if let Some((_, ghost)) = born.iter_mut().find(|(it, _)| *it == entity) {
            ghost.inner.accept(update, clock.now());
        } else {
            let kind = kinds.get(entity).cloned().unwrap_or_default();
            // A kind that cannot be shown leaves the entity as it is; its owner is told by `refused`.
            born.extend(Ghost::new(&kind, update, clock.now()).ok().map(|it| (entity, it)));
        }
    }
    for (entity, ghost) in born {
        if let Ok(mut entity) = commands.get_entity(entity) {
            entity.try_insert(ghost);
        }
    }
}

fn show(mut ghosts: Query<(&Ghost, &mut Transform)>, clock: Res<ReckoningClock>) {
    for (ghost, mut transform) in &mut ghosts {
        let shown = with_pose(&transform, &ghost.inner.pose_at(clock.now()), clock.up);
        transform.set_if_neq(shown);
    }
}
