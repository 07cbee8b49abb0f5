//! One minute of bots: the score, what everyone did, and where they went.
//!
//! `cargo run --release -p reckoning-arena --example watch -- corridors 8 60 7`
//! (level, bots, seconds, seed; all may be left out).

use std::collections::BTreeMap;

use reckoning_arena::{Event, Level, LevelError, Match, MatchConfig, MatchFrame, Player};

/// Width of the picture in characters; a character is twice as high as wide.
const COLUMNS: usize = 78;

fn main() -> Result<(), LevelError> {
    let mut words = std::env::args().skip(1);
    let level = Level::built_in(&words.next().unwrap_or_else(|| "proving-grounds".into()))?;
    let mut number = |otherwise| words.next().and_then(|it| it.parse().ok()).unwrap_or(otherwise);
    let mut config = MatchConfig::default();
    config.bots = number(10) as u16;
    config.seconds = number(60);
    config.seed = u64::from(number(1));

    let mut tally = BTreeMap::<u16, Tally>::new();
    let mut picture = Picture::of(&level);
    let mut game = Match::start(level, &config);
    for frame in game.by_ref() {
        count(&mut tally, &frame);
        frame.players.iter().filter(|it| it.is_alive).for_each(|it| picture.touch(it));
    }
    println!("{}, {} s, points {:?}", game.world().level().name(), config.seconds, {
        game.world().points().iter().map(|(team, points)| (team.0, *points)).collect::<Vec<_>>()
    });
    println!("bot team kills deaths items   walked px  moving  aggression caution");
    for (player, (_, style)) in game.world().players().iter().zip(game.bots().styles()) {
        let it = &tally[&player.id.0];
        println!(
            "{:>3} {:>4} {:>5} {:>6} {:>5} {:>11.0} {:>6.0}% {:>11.2} {:>7.2}",
            player.id.0,
            player.team.0,
            player.kills,
            player.deaths,
            it.items,
            it.walked_px,
            100.0 * f64::from(it.moving_ticks) / f64::from(it.alive_ticks.max(1)),
            style.aggression,
            style.caution
        );
    }
    picture.print();
    Ok(())
}

#[derive(Default)]
struct Tally {
    items: u32,
    walked_px: f64,
    alive_ticks: u32,
    moving_ticks: u32,
}

fn count(tally: &mut BTreeMap<u16, Tally>, frame: &MatchFrame) {
    for player in &frame.players {
        let it = tally.entry(player.id.0).or_default();
        let speed = player.velocity.length();
        it.walked_px += speed / 60.0;
        it.alive_ticks += u32::from(player.is_alive);
        it.moving_ticks += u32::from(player.is_alive && speed > 1.0);
    }
    for event in &frame.events {
        if let Event::Took { who, .. } = event {
            tally.entry(who.0).or_default().items += 1;
        }
    }
}

/// The level as characters: `#` where nobody fits, digits where many were.
struct Picture {
    cell_px: f64,
    visits: Vec<Vec<u32>>,
    solid: Vec<Vec<bool>>,
}

impl Picture {
    fn of(level: &Level) -> Self {
        let size = level.size_px();
        let cell_px = size.x / COLUMNS as f64;
        let rows = (size.y / (2.0 * cell_px)) as usize + 1;
        let radius_px = level.file().body.radius_px;
        let centre = |row: usize, column: usize| {
            let (x, y) = (column as f64 + 0.5, 2.0 * row as f64 + 1.0);
            reckoning::DVec3::new(x * cell_px, (y * cell_px).min(size.y - radius_px), 0.0)
        };
        let no_room = |row, column| level.walls().room_at(centre(row, column)) < 0.9 * radius_px;
        let solid = (0..rows)
            .map(|row| (0..COLUMNS).map(|column| no_room(row, column)).collect())
            .collect();
        Self { cell_px, visits: vec![vec![0; COLUMNS]; rows], solid }
    }

    fn touch(&mut self, player: &Player) {
        let column = (player.position.x / self.cell_px) as usize;
        let row = (player.position.y / (2.0 * self.cell_px)) as usize;
        let row = row.min(self.visits.len() - 1);
        self.visits[row][column.min(COLUMNS - 1)] += 1;
    }

    fn print(&self) {
        for (visits, solid) in self.visits.iter().zip(&self.solid) {
            let line = visits.iter().zip(solid).map(|(count, solid)| match (count, solid) {
                (0, true) => '#',
                (0, false) => ' ',
                // One digit per doubling, in tenths of a second.
                _ => {
                    char::from_digit((count / 6).checked_ilog2().map_or(0, |it| it + 1).min(9), 10)
                        .unwrap_or('9')
                }
            });
            println!("{}", line.collect::<String>());
        }
    }
}
