//! The figures of a long match: deaths, pickups, speed, and how soon straight lines fail.
//!
//! `cargo run --release -p reckoning-arena --example figures -- tank-field 8 600 1`
//! (level, bots, seconds, seed; all may be left out). The last row is the mean distance
//! between where a player is and where its velocity of some time ago would have taken it,
//! which SHI publishes for people: 35.6 px after 300 ms, 579.5 px after 2100 ms. LI has
//! 53.8 px for tanks at a delay of 2 s, when what is known is 2 to 2.5 s old.

use std::collections::VecDeque;

use reckoning_arena::{Event, Level, LevelError, Match, MatchConfig, Player, digest};

/// The delays of SHI in ticks: 300 ms to 2100 ms.
const DELAYS_TICKS: [usize; 7] = [18, 36, 54, 72, 90, 108, 126];

fn main() -> Result<(), LevelError> {
    let mut words = std::env::args().skip(1);
    let level = Level::built_in(&words.next().unwrap_or_else(|| "proving-grounds".into()))?;
    let mut number = |otherwise| words.next().and_then(|it| it.parse().ok()).unwrap_or(otherwise);
    let mut config = MatchConfig::default();
    config.bots = number(15) as u16;
    config.seconds = number(600);
    config.seed = u64::from(number(1));

    let mut figures = Figures::default();
    let mut game = Match::start(level, &config);
    for frame in game.by_ref() {
        frame.events.iter().for_each(|event| figures.count(event));
        figures.observe(&frame.players);
    }
    println!("{}: {} bots, {} s", game.world().level().name(), config.bots, config.seconds);
    figures.print();
    Ok(())
}

#[derive(Default)]
struct Figures {
    shots: u32,
    hits: u32,
    deaths: u32,
    pickups: u32,
    rounds: u32,
    alive_ticks: u32,
    moving_ticks: u32,
    walked_px: f64,
    turns: u32,
    hash: u64,
    past: VecDeque<Vec<Player>>,
    error_px: [f64; 7],
    guesses: [u32; 7],
}

impl Figures {
    fn count(&mut self, event: &Event) {
        match event {
            Event::Fired { .. } => self.shots += 1,
            Event::Hit { .. } => self.hits += 1,
            Event::Died { .. } => self.deaths += 1,
            Event::Took { .. } => self.pickups += 1,
            Event::RoundOver { .. } => self.rounds += 1,
            _ => {}
        }
    }

    fn observe(&mut self, players: &[Player]) {
        self.hash = digest(self.hash, players);
        for (place, player) in players.iter().enumerate().filter(|it| it.1.is_alive) {
            let speed = player.velocity.length();
            self.alive_ticks += 1;
            self.moving_ticks += u32::from(speed > 1.0);
            self.walked_px += speed / 60.0;
            let before = self.past.front().map_or(player.velocity, |it| it[place].velocity);
            self.turns += u32::from(player.velocity.distance(before) > 1.0);
            self.guess(place, player);
        }
        self.past.push_front(players.to_vec());
        self.past.truncate(DELAYS_TICKS[6] + 1);
    }

    fn guess(&mut self, place: usize, player: &Player) {
        for (slot, delay) in DELAYS_TICKS.into_iter().enumerate() {
            let Some(then) = self.past.get(delay - 1).map(|it| it[place]) else { continue };
            if then.is_alive && then.since_tick == player.since_tick {
                let guess = then.position + then.velocity * (delay as f64 / 60.0);
                self.error_px[slot] += guess.distance(player.position);
                self.guesses[slot] += 1;
            }
        }
    }

    fn print(&self) {
        let alive_s = f64::from(self.alive_ticks) / 60.0;
        println!("shots {}, hits {}, rounds over {}", self.shots, self.hits, self.rounds);
        println!("deaths {}, pickups {}", self.deaths, self.pickups);
        println!(
            "moving {:.0} % of the time, {:.1} px/s on average, speeding or turning {:.0} %",
            100.0 * f64::from(self.moving_ticks) / f64::from(self.alive_ticks),
            self.walked_px / alive_s,
            100.0 * f64::from(self.turns) / f64::from(self.alive_ticks)
        );
        print!("straight lines are off by");
        for (error, count) in self.error_px.iter().zip(self.guesses) {
            print!(" {:.1}", error / f64::from(count.max(1)));
        }
        println!(" px (300, 600 ... 2100 ms)\nhash {:#018x}", self.hash);
    }
}
