//! Connecting to a host with several addresses: they race, so that one which swallows everything costs
//! the others a moment and not their time (RFC 8305, "Happy Eyeballs").

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

/// An address has this long for itself before the next one is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);

/// Tries the addresses one after the other, each beside those before it, until one connects. The
/// last reason when none does.
pub(super) async fn race<T, F>(
    addresses: Vec<SocketAddr>,
    host: &Arc<str>,
    connect: impl Fn(SocketAddr, Arc<str>) -> F,
) -> Result<T, String>
where
    T: Send + 'static,
    F: Future<Output = Result<T, String>> + Send + 'static,
{
    let mut reason = format!("{host} has no address");
    let mut waiting = interleaved(addresses).into_iter();
    let mut tries = JoinSet::new();
    loop {
        let next = waiting.next();
        let is_last = next.is_none();
        if let Some(address) = next {
            tries.spawn(connect(address, host.clone()));
        }
        let ended = if is_last {
            tries.join_next().await
        } else {
            match timeout(HEAD_START, tries.join_next()).await {
                Ok(ended) => ended,
                Err(_) => continue,
            }
        };
        match ended {
            Some(Ok(Ok(connected))) => return Ok(connected),
            Some(Ok(Err(error))) => reason = error,
            Some(Err(_)) => {}
            None => return Err(reason),
        }
    }
}

/// The addresses in their order, but the kinds by turns: a host of many addresses of one kind does
/// not keep the other waiting.
fn interleaved(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (like_first, others): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|it| it.is_ipv6() == first_is_v6);
    let mut mixed = Vec::with_capacity(like_first.len() + others.len());
    let (mut one, mut two) = (like_first.into_iter(), others.into_iter());
    loop {
        let pair = [one.next(), two.next()];
        if pair == [None, None] {
            return mixed;
        }
        mixed.extend(pair.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::runtime::Builder;
    use tokio::time::sleep;

    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    /// What comes of racing these in time that jumps: port 1 answers after a while, port 2 refuses at
    /// once, port 3 never answers.
    fn raced(addresses: &[&str]) -> Result<SocketAddr, String> {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let addresses = addresses.iter().map(|it| address(it)).collect();
        let host = Arc::from("host");
        let all = race(addresses, &host, |address, _| async move {
            match address.port() {
                1 => sleep(Duration::from_millis(5)).await,
                2 => return Err("refused".to_string()),
                _ => pending().await,
            }
            Ok(address)
        });
        runtime.block_on(async { timeout(Duration::from_secs(20), all).await.expect("in time") })
    }

    #[test]
    fn an_address_that_swallows_everything_costs_a_moment() {
        assert_eq!(raced(&["[::1]:3", "127.0.0.1:1"]), Ok(address("127.0.0.1:1")));
        assert_eq!(raced(&["[::1]:2", "127.0.0.1:1"]), Ok(address("127.0.0.1:1")));
        assert_eq!(raced(&["[::1]:1", "127.0.0.1:3"]), Ok(address("[::1]:1")));
    }

    #[test]
    fn the_last_reason_is_told_when_none_connects() {
        assert_eq!(raced(&["[::1]:2", "127.0.0.1:2"]), Err("refused".to_string()));
        assert_eq!(raced(&[]), Err("host has no address".to_string()));
    }

    #[test]
    fn the_kinds_take_turns() {
        let given = ["[::1]:1", "[::2]:1", "[::3]:1", "127.0.0.1:1"].map(address);
        let mixed = interleaved(given.to_vec());
        assert_eq!(mixed, [given[0], given[3], given[1], given[2]]);
    }
}
