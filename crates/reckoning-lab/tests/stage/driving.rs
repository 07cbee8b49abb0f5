//! A vehicle that players enter and leave, over bad links.

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::host::BUGGY;
use reckoning_arena::protocol::{ClientMessage, Properties, Refusal, ServerMessage};
use reckoning_arena::{BodyKind, Input, Level, Player, PlayerId, Team};
use reckoning_net::{EntityId, Owner};

use super::play::{StageClient, StagePlay, link};
use super::room;

const SPEED_PX_S: f64 = 260.0;

/// The first buggy is near the spawn of the first team, the second one near the first.
fn yard() -> Level {
    room(
        1,
        "buggy = { at = [[120, 180], [100, 190]], speed_px_s = 260, acceleration_px_s2 = 400, \
         braking_px_s2 = 500, turn_deg_s = 200 }",
    )
}

/// Two players over a bad link, and the buggies.
fn started() -> (StagePlay, [EntityId; 2]) {
    let mut play = StagePlay::new(yard(), 0);
    for number in [1, 2] {
        play.come(number, &[number as u8], link(80, 20, 0.05, u64::from(number) * 10));
    }
    play.until_all_live();
    (0..120).for_each(|_| play.frame());
    let kind = play.host.config().kinds.named(BUGGY);
    let all = play.host.entities().map(|it| it.0);
    let buggies: Vec<EntityId> = all.filter(|id| play.host.kind(*id) == kind).collect();
    (play, buggies.try_into().unwrap())
}

fn owner_of(play: &StagePlay, entity: EntityId) -> Owner {
    play.host.entities().find(|it| it.0 == entity).unwrap().1
}

/// Drives what was granted, round and round in the open.
#[derive(Default)]
struct Driver {
    body: Option<Player>,
    put_at: Option<SimTime>,
    steps: f64,
}

impl Driver {
    /// One step; returns the truth of what it drives.
    fn drive(
        &mut self,
        client: &mut StageClient,
        level: &Level,
        now: SimTime,
    ) -> Option<Kinematics> {
        let Some((entity, state)) = client.vehicle else {
            *self = Self::default();
            return None;
        };
        if self.put_at.replace(state.at) != Some(state.at) {
            let facing = state.orientation * DVec3::X;
            let mut body = Player::standing(PlayerId(0), Team(0), state.position, facing);
            body.velocity = state.velocity;
            self.body = Some(body);
        }
        self.steps += 1.0;
        let (sin, cos) = reckoning::math::sincos(-self.steps / 30.0);
        let input = Input { go: DVec3::new(cos, sin, 0.0) * 0.6, ..Input::default() };
        let body = self.body.as_mut()?;
        body.advance_as(&input, &level.buggy()?, level);
        let truth = body.kinematics(now, BodyKind::Tank);
        client.session.observe(entity, &truth);
        Some(truth)
    }
}

/// The longest way that a picture went from one frame to the next, in the second after a change of
/// owner. At other times a burst of losses makes any ghost hurry.
#[derive(Default)]
struct Steps {
    last: Option<DVec3>,
    longest_px: f64,
    way_px: f64,
}

impl Steps {
    fn see(&mut self, place: Option<DVec3>, is_judged: bool) {
        let Some(place) = place else { return };
        if let Some(last) = self.last.replace(place) {
            let step_px = place.distance(last);
            self.way_px += step_px;
            if is_judged {
                self.longest_px = self.longest_px.max(step_px);
            }
        }
    }
}

#[test]
fn a_buggy_is_entered_and_left_without_a_jump_on_any_screen() {
    let (mut play, [buggy, _]) = started();
    let level = yard();
    let (mut driver, mut screens) = (Driver::default(), [Steps::default(), Steps::default()]);
    play.clients[0].say(&ClientMessage::Enter { vehicle: buggy.0 });
    let (mut owner, mut changed_at) = (owner_of(&play, buggy), Vec::new());
    for frame in 0..720 {
        if std::mem::replace(&mut owner, owner_of(&play, buggy)) != owner {
            changed_at.push(frame);
        }
        let is_judged = changed_at.last().is_some_and(|at| frame - at < 60);
        if frame == 420 {
            play.clients[0].say(&ClientMessage::Leave);
        }
        let now = play.now;
        let truth = driver.drive(&mut play.clients[0], &level, now);
        let [own, other] = [0, 1].map(|place| &play.clients[place].session);
        let shown = match truth {
            Some(truth) => own.shown_owned(buggy, &truth),
            None => own.shown(buggy, now),
        };
        screens[0].see(shown.map(|it| it.position), is_judged);
        screens[1].see(other.shown(buggy, now).map(|it| it.position), is_judged);
        if frame == 300 {
            assert!(truth.is_some(), "it was not granted");
            let properties = Properties::declared(other.kinds()).unwrap();
            let body = EntityId(play.clients[0].mirror.entity().unwrap());
            assert_eq!(properties.state(other, body).rides, Some(buggy.0), "all see who drives");
            let id = play.stage.player_of(play.clients[0].peer).unwrap();
            let rider = play.stage.world().player(id).unwrap().position;
            assert!(rider.distance(truth.unwrap().position) < 60.0, "it is where its buggy is");
        }
        play.frame();
    }
    let [own, other] = &screens;
    println!(
        "longest step: driver {:.1} px, other {:.1} px; ways {:.0} and {:.0} px",
        own.longest_px, other.longest_px, own.way_px, other.way_px
    );
    assert_eq!(changed_at.len(), 2, "it was entered and left");
    assert!(other.way_px > 500.0 && own.way_px > 500.0, "nobody drove");
    let step_px = SPEED_PX_S / 60.0;
    assert!(own.longest_px < 1.6 * step_px, "{} px on its own screen", own.longest_px);
    assert!(other.longest_px < 1.6 * step_px, "{} px on another screen", other.longest_px);
    assert_eq!(owner_of(&play, buggy), Owner::Host);
    assert_eq!(play.stage.stats().corrected, 0, "an honest driver was put right");
    let body = play.clients[0].mirror.body().unwrap();
    let stands = play.host.entities().find(|it| it.0 == buggy).unwrap().2.position_at(play.now);
    assert!(body.position.distance(stands) < 100.0, "it got out beside it");
}

#[test]
fn nobody_drives_two_or_gets_in_from_afar() {
    let (mut play, [first, second]) = started();
    let peers = [play.clients[0].peer, play.clients[1].peer];
    // Its spawn is too far away.
    play.clients[1].say(&ClientMessage::Enter { vehicle: first.0 });
    (0..60).for_each(|_| play.frame());
    assert_eq!(owner_of(&play, first), Owner::Host);
    let refused = |tell: &ServerMessage| *tell == ServerMessage::Refused(Refusal::OutOfReach);
    assert_eq!(play.clients[1].count(refused), 1);
    for vehicle in [first, second, first] {
        play.clients[0].say(&ClientMessage::Enter { vehicle: vehicle.0 });
        (0..60).for_each(|_| play.frame());
    }
    assert_eq!(owner_of(&play, first), Owner::Peer(peers[0]));
    assert_eq!(owner_of(&play, second), Owner::Host, "one at a time");
    // It is somebody else's now.
    play.clients[1].say(&ClientMessage::Enter { vehicle: first.0 });
    (0..60).for_each(|_| play.frame());
    assert_eq!(owner_of(&play, first), Owner::Peer(peers[0]));
}

#[test]
fn a_driver_that_leaps_gets_no_further_than_a_buggy_goes_and_one_that_is_gone_leaves_it() {
    let (mut play, [buggy, _]) = started();
    play.clients[0].say(&ClientMessage::Enter { vehicle: buggy.0 });
    (0..60).for_each(|_| play.frame());
    let known = |play: &StagePlay| {
        play.host.entities().find(|it| it.0 == buggy).unwrap().2.position_at(play.now)
    };
    let before = known(&play);
    for _ in 0..60 {
        let far = Kinematics::at_rest(play.now, DVec3::new(390.0, 20.0, 0.0));
        play.clients[0].session.observe(buggy, &far);
        play.frame();
    }
    let gone_px = known(&play).distance(before);
    assert!(gone_px < 1.1 * SPEED_PX_S, "{gone_px} px in a second");
    assert!(play.host.stats().traffic.rejected > 0);
    play.clients[0].session.leave();
    (0..120).for_each(|_| play.frame());
    let kind = play.host.config().kinds.named(BUGGY);
    let owners = play.host.entities().filter(|it| play.host.kind(it.0) == kind).map(|it| it.1);
    assert_eq!(owners.collect::<Vec<_>>(), [Owner::Host; 2], "both stay when their drivers go");
}
