//! Which tokens a server takes: those of its key and scope, but for the revoked ones.
//!
//! A token is revoked when its holder is put out for its conduct, and until the token ends by itself.
//! With a file, that outlives the server: one line for each, appended at once and tidied at start.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;

use reckoning_recording::read_text_file;

use super::{Nonce, Token, TokenError, TokenKey, from_hex, to_hex};

/// Revoked tokens that are remembered: two megabytes. Whoever mints bounds how many there can be; when
/// there are more, those that end soonest are forgotten.
const MAX_REVOKED: usize = 65_536;

/// Decides about tokens, on whichever thread they are shown.
#[derive(Debug)]
pub(crate) struct TokenPolicy {
    key: RwLock<TokenKey>,
    revoked: Mutex<Revoked>,
    file: Option<PathBuf>,
}

/// Revoked nonces and when each token ends.
type Revoked = BTreeMap<Nonce, u64>;

impl TokenPolicy {
    /// A policy that takes all tokens of a key, at `now` in seconds since 1970, but for those that
    /// the file lists.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn new(key: TokenKey, file: Option<PathBuf>, now: u64) -> io::Result<Self> {
        let revoked = file.as_deref().map(|path| tidy(path, now)).transpose()?;
        let key = RwLock::new(key);
        Ok(Self { key, revoked: Mutex::new(revoked.unwrap_or_default()), file })
    }

    /// Verifies tokens by this key from now on. Those who play stay.
    pub(crate) fn set_key(&self, key: TokenKey) {
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = key;
    }

    /// Verifies a token at `now`, in seconds since 1970.
    ///
    /// # Errors
    /// Why it is not taken.
    pub(crate) fn verify(&self, bytes: &[u8], now: u64) -> Result<Token, TokenError> {
        let key = self.key.read().unwrap_or_else(PoisonError::into_inner);
        let token = key.verify(bytes, now)?;
        drop(key);
        if self.revoked().contains_key(&token.nonce) {
            return Err(TokenError::Revoked);
        }
        Ok(token)
    }

    /// Takes the token no more, until it ends by itself at `expires`.
    pub(crate) fn revoke(&self, nonce: Nonce, expires: u64, now: u64) {
        let mut revoked = self.revoked();
        if revoked.len() >= MAX_REVOKED {
            forget(&mut revoked, now);
        }
        revoked.insert(nonce, expires);
        drop(revoked);
        if let Some(path) = self.file.clone() {
            // The thread that steps the game must not wait for a disk.
            thread::spawn(move || {
                if let Err(error) = append(&path, nonce, expires) {
                    let path = path.display();
                    tracing::error!(%path, %error, "a revoked token is forgotten at the next start");
                }
            });
        }
    }

    fn revoked(&self) -> MutexGuard<'_, Revoked> {
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room: forgets what has ended, and what ends soonest if that is not enough.
fn forget(revoked: &mut Revoked, now: u64) {
    revoked.retain(|_, expires| *expires > now);
    while revoked.len() >= MAX_REVOKED {
        let Some((&soonest, _)) = revoked.iter().min_by_key(|(_, expires)| **expires) else {
            return;
        };
        revoked.remove(&soonest);
        tracing::warn!("more than {MAX_REVOKED} tokens are revoked; the oldest is taken again");
    }
}

fn line(nonce: &Nonce, expires: u64) -> String {
    format!("{} {expires}\n", to_hex(nonce))
}

fn append(path: &Path, nonce: Nonce, expires: u64) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(line(&nonce, expires).as_bytes())?;
    file.sync_data()
}

/// More than a million tokens.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reads the file, and writes it anew without what has ended. A line cut short by a crash is left out.
fn tidy(path: &Path, now: u64) -> io::Result<Revoked> {
    let text = match read_text_file(path, MAX_FILE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let mut revoked: Revoked = text.lines().filter_map(parse).collect();
    revoked.retain(|_, expires| *expires > now);
    let tidied: String = revoked.iter().map(|(nonce, expires)| line(nonce, *expires)).collect();
    let new = path.with_extension("new");
    fs::write(&new, tidied)?;
    fs::rename(new, path)?;
    Ok(revoked)
}

fn parse(line: &str) -> Option<(Nonce, u64)> {
    let (nonce, expires) = line.split_once(' ')?;
    Some((from_hex(nonce)?.try_into().ok()?, expires.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> TokenKey {
        TokenKey::new(&[7; 32]).unwrap()
    }

    #[test]
    fn a_revoked_token_is_refused_and_others_are_not() {
        let policy = TokenPolicy::new(key(), None, 0).unwrap();
        let mint = || key().mint(&[], 1_000).unwrap();
        let (bad, good) = (mint(), mint());
        let token = policy.verify(&bad, 0).unwrap();

        policy.revoke(token.nonce, token.expires, 0);
        assert_eq!(policy.verify(&bad, 1), Err(TokenError::Revoked));
        assert!(policy.verify(&good, 1).is_ok());
    }

    #[test]
    fn the_list_is_bounded_and_forgets_what_ended_first() {
        let mut revoked = Revoked::new();
        for number in 0..MAX_REVOKED as u64 {
            let mut nonce = [0; 16];
            nonce[..8].copy_from_slice(&number.to_le_bytes());
            revoked.insert(nonce, 100 + number);
        }
        let mut full = revoked.clone();
        forget(&mut full, 0);
        assert_eq!(full.len(), MAX_REVOKED - 1);
        assert!(full.values().all(|expires| *expires > 100), "the one that ends soonest went");
        forget(&mut revoked, 1_100);
        assert_eq!(revoked.len(), MAX_REVOKED - 1_001);
    }

    #[test]
    fn a_file_is_tidied_and_a_torn_line_is_left_out() {
        let path = std::env::temp_dir().join(format!("reckoning-revoked-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        assert!(tidy(&path, 0).unwrap().is_empty());
        append(&path, [1; 16], 50).unwrap();
        append(&path, [2; 16], 500).unwrap();
        let mut torn = fs::read_to_string(&path).unwrap();
        torn.push_str("0303");
        fs::write(&path, torn).unwrap();

        let revoked = tidy(&path, 100).unwrap();
        assert_eq!(revoked, Revoked::from([([2; 16], 500)]));
        assert_eq!(fs::read_to_string(&path).unwrap(), line(&[2; 16], 500));
        fs::remove_file(path).unwrap();
    }
}
