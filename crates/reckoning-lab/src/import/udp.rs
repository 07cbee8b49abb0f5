//! UDP payload of a captured frame.
//!
//! Ethernet (with VLAN tags), raw IP, loopback and Linux "cooked" links; IPv4 and IPv6; UDP that
//! is not fragmented. Any other frame, and one that is cut short, has no payload: a capture
//! holds whatever was on the wire.

use reckoning_recording::Cursor;

/// The UDP payload of one frame, if it has one.
pub(super) fn payload(link: u32, mut frame: Cursor<'_>) -> Option<Cursor<'_>> {
    let frame = &mut frame;
    match link {
        0 => frame.skip(4).ok()?, // loopback
        1 => after_ethernet(frame)?,
        101 | 228 | 229 => {}        // IP at once
        113 => frame.skip(16).ok()?, // Linux cooked
        276 => frame.skip(20).ok()?, // Linux cooked, second version
        _ => return None,
    }
    let mut peek = frame.clone();
    match peek.u8().ok()? >> 4 {
        4 => after_ipv4(frame)?,
        6 => after_ipv6(frame)?,
        _ => return None,
    }
    frame.skip(4).ok()?;
    let length = usize::from(frame.u16_be().ok()?).checked_sub(8)?;
    frame.skip(2).ok()?;
    frame.part(length).ok()
}

fn after_ethernet(frame: &mut Cursor<'_>) -> Option<()> {
    frame.skip(12).ok()?;
    loop {
        match frame.u16_be().ok()? {
            0x8100 | 0x88a8 => frame.skip(2).ok()?,
            0x0800 | 0x86dd => return Some(()),
            _ => return None,
        }
    }
}

fn after_ipv4(frame: &mut Cursor<'_>) -> Option<()> {
    let words = frame.u8().ok()? & 15;
    frame.skip(5).ok()?;
    let fragment = frame.u16_be().ok()? & 0x3fff; // "more" bit and offset
    frame.skip(1).ok()?;
    let protocol = frame.u8().ok()?;
    frame.skip((usize::from(words) * 4).checked_sub(10)?).ok()?;
    (fragment == 0 && protocol == 17).then_some(())
}

fn after_ipv6(frame: &mut Cursor<'_>) -> Option<()> {
    frame.skip(6).ok()?;
    let next = frame.u8().ok()?;
    frame.skip(33).ok()?;
    (next == 17).then_some(())
}
