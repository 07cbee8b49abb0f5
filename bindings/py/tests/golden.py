"""Replays the golden scenes and compares every bit, and sees every misuse refused: golden.py SCRIPT FOLDER.

The folder is for files of its own."""

import math
import random
import struct
import sys
from pathlib import Path

import numpy as np

import reckoning
from reckoning import Ghost, Ghosts, Joint, Kind, Publisher

KINDS = {
    "car": lambda: Kind(threshold_m=0.25, blend="snap"),
    "late": lambda: Kind(threshold_m=0.1, heartbeat_spread=0.1, seed=8, delayed=True),
    "walk": lambda: Kind(
        threshold_m=0.1, heartbeat_spread=0.1, seed=7, model="damped", model_s=0.8,
        joints=[Joint(threshold_rad=0.05, heartbeat_s=1.0)],
    ),
}


def number(word):
    return struct.unpack(">d", bytes.fromhex(word.rjust(16, "0")))[0]


def bits(value):
    return struct.pack(">d", value)


class Scene:
    def __init__(self, name):
        self.name, self.kind = name, KINDS[name]()
        self.publisher = self.ghost = None
        self.batch = Ghosts()
        self.updates, self.joints = [], []
        self.compared = self.different = 0

    def compare(self, got, wanted):
        self.compared += 1
        self.different += got != wanted

    def line(self, word, rest):
        now = int(rest[0])
        if word == "truth":
            motion = [number(it) for it in rest[1:17]]
            if self.publisher:
                update = self.publisher.observe(now, motion)
            else:
                self.publisher = Publisher(self.kind, now, np.array(motion))
                update = self.publisher.first
            self.compare("-" if update is None else update.hex(), rest[17])
            if update is not None:
                self.updates.append(update)
        elif word == "arrive":
            update = self.updates[int(rest[1])]
            if self.ghost:
                assert self.ghost.accept(update, now) == self.batch.accept(0, update, now)
            else:
                self.ghost = Ghost(self.kind, update, now)
                self.batch.add(self.kind, update, now)
        elif word == "shown":
            pose = self.ghost.pose(now)
            assert self.batch.poses(now).tobytes() == pose.tobytes()
            for got, wanted in zip(pose, rest[1:], strict=True):
                self.compare(bits(got), bits(number(wanted)))
        elif word == "aim":
            angle, rate = number(rest[1]), number(rest[2])
            due = self.publisher.aim(0, now, angle, rate)
            self.compare(due, rest[3] == "1")
            if due:
                self.joints.append((now, angle, rate))
        elif word == "aimed":
            self.ghost.accept_joint(0, *self.joints[int(rest[1])], now)
        elif word == "angle":
            self.compare(bits(self.ghost.joint_angle(0, now)), bits(number(rest[1])))


def replay(path):
    scenes = []
    for line in Path(path).read_text().splitlines():
        word, *rest = line.split()
        if word.startswith("#"):
            continue
        if word == "scene":
            scenes.append(Scene(rest[0]))
        else:
            scenes[-1].line(word, rest)
    for it in scenes:
        print(f"golden python {it.name}: {len(it.updates)} updates, {it.compared} results, {it.different} differ")
    assert len(scenes) == 3
    assert all(it.different == 0 and it.compared > 1000 for it in scenes)


def refused(act, words, error=ValueError):
    try:
        act()
    except error as raised:
        assert words in str(raised), f"{words!r} is not in {str(raised)!r}"
        return
    raise AssertionError(f"not refused: {words}")


def misuse():
    nan = math.nan
    refused(lambda: Kind(threshold_m=nan), "threshold NaN m is not a positive")
    refused(lambda: Kind(heartbeat_s=0.1, min_interval_s=0.2), "heartbeat 100ms is shorter")
    refused(lambda: Kind(heartbeat_s=-1), "heartbeat_s is -1")
    refused(lambda: Kind(model="warp"), 'there is no model "warp"')
    refused(lambda: Kind(blend="blur"), 'there is no blend "blur"')
    refused(lambda: Kind(treshold=1), "treshold", TypeError)
    refused(lambda: Kind(threshold_m="wide"), "must be real number, not str", TypeError)
    refused(lambda: Kind(seed=-1), "", OverflowError)
    refused(lambda: Joint(threshold_rad=-1), "joint threshold -1 rad")
    kind = Kind(joints=[Joint()])
    refused(lambda: Publisher(kind, 0, [1, 2]), "3, 6, 9, 13 or 16 numbers, not 2")
    refused(lambda: Publisher(kind, 0, [1, nan, 3]), "position [1, NaN, 3] is not finite")
    refused(lambda: Publisher(kind, 0, [[1, 2, 3]]), "", (TypeError, ValueError))
    publisher = Publisher(kind, 1000, np.zeros(3, dtype=np.float32))
    refused(lambda: publisher.observe(1000, [0, 0, 0]), "it must be later than 1000 us")
    refused(lambda: publisher.aim(1, 0, 0, 0), "the kind has no joint 1")
    refused(lambda: publisher.aim(0, 0, math.inf, 0), "angle_rad is inf")
    ghost = Ghost(kind, publisher.first, 0)
    refused(lambda: ghost.accept(publisher.first[:20], 0), "ends too early")
    refused(lambda: ghost.accept(b"\xff" * 400, 0), "version 255")
    refused(lambda: ghost.accept("text", 0), "", TypeError)
    assert ghost.accept(publisher.first, 0) == "stale"
    ghosts = Ghosts()
    one, two = (ghosts.add(kind, publisher.first, 0) for _ in range(2))
    ghosts.remove(one)
    refused(lambda: ghosts.accept(one, publisher.first, 0), "there is no ghost 0")
    assert ghosts.numbers == [two] and ghosts.add(kind, publisher.first, 0) == 2
    dice, refusals = random.Random(1), 0
    for _ in range(2000):
        update = bytearray(publisher.first)
        for _ in range(3):
            update[dice.randrange(len(update))] = dice.randrange(256)
        try:
            ghosts.accept(two, bytes(update), dice.randrange(1 << 40))
        except ValueError:
            refusals += 1
    assert refusals > 100 and ghosts.poses(0).shape == (2, 7)
    # Any real array is taken.
    for motion in [(1, 2, 3), np.array([1, 2, 3], dtype=np.int16), np.arange(12.0, dtype=np.float32)[::2]]:
        Publisher(kind, 0, motion)
    print("misuse: all refused")


CSV = "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n" + "".join(
    f"{tick / 10},{body},0,{tick * 0.25},{body},,,,,1,0\n" for tick in range(50) for body in (1, 2)
)
ABOUT = '{"source": "made up", "session": "walk", "rate_hz": 10.0, "units": "m", "body_width": 0.5}'


def recordings(folder):
    path = Path(folder) / "walk.csv"
    path.write_text(CSV)
    path.with_suffix(".json").write_text(ABOUT)
    recording = reckoning.load(path)
    assert len(recording) == 100 and recording.units == "m" and recording.body_width == 0.5
    columns = recording.columns()
    assert sorted(columns) == sorted(["body", "team", "t_s", "x", "y", "z", "yaw_rad", "segment", "alive"])
    assert all(isinstance(it, np.ndarray) and it.shape == (100,) for it in columns.values())
    assert columns["x"].dtype == np.float64 and columns["x"].max() == 49 * 0.25
    assert set(columns["body"]) == {1, 2} and columns["alive"].all()
    refused(lambda: reckoning.load(path.with_name("none.csv")), "there is no file", OSError)
    broken = path.with_name("broken.csv")
    broken.write_text("a,b\n1,2\n")
    refused(lambda: reckoning.load(broken), "broken.json: there is no such file")
    broken.with_suffix(".json").write_text('{"body_width": 1, "rate_hz": 10}')
    refused(lambda: reckoning.load(broken), "broken.csv")
    try:
        import pandas
    except ImportError:
        print("recordings: columns are right; pandas is not there")
        return
    frame = recording.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.shape == (100, 9)
    print("recordings: columns and data frame are right")


if __name__ == "__main__":
    replay(sys.argv[1])
    misuse()
    recordings(sys.argv[2])
