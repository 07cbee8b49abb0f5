//! The wire format: any bytes are messages or an error.

use reckoning::{
    Curve, CurveBasis, DVec3, Kinematics, Model, Quantiser, SimTime, Update, UpdateKind,
};
use reckoning_net::wire::{
    Codes, Format, Message, PacketReader, PacketWriter, Registry, UpdateBody,
};

/// Any datagram behind a byte that chooses the format; what was read writes to the same message.
pub fn wire(bytes: &[u8]) {
    let Some((&first, datagram)) = bytes.split_first() else { return };
    let _ = Format::from_bytes(datagram, Registry::default());
    let format = format(first % 2 == 1);
    let Ok(mut reader) = PacketReader::new(datagram) else { return };
    let header = *reader.header();
    while let Ok(Some(message)) = reader.next_message(Some(&format)) {
        let mut again = [0; 2_000];
        let mut packet = PacketWriter::new(&mut again, &header);
        assert!(packet.push(Some(&format), &message), "what was read can be written");
        let length = packet.finish().expect("it fitted");
        let mut second = PacketReader::new(&again[..length]).expect("a header");
        assert_eq!(second.next_message(Some(&format)), Ok(Some(message)));
        resolve(&format, &message);
    }
}

fn format(flat: bool) -> Format {
    let steps = Quantiser {
        position_m: 0.02,
        velocity_mps: 0.05,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 1.0 / 512.0,
    };
    let models = [Model::Linear, Model::Curve(Curve::still(CurveBasis::FOUR))];
    let format = Format::new(flat, 1_000, steps, &models, Registry::default()).expect("sound");
    if !flat {
        return format;
    }
    let mut turning = Codes::COARSE;
    turning.turning = true;
    format.with_codes(&[turning], Codes::COARSE).expect("orders that can be told")
}

fn baseline(format: &Format) -> Update {
    let (place, velocity) = (DVec3::new(12.0, -7.0, 1.5), DVec3::new(3.0, 4.0, 0.0));
    let seen = Kinematics::moving(SimTime::from_millis(500), place, velocity);
    format.round(&Update::new(seen, Model::Linear, UpdateKind::Full).expect("sound"))
}

/// An update that can be resolved comes back bit-identical.
fn resolve(format: &Format, message: &Message) {
    let Message::Update { body, class, .. } = message else { return };
    let format = format.coarser(*class);
    let baseline = body.has_baseline().then(|| baseline(&format));
    let Ok(update) = body.resolve(&format, baseline.as_ref()) else { return };
    assert_eq!(format.round(&update), update, "what was decoded lies on the grid");
    let again = UpdateBody::new(&format, baseline.as_ref(), &update);
    assert_eq!(again.resolve(&format, baseline.as_ref()), Ok(update));
}
