//! Compares predictors on recordings: `compare PATH [NAME,NAME...]`.

use std::path::Path;
use std::time::Duration;

use reckoning_lab::compare::{CompareConfig, compare};
use reckoning_lab::recording::load_sessions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("give a folder of recordings")?;
    let names = words.next().unwrap_or("hold,linear,accelerating,damped".into());
    let recordings = load_sessions(Path::new(&path))?;
    let config = CompareConfig {
        predictors: names.split(',').map(str::parse).collect::<Result<_, _>>()?,
        delays: [100, 300, 600, 900, 1200, 2100].map(Duration::from_millis).to_vec(),
        ..CompareConfig::default()
    };
    let result = compare(&config, &recordings, &|_, _| {})?;
    for predictor in config.predictors.iter().map(ToString::to_string) {
        print!("{predictor:<24}");
        for delay in &config.delays {
            let rows = result.open.iter().filter(|row| {
                row.predictor == predictor && u128::from(row.delay_ms) == delay.as_millis()
            });
            let (sum, n) =
                rows.fold((0.0, 0), |(s, n), row| (s + row.aee * row.n as f64, n + row.n));
            print!(" {:>8.3}", sum / n as f64);
        }
        let closed: Vec<_> = result.closed.iter().filter(|r| r.predictor == predictor).collect();
        let mean = |f: fn(&reckoning_lab::compare::ClosedRow) -> f64| {
            closed.iter().map(|row| f(row)).sum::<f64>() / closed.len() as f64
        };
        println!(
            "  packets {:>6.3}  guess {:>7.3}  shown {:>7.3}",
            mean(|row| row.packets_per_entity_s),
            mean(|row| row.mean_error),
            mean(|row| row.shown_error_100ms)
        );
    }
    Ok(())
}
