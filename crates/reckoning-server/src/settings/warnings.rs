//! Settings that are allowed and may not be meant.

use super::{Access, Http, Settings};

pub(super) fn all(it: &Settings) -> Vec<&'static str> {
    let is_public = !it.listen.ip().to_canonical().is_loopback();
    let mut warnings = Vec::new();
    if is_public && it.access == Access::Open && !it.allow_open {
        warnings.push(
            "everyone who reaches this server may join; set access = \"token\", or allow_open = true \
             if that is meant",
        );
    }
    if is_public && it.http == Http::Plain && it.proxies.trusted.is_empty() {
        warnings.push(
            "pages, tokens and play over WebSockets travel unprotected; put a proxy that speaks TLS \
             in front and name it in proxies.trusted, or set http = \"auto\"",
        );
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(text: &str) -> usize {
        Settings::from_toml(text).unwrap().warnings().len()
    }

    #[test]
    fn an_open_server_for_all_the_world_is_warned_of_unless_it_is_meant() {
        assert_eq!(warnings(""), 0);
        assert_eq!(warnings("listen = '127.0.0.7:1'"), 0);
        assert_eq!(warnings("listen = '[::]:1'"), 1);
        let open = "listen = '0.0.0.0:1'\n";
        assert_eq!(warnings(open), 1);
        assert_eq!(warnings(&format!("{open}allow_open = true")), 0);
        assert_eq!(warnings(&format!("{open}access = 'token'\ntoken_key_file = 'k'")), 0);
        assert_eq!(warnings(&format!("{open}allow_open = true\nhttp = 'plain'")), 1);
        let proxied = "allow_open = true\nhttp = 'plain'\n[proxies]\ntrusted = ['10.0.0.1']";
        assert_eq!(warnings(&format!("{open}{proxied}")), 0);
    }
}
