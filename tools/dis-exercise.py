"""An exercise by software that is not ours: tanks on circles and aircraft above them, by the PyPI package `opendis`.

    pip install opendis==1.0 && python3 tools/dis-exercise.py [--udp 127.0.0.1:3000] [--origin 52.5,13.4,40] [--seconds 600]

Sends Entity State PDUs of exercise 1, site 11, application 22: each entity five times a second, stamped by UTC. The tanks are
where the hills of the arena are flat.
"""
import argparse
import io
import math
import socket
import time

from opendis import dis7
from opendis.DataOutputStream import DataOutputStream

words = argparse.ArgumentParser()
words.add_argument("--udp", default="127.0.0.1:3000")
words.add_argument("--origin", default="52.5,13.4,40")
words.add_argument("--middle", default="300,300", help="east and north of the origin, metres")
words.add_argument("--seconds", type=float, default=600.0)
words = words.parse_args()
LAT, LON, HEIGHT = [float(it) for it in words.origin.split(",")]
MIDDLE = [float(it) for it in words.middle.split(",")]
HOST, PORT = words.udp.rsplit(":", 1)

A, E2 = 6_378_137.0, 0.00669437999014


def axes():
    lat, lon = math.radians(LAT), math.radians(LON)
    east = (-math.sin(lon), math.cos(lon), 0.0)
    north = (-math.sin(lat) * math.cos(lon), -math.sin(lat) * math.sin(lon), math.cos(lat))
    up = (math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat))
    across = A / math.sqrt(1 - E2 * math.sin(lat) ** 2)
    out = (across + HEIGHT) * math.cos(lat)
    origin = (out * math.cos(lon), out * math.sin(lon), (across * (1 - E2) + HEIGHT) * math.sin(lat))
    return origin, east, north, up


ORIGIN, EAST, NORTH, UP = axes()


def world(vector, from_origin=False):
    turned = [e * vector[0] + n * vector[1] + u * vector[2] for e, n, u in zip(EAST, NORTH, UP)]
    return [o + t for o, t in zip(ORIGIN, turned)] if from_origin else turned


def euler(ahead, right, down):
    theta = math.asin(-ahead[2])
    return math.atan2(ahead[1], ahead[0]), theta, math.atan2(right[2], down[2])


def state(number, kind, at, place, velocity, acceleration, rate, marking, force):
    pdu = dis7.EntityStatePdu()
    pdu.pduType, pdu.protocolVersion, pdu.exerciseID, pdu.protocolFamily, pdu.pduStatus = 1, 7, 1, 1, 0
    pdu.timestamp = (int((at % 3600.0) * 2**31 / 3600.0) << 1) | 1
    pdu.entityID, pdu.forceId = dis7.EntityID(11, 22, number), force
    pdu.entityType = dis7.EntityType(entityKind=kind[0], domain=kind[1], country=kind[2], category=kind[3], subcategory=1, specific=0, extra=0)
    speed = math.hypot(velocity[0], velocity[1])
    ahead = (velocity[0] / speed, velocity[1] / speed, 0.0)
    turn = euler(world(ahead), world((ahead[1], -ahead[0], 0.0)), world((0.0, 0.0, -1.0)))
    pdu.entityOrientation.psi, pdu.entityOrientation.theta, pdu.entityOrientation.phi = turn
    reckoning = pdu.deadReckoningParameters
    reckoning.deadReckoningAlgorithm, reckoning.parameters = 4, [0] * 15
    for field, vector in (
        (pdu.entityLocation, world(place, True)),
        (pdu.entityLinearVelocity, world(velocity)),
        (reckoning.entityLinearAcceleration, world(acceleration)),
        (reckoning.entityAngularVelocity, (0.0, 0.0, -rate)),
    ):
        field.x, field.y, field.z = vector
    pdu.entityAppearance, pdu.capabilities = 0, 0
    pdu.marking.characterSet, pdu.marking.characters = 1, list(marking.encode().ljust(11, b"\0"))
    pdu.length = 144
    stream = io.BytesIO()
    pdu.serialize(DataOutputStream(stream))
    return stream.getvalue()


def circle(at, number, radius, speed, height):
    turn = speed / radius * at + number
    out, along = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
    place = (MIDDLE[0] + radius * out[0], MIDDLE[1] + radius * out[1], height)
    velocity = (speed * along[0], speed * along[1], 0.0)
    push = speed * speed / radius
    return place, velocity, (-push * out[0], -push * out[1], 0.0), speed / radius


link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
until = time.time() + words.seconds
while time.time() < until:
    for number in range(1, 9):
        at = time.time()
        motion = circle(at, number, 20.0 + 12.0 * number, 8.0, 12.0)
        link.sendto(state(number, (1, 1, 225, 1), at, *motion, f"TANK {number}", 1 + number % 2), (HOST, int(PORT)))
    for number in range(11, 15):
        at = time.time()
        motion = circle(at, number, 60.0 * (number - 9), 12.0, 80.0 + 10.0 * (number - 10))
        link.sendto(state(number, (1, 2, 225, 50), at, *motion, f"BIRD {number}", 1), (HOST, int(PORT)))
    time.sleep(0.2)
