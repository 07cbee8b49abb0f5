//! Notifications to systemd: readiness, reload, stop and watchdog, over the socket it names.
//!
//! The protocol is a datagram of lines to the Unix socket in `NOTIFY_SOCKET` (`sd_notify(3)`). Without
//! that variable, and on systems without such sockets, nothing is sent.

use std::time::Duration;

/// The service manager, if there is one.
#[derive(Debug)]
pub(crate) struct Notifier {
    #[cfg(unix)]
    socket: Option<std::os::unix::net::UnixDatagram>,
    /// Half of the time after which the manager takes us for hung.
    watchdog_every: Option<Duration>,
}

impl Notifier {
    /// The manager that the environment names.
    pub(crate) fn from_env() -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        let ours = variable("WATCHDOG_PID").is_none_or(|it| it == std::process::id().to_string());
        let limit_us = variable("WATCHDOG_USEC").filter(|_| ours).and_then(|it| it.parse().ok());
        Self {
            #[cfg(unix)]
            socket: std::env::var_os("NOTIFY_SOCKET").and_then(|path| connect(&path)),
            watchdog_every: limit_us.map(|limit: u64| Duration::from_micros(limit) / 2),
        }
    }

    /// How often the manager wants to hear that we live.
    pub(crate) const fn watchdog_every(&self) -> Option<Duration> {
        self.watchdog_every
    }

    pub(crate) fn ready(&self) {
        self.send("READY=1\nSTATUS=serving");
    }

    pub(crate) fn reloading(&self) {
        self.send("RELOADING=1\nSTATUS=reloading");
    }

    pub(crate) fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=draining");
    }

    pub(crate) fn alive(&self) {
        self.send("WATCHDOG=1");
    }

    pub(crate) fn status(&self, text: &str) {
        self.send(&format!("STATUS={}", text.replace('\n', " ")));
    }

    #[cfg(unix)]
    fn send(&self, lines: &str) {
        // A manager that is gone cannot be told.
        let _ = self.socket.as_ref().map(|socket| socket.send(lines.as_bytes()));
    }

    #[cfg(not(unix))]
    fn send(&self, _: &str) {}
}

#[cfg(unix)]
fn connect(path: &std::ffi::OsStr) -> Option<std::os::unix::net::UnixDatagram> {
    use std::os::unix::ffi::OsStrExt;
    let socket = std::os::unix::net::UnixDatagram::unbound().ok()?;
    // A full queue of the manager must not stop the server.
    socket.set_nonblocking(true).ok()?;
    match path.as_bytes().strip_prefix(b"@") {
        #[cfg(target_os = "linux")]
        Some(name) => {
            use std::os::linux::net::SocketAddrExt;
            let address = std::os::unix::net::SocketAddr::from_abstract_name(name).ok()?;
            socket.connect_addr(&address).ok()?;
        }
        #[cfg(not(target_os = "linux"))]
        Some(_) => return None,
        None => socket.connect(path).ok()?,
    }
    Some(socket)
}
