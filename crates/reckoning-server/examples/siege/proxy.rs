//! A proxy as many put in front of a server: it says whom it speaks for.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};

use socket2::{Domain, Socket, Type};

/// Where it asks from.
pub const ADDRESS: &str = "127.0.0.3";

/// Starts a proxy; where it listens.
pub fn start(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || pass(stream, server));
        }
    });
    address
}

fn pass(mut client: TcpStream, server: SocketAddr) -> Option<()> {
    let peer = client.peer_addr().ok()?.ip();
    let mut first = [0; 4096];
    let length = client.read(&mut first).ok()?;
    let request = String::from_utf8_lossy(&first[..length]).into_owned();
    let (line, rest) = request.split_once("\r\n")?;
    let mut upstream = connect(server).ok()?;
    write!(upstream, "{line}\r\nx-forwarded-for: {peer}\r\n{rest}").ok()?;
    let (mut from, mut to) = (upstream.try_clone().ok()?, client.try_clone().ok()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let _ = std::io::copy(&mut client, &mut upstream);
    let _ = upstream.shutdown(Shutdown::Both);
    Some(())
}

fn connect(server: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    let from: IpAddr = ADDRESS.parse().expect("an address");
    socket.bind(&SocketAddr::new(from, 0).into())?;
    socket.connect(&server.into())?;
    Ok(socket.into())
}
