//! Structured logs: one line for each event, with named fields, to stderr.

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::LogLevel;

/// Logs to stderr from now on. A program that has a logger of its own keeps it.
pub fn start(level: LogLevel) {
    let ours = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // Messages that anyone on the network can provoke stay out, unless they are asked for.
    let theirs = if ours >= LevelFilter::DEBUG { ours } else { LevelFilter::ERROR };
    let filter = Targets::new().with_default(theirs).with_target("reckoning_server", ours);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
}
