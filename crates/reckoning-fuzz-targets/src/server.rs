//! What a server reads beside datagrams: tokens and settings.

use reckoning_server::Settings;
use reckoning_server::token::TokenKey;
use ring::hmac;

const SECRET: &[u8] = b"a key that only the server knows, of enough bytes";

/// Any bytes as a token: refused, because nobody signed them.
pub fn token(bytes: &[u8]) {
    let key = TokenKey::new(SECRET).expect("it is long enough");
    for now in [0, 1_800_000_000, u64::MAX] {
        assert!(key.verify(bytes, now).is_err(), "a token that nobody signed");
    }
    // Behind a right signature the rest is read too.
    let sign = hmac::Key::new(hmac::HMAC_SHA256, SECRET);
    let signed = [bytes, hmac::sign(&sign, bytes).as_ref()].concat();
    let _ = key.verify(&signed, 0);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (TokenKey::from_hex(text), reckoning_server::token::from_hex(text));
    }
}

/// Any text as a settings file: refused with a message, or settings within their ranges.
pub fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Settings::from_toml(text) {
        Ok(settings) => settings.validate().expect("what was read was validated"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
