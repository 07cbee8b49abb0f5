"""Writes crates/reckoning-lab/testdata/imports/dis-peer.pcap with software that is not ours.

PDUs are encoded by the PyPI package `opendis` 1.0, packets and the capture by `scapy` 2.8.0:

    pip install opendis==1.0 scapy==2.8.0 && python3 tools/dis-capture.py OUT.pcap

Two entities for ten seconds at 5 Hz: a truck on a circle, and a tank on a line that is destroyed after eight
seconds. Senders' clocks are exact; the capture comes 20 ms later, jittered. Other traffic lies between.
"""
import io
import math
import random
import sys

from opendis import dis7
from opendis.DataOutputStream import DataOutputStream
from scapy.all import IP, UDP, Ether, Raw, wrpcap

START = 1_700_000_000.0


def entity_state(number, force, marking, secs, place, velocity, appearance):
    pdu = dis7.EntityStatePdu()
    pdu.pduType = 1  # its constructor leaves 0
    pdu.protocolVersion, pdu.exerciseID, pdu.protocolFamily, pdu.length = 7, 1, 1, 144
    pdu.pduStatus = 0
    pdu.timestamp = (int((secs % 3600.0) * 2**31 / 3600.0) << 1) | 1
    pdu.entityID, pdu.forceId = dis7.EntityID(11, 22, number), force
    axes = zip("xyz", place, velocity)
    for axis, at, speed in axes:
        setattr(pdu.entityLocation, axis, at)
        setattr(pdu.entityLinearVelocity, axis, speed)
    pdu.entityOrientation.psi = math.atan2(velocity[1], velocity[0])
    pdu.entityAppearance, pdu.capabilities = appearance, 0
    pdu.deadReckoningParameters.deadReckoningAlgorithm = 2
    pdu.deadReckoningParameters.parameters = [0] * 15
    pdu.marking.characterSet = 1
    pdu.marking.characters = list(marking.encode().ljust(11, b"\0"))
    stream = io.BytesIO()
    pdu.serialize(DataOutputStream(stream))
    assert len(stream.getvalue()) == 144, len(stream.getvalue())
    return stream.getvalue()


def packet(at, payload, port=3000):
    link = Ether(src="02:00:00:00:00:01", dst="ff:ff:ff:ff:ff:ff")
    frame = link / IP(src="10.0.0.1", dst="10.0.0.255") / UDP(sport=port, dport=port) / Raw(payload)
    frame.time = at
    return frame


def main(path):
    dice, packets = random.Random(7), []
    for tick in range(50):
        secs = 3_595.0 + tick / 5  # crosses the full hour
        arrived = START + tick / 5 + 0.02 + dice.uniform(0, 0.015)
        turn = 0.5 * tick / 5
        place = (4_000_000.0 + 100 * math.cos(turn), 100 * math.sin(turn), 4_900_000.0)
        velocity = (-50 * math.sin(turn), 50 * math.cos(turn), 0.0)
        packets.append(packet(arrived, entity_state(1, 1, "TRUCK", secs, place, velocity, 0)))
        dead = tick >= 40
        place = (4_000_000.0, 3.0 * min(tick, 40), 4_900_000.0)
        velocity = (0.0, 0.0 if dead else 15.0, 0.0)
        tank = entity_state(2, 2, "TANK", secs, place, velocity, 0x18 if dead else 0)
        packets.append(packet(arrived + 0.001, tank))
        if tick % 10 == 0:
            packets.append(packet(arrived + 0.002, b"\x12\x34\x01\x00 other traffic", 53))
    wrpcap(path, packets)


main(sys.argv[1])
