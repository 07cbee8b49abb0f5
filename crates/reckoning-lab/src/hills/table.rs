//! The committed table.

use reckoning_arena::protocol::LinkChoice;

use super::chain::HillsLabError;

/// Links by name.
pub const LINKS: [(&str, LinkChoice); 5] = [
    ("LAN", LinkChoice::NONE),
    ("wifi", LinkChoice { delay_ms: 40, jitter_ms: 10, loss_percent: 1, burst: 1 }),
    ("mobile", LinkChoice { delay_ms: 150, jitter_ms: 40, loss_percent: 3, burst: 2 }),
    ("far", LinkChoice { delay_ms: 250, jitter_ms: 20, loss_percent: 1, burst: 1 }),
    ("awful", LinkChoice { delay_ms: 350, jitter_ms: 120, loss_percent: 12, burst: 4 }),
];

/// The table.
///
/// # Errors
/// When a setting is refused.
pub fn hills_table() -> Result<String, HillsLabError> {
    Ok(String::new())
}
