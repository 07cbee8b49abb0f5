//! Structured logs: one line for each event, with named fields, to stderr.

use std::fmt;
use std::sync::OnceLock;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::{LogFormat, LogLevel};

/// Changes what is logged; empty while a program has a logger of its own.
static FILTER: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();

/// Logs to stderr from now on. A program that has a logger of its own keeps it.
pub fn start(level: LogLevel, format: LogFormat) {
    let (filter, handle) = reload::Layer::new(targets(level));
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = match format {
        LogFormat::Text => layer.with_filter(filter).boxed(),
        LogFormat::Json => layer.event_format(JsonLines).with_filter(filter).boxed(),
    };
    if tracing_subscriber::registry().with(layer).try_init().is_ok() {
        let _ = FILTER.set(handle);
    }
}

/// Logs this much from now on.
pub(crate) fn set_level(level: LogLevel) {
    if let Some(filter) = FILTER.get() {
        // It fails only once the logger is gone.
        let _ = filter.reload(targets(level));
    }
}

fn targets(level: LogLevel) -> Targets {
    let ours = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // Messages that anyone on the network can provoke stay out, unless they are asked for.
    let theirs = if ours >= LevelFilter::DEBUG { ours } else { LevelFilter::ERROR };
    Targets::new().with_default(theirs).with_target("reckoning_server", ours)
}

/// One object a line: `time` (RFC 3339), `level`, `message`, and the event's own fields.
///
/// The subscriber has such a format of its own, for one more crate; this is what it takes.
struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        fields.0.insert("time".to_string(), time.into());
        fields.0.insert("level".to_string(), event.metadata().level().as_str().into());
        writeln!(writer, "{}", Value::Object(fields.0))
    }
}

/// The fields of an event.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_string(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
}
