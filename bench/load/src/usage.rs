//! What the system says a process used, and what went over the loopback.

use std::fs::read_to_string;

/// The kernel counts processor time for programs in hundredths of a second, on every machine.
const TICKS_PER_S: f64 = 100.0;

/// Seconds of processor time that this process used so far, all threads.
pub fn cpu_s() -> f64 {
    let stat = read_to_string("/proc/self/stat").unwrap_or_default();
    // The name before the last bracket may hold anything; user and system are fields 14 and 15.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    rest.split_whitespace().skip(11).take(2).filter_map(|it| it.parse::<f64>().ok()).sum::<f64>()
        / TICKS_PER_S
}

/// Kilobytes in memory.
pub fn rss_kb() -> f64 {
    field("/proc/self/status", "VmRSS:", 1)
}

/// Bytes over the loopback so far, both ways, headers of UDP and IP included.
pub fn loopback_bytes() -> f64 {
    field("/proc/net/dev", "lo:", 9)
}

/// Datagrams that the kernel threw away because a socket's buffer was full.
pub fn kernel_drops() -> f64 {
    let text = read_to_string("/proc/net/snmp").unwrap_or_default();
    let mut lines = text.lines().filter(|line| line.starts_with("Udp:"));
    let (names, values) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let mut pairs = names.split_whitespace().zip(values.split_whitespace());
    let wanted = |name: &str| matches!(name, "RcvbufErrors" | "SndbufErrors");
    pairs.by_ref().filter(|(name, _)| wanted(name)).filter_map(|it| it.1.parse::<f64>().ok()).sum()
}

/// Shares of the machine's processors that were idle and that others' virtual machines took,
/// as hundredths of a second so far: all, idle.
pub fn machine() -> (f64, f64) {
    let text = read_to_string("/proc/stat").unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let fields: Vec<f64> =
        first.split_whitespace().skip(1).filter_map(|it| it.parse().ok()).collect();
    // Guests are counted in the first two already.
    let all = fields.iter().take(8).sum();
    (all, fields.get(3).copied().unwrap_or(0.0) + fields.get(4).copied().unwrap_or(0.0))
}

fn field(file: &str, line: &str, place: usize) -> f64 {
    let text = read_to_string(file).unwrap_or_default();
    let found = text.lines().find(|it| it.trim_start().starts_with(line));
    let value = found.and_then(|it| it.split_whitespace().nth(place));
    value.and_then(|it| it.parse().ok()).unwrap_or(0.0)
}
