"""What rattletrap, which shares no code with `boxcars`, finds in Rocket League replays.

    rattletrap -c -i FILE.replay -o FILE.json && python3 tools/rocket-facts.py FILE.json...

Prints per body: name, count of states, and the CRC-32 of all of them, each packed big-endian: time in microseconds, i64;
location in hundredths of a unit, three i32. The table in tests/real_imports.rs has the same.
"""
import json
import math
import struct
import sys
import zlib


LINKS = ("Engine.Pawn:PlayerReplicationInfo", "Engine.PlayerReplicationInfo:Team")


class Actors:
    def __init__(self):
        self.kinds, self.names, self.links = {}, {}, {}

    def forget(self, actor):
        for known in (self.kinds, self.names, self.links):
            known.pop(actor, None)

    def learn(self, actor, value):
        if "updated" not in value:
            self.forget(actor)
        if "spawned" in value:
            self.kinds[actor] = value["spawned"]["object_name"]
        for update in value.get("updated", []):
            if update["name"] == "Engine.PlayerReplicationInfo:PlayerName":
                self.names[actor] = update["value"]["string"]
            elif update["name"] in LINKS:
                link = update["value"]["flagged_int"]
                self.links[actor] = link["int"] if link["flag"] else None

    def body(self, actor):
        kind = self.kinds.get(actor, "")
        return "ball" if "Ball_" in kind else self.names.get(self.links.get(actor)) if "Car_" in kind else None


def facts(path):
    replay, actors, bodies = json.load(open(path)), Actors(), {}
    for frame in replay["content"].get("body", replay["content"])["frames"]:
        states = []
        for replication in frame["replications"]:
            actor, value = replication["actor_id"]["value"], replication["value"]
            actors.learn(actor, value)
            inner = (update["value"] for update in value.get("updated", []))
            states += [(actor, state["rigid_body_state"]) for state in inner if "rigid_body_state" in state]
        for actor, state in states:  # after all names of this frame
            if (name := actors.body(actor)) is not None:
                count, crc = bodies.get(name, (0, 0))
                bodies[name] = (count + 1, zlib.crc32(packed(frame["time"], state), crc))
    return bodies


def packed(time, state):
    scale = 1 if "quaternion" in state["rotation"] else 100  # old replays hold whole units
    (time,) = struct.unpack("f", struct.pack("f", time))  # what the file holds, not its decimal form
    return struct.pack(">q3i", math.floor(time * 1e6 + 0.5), *(state["location"][axis] * scale for axis in "xyz"))


for path in sys.argv[1:]:
    print(path)
    for name, (count, crc) in sorted(facts(path).items()):
        print(f'    ("{name}", {count}, 0x{crc:08x}),')
