//! `reckon dis listen`: who is in an exercise.

use std::fmt::Write;
use std::io::{IsTerminal, stdout};
use std::thread;
use std::time::Duration;

use reckoning::SimTime;
use reckoning_dis::gateway::GatewayEvent;
use reckoning_dis::place::Geodetic;
use reckoning_server::Clock;
use serde_json::{Value, json};

use super::exercise::Exercise;
use crate::args::{DisFormat, DisListen};
use crate::failure::Failure;
use crate::say;

const FRAME: Duration = Duration::from_millis(20);
const EVERY: Duration = Duration::from_secs(1);
/// Top left, and nothing on the screen.
const CLEAR: &str = "\x1b[H\x1b[2J";

#[derive(Default)]
struct Events {
    fired: u64,
    detonated: u64,
    started: u64,
    stopped: u64,
}

pub fn run(command: &DisListen) -> Result<(), Failure> {
    let clock = Clock::start();
    let mut exercise = Exercise::join(&command.exercise, clock.now())?;
    let (mut events, mut due) = (Events::default(), SimTime::ZERO + EVERY);
    let is_live = command.format == DisFormat::Table && stdout().is_terminal();
    loop {
        let now = clock.now();
        exercise.receive(now)?;
        while let Some(event) = exercise.gateway.poll_event() {
            events.note(&event);
        }
        let is_over = exercise.is_over(now);
        if now >= due || is_over {
            due = now + EVERY;
            match command.format {
                DisFormat::Json => say(&format!("{}\n", json_of(&exercise, &events, now)))?,
                DisFormat::Table if is_live => {
                    say(&format!("{CLEAR}{}", table(&exercise, &events, now)))?;
                }
                DisFormat::Table if is_over || command.exercise.seconds.is_none() => {
                    say(&table(&exercise, &events, now))?;
                }
                DisFormat::Table => {}
            }
        }
        if is_over {
            return if command.format == DisFormat::Table {
                say(&exercise.summary())
            } else {
                Ok(())
            };
        }
        thread::sleep(FRAME);
    }
}

impl Events {
    fn note(&mut self, event: &GatewayEvent) {
        match event {
            GatewayEvent::Fired(_) => self.fired += 1,
            GatewayEvent::Detonated(_) => self.detonated += 1,
            GatewayEvent::Started(_) => self.started += 1,
            GatewayEvent::Stopped(_) => self.stopped += 1,
            _ => {}
        }
    }
}

fn table(exercise: &Exercise, events: &Events, now: SimTime) -> String {
    let mut text = format!(
        "{:<17} {:<11} {:<22} {:<8} {:>5} {:>10} {:>11} {:>8} {:>7} {:>3} {:>6} {:>5}\n",
        "entity",
        "marking",
        "type",
        "kind",
        "force",
        "latitude",
        "longitude",
        "height m",
        "m/s",
        "DRM",
        "PDUs",
        "age s"
    );
    for (id, entity) in exercise.gateway.entities() {
        let state = entity.state();
        let place = Geodetic::from_geocentric(
            exercise.gateway.config().frame.place_to_geocentric(entity.kinematics_at(now).position),
        );
        let _ = writeln!(
            text,
            "{:<17} {:<11} {:<22} {:<8} {:>5} {:>10.6} {:>11.6} {:>8.1} {:>7.1} {:>3} {:>6} {:>5.1}",
            id.to_string(),
            state.marking.text(),
            state.kind.to_string(),
            entity.kind(),
            state.force,
            place.latitude_deg(),
            place.longitude_deg(),
            place.height_m(),
            entity.kinematics_at(now).velocity.length(),
            state.reckoning.algorithm,
            entity.pdus(),
            now.secs_since(entity.heard()),
        );
    }
    let count = exercise.gateway.entities().count();
    let Events { fired, detonated, started, stopped } = events;
    text + &format!(
        "{count} entities; {fired} fired, {detonated} detonated, {started} starts, {stopped} stops\n"
    )
}

fn json_of(exercise: &Exercise, events: &Events, now: SimTime) -> Value {
    let entities = exercise.gateway.entities().map(|(id, entity)| {
        let (state, is) = (entity.state(), entity.kinematics_at(now));
        let frame = &exercise.gateway.config().frame;
        let place = Geodetic::from_geocentric(frame.place_to_geocentric(is.position));
        json!({
            "entity": id.to_string(),
            "marking": state.marking.text(),
            "type": state.kind.to_string(),
            "kind": entity.kind(),
            "force": state.force,
            "latitude_deg": place.latitude_deg(),
            "longitude_deg": place.longitude_deg(),
            "height_m": place.height_m(),
            "position_m": is.position.to_array(),
            "velocity_mps": is.velocity.to_array(),
            "algorithm": state.reckoning.algorithm,
            "appearance": state.appearance,
            "pdus": entity.pdus(),
            "age_s": now.secs_since(entity.heard()),
        })
    });
    let entities: Vec<Value> = entities.collect();
    let unmapped: serde_json::Map<String, Value> = exercise
        .gateway
        .stats()
        .unmapped()
        .map(|(name, it)| (name.to_string(), it.into()))
        .collect();
    json!({
        "at_s": now.as_secs_f64(),
        "entities": entities,
        "fired": events.fired,
        "detonated": events.detonated,
        "started": events.started,
        "stopped": events.stopped,
        "not_mapped": unmapped,
    })
}
