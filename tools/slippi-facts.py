"""What PyPI's `py-slippi` 1.6.2 finds in Slippi replays, as the table in tests/real_imports.rs has it.

    pip install py-slippi==1.6.2 && python3 tools/slippi-facts.py FILE.slp...

Prints per fighter: port, follower or not, count of frames from "GO" on, and the CRC-32 of all of them, each packed
big-endian: frame i32; x, y, damage, facing, stick x, stick y f32; stocks u8; action u16; buttons u32. Of a frame
that was rolled back the last version counts.
"""
import struct
import sys
import zlib

from slippi import Game

GO = -39


def packed(index, fighter):
    post, pre = fighter.post, fighter.pre
    place = (post.position.x, post.position.y, post.damage, int(post.direction))
    stick = (pre.joystick.x, pre.joystick.y)
    return struct.pack(">i6fBHI", index, *place, *stick, post.stocks, int(post.state), int(pre.buttons.logical))


for path in sys.argv[1:]:
    facts = {}
    for frame in sorted({frame.index: frame for frame in Game(path).frames}.values(), key=lambda frame: frame.index):
        for port, fighters in enumerate(frame.ports):
            if frame.index < GO or not fighters:
                continue
            for follower, fighter in enumerate((fighters.leader, fighters.follower)):
                if fighter and fighter.post:
                    count, crc = facts.get((port, follower), (0, 0))
                    facts[port, follower] = (count + 1, zlib.crc32(packed(frame.index, fighter), crc))
    print(path)
    for (port, follower), (count, crc) in sorted(facts.items()):
        print(f"    ({port + 10 * follower}, {count}, 0x{crc:08x}),")
