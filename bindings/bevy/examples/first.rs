//! A body of ours and, in the same app, the ghost that others would see.
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::DVec3;
use bevy_reckoning::{Ghost, Motion, Published, ReckoningPlugin, UpdateReceived, UpdateToSend};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

#[derive(Resource)]
struct Elsewhere(Entity);

fn drive(mut bodies: Query<&mut Motion>, time: Res<Time<Fixed>>) {
    for mut motion in &mut bodies {
        motion.velocity = DVec3::X * 3.0; // your game: here straight on
        motion.position = Some(DVec3::X * 3.0 * time.elapsed_secs_f64());
    }
}

fn network(
    mut sent: MessageReader<UpdateToSend>,
    mut got: MessageWriter<UpdateReceived>,
    to: Res<Elsewhere>,
) {
    for UpdateToSend { update, .. } in sent.read() {
        got.write(UpdateReceived { entity: to.0, update: *update }); // here your network carries it
    }
}

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, ReckoningPlugin::default()))
        .add_systems(FixedUpdate, drive)
        .add_systems(Last, network);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(10)));
    app.world_mut().spawn((Published::default(), Motion::default()));
    let ghost = app.world_mut().spawn_empty().id();
    app.insert_resource(Elsewhere(ghost));
    (0..101).for_each(|_| app.update());
    let shown =
        app.world().get::<Transform>(ghost).filter(|_| app.world().get::<Ghost>(ghost).is_some());
    println!("after a second it is drawn at {:.1}", shown.map_or(f32::NAN, |it| it.translation.x));
}
