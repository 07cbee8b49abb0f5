//! Differences between settings, and which of them a running server takes over.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::Settings;
use super::validate::rules;

/// Settings that a running server takes over when it is reloaded; others need a restart. The files
/// of the certificate and of the key are read again, whether their names change or not.
pub const CHANGEABLE: [&str; 7] = [
    "token_key_file",
    "token_server",
    "token_audience",
    "log",
    "watchdog.hang_s",
    "shutdown.drain_s",
    "shutdown.farewell_s",
];

pub(super) fn differences(one: &Settings, other: &Settings) -> Vec<&'static str> {
    let numbers = rules(one).into_iter().zip(rules(other));
    let numbers = numbers.filter(|(a, b)| a.1.to_bits() != b.1.to_bits()).map(|(a, _)| a.0);
    let texts = texts(one).into_iter().zip(texts(other));
    let texts = texts.filter(|(a, b)| a.1 != b.1).map(|(a, _)| a.0);
    // The length of a name is among the numbers as well.
    numbers.chain(texts).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Everything that is not a number.
pub(super) fn texts(it: &Settings) -> Vec<(&'static str, String)> {
    fn text(value: &impl Debug) -> String {
        format!("{value:?}")
    }
    vec![
        ("listen", text(&it.listen)),
        ("operator_listen", text(&it.operator_listen)),
        ("http", text(&it.http)),
        ("origins", text(&it.origins)),
        ("access", text(&it.access)),
        ("allow_open", text(&it.allow_open)),
        ("token_key_file", text(&it.token_key_file)),
        ("token_server", text(&it.token_server)),
        ("token_audience", text(&it.token_audience)),
        ("token_revoked_file", text(&it.token_revoked_file)),
        ("demo", text(&it.demo)),
        ("kind", text(&it.kind)),
        ("property", text(&it.property)),
        ("relay_kind", text(&it.relay_kind)),
        ("proxies.trusted", text(&it.proxies.trusted)),
        ("proxies.header", text(&it.proxies.header)),
        ("log", text(&it.log)),
        ("log_format", text(&it.log_format)),
        ("certificate.chain_file", text(&it.certificate.chain_file)),
        ("certificate.key_file", text(&it.certificate.key_file)),
        ("certificate.names", text(&it.certificate.names)),
        ("replication.clock", text(&it.replication.clock)),
        ("replication.fairness", text(&it.replication.fairness)),
        ("replication.fairness_weights", text(&it.replication.fairness_weights)),
        ("replication.accounts", text(&it.replication.accounts)),
        ("replication.client_errors", text(&it.replication.client_errors)),
        ("replication.learned", text(&it.replication.learned)),
        ("guard.models", text(&it.guard.models)),
        ("recording.folder", text(&it.recording.folder)),
    ]
}
