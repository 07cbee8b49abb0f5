"""A second decoder of the protocol: it follows PROTOCOL.md and shares no code with the crate.

    python3 tools/decode_wire.py testdata/vectors/wire.json

reads every datagram of the vectors, with the baselines it decoded itself, and compares every
field. Needs nothing but Python 3.
"""

import json
import math
import struct
import sys
from decimal import Decimal


class Refused(Exception):
    """Bytes that are not of this protocol."""


class Bits:
    """Section 1."""

    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        self.left = 8 * len(data)
        self.at = 0

    def u(self, n):
        if n > self.left:
            raise Refused("bits end early")
        got = self.value & ((1 << n) - 1)
        self.value >>= n
        self.left -= n
        self.at += n
        return got

    def bit(self):
        return self.u(1)

    def e(self, k):
        zeros = 0
        while self.bit() == 0:
            zeros += 1
            if zeros + k > 48:
                raise Refused("number too long")
        d = zeros + k
        return ((1 << d) | self.u(d)) - (1 << k)

    def s(self, k):
        folded = self.e(k)
        return folded // 2 if folded % 2 == 0 else -(folded + 1) // 2

    def f64(self):
        return struct.unpack("<d", struct.pack("<Q", self.u(64)))[0]

    def bytes(self, most):
        return self.aligned(self.u(10), most)

    def aligned(self, length, most):
        if length > most:
            raise Refused("bytes too long")
        if self.u(-self.at % 8) != 0:
            raise Refused("padding")
        return bytes(self.u(8) for _ in range(length))

    def at_end(self):
        return self.left < 8 and self.value == 0


# Section 4


def read_model(bits, known):
    kind = bits.u(4)
    model = {"kind": kind}
    if kind in (2, 3, 4):
        model["span_us"] = bits.u(40)
    elif kind == 5:
        model["tau_s"] = [bits.f64() for _ in range(4 if bits.bit() else 3)]
        last = 0.0
        for tau in model["tau_s"]:
            if not (tau > last and 1e-6 <= tau <= 1e9):
                raise Refused("time constants")
            last = tau
    elif kind == 7:
        model["gravity"] = bits.f64()
        model["floor"] = bits.f64()
        model["runs"] = bool(bits.bit())
    elif kind == 8:
        model["id"] = bits.u(16)
        if model["id"] not in known["paths"]:
            raise Refused("path")
    elif kind == 9:
        model["algorithm"] = bits.u(4)
        if not 1 <= model["algorithm"] <= 9:
            raise Refused("algorithm")
        model["inertial"] = bool(bits.bit())
    elif kind == 10:
        model["id"] = bits.u(8)
        if model["id"] not in known["customs"]:
            raise Refused("custom")
    elif kind > 10:
        raise Refused("model")
    return model


class Codes:
    """Orders of the codes of updates that follow a model."""

    NAMES = ("age", "position", "velocity", "term", "closing", "acceleration", "turn", "spin")
    WHOLE = ("whole_position", "whole_velocity")
    DEFAULT = (4, 5, 3, 4, 0, 4, 3, 3, 10, 5)

    def __init__(self, bits):
        told = bits.bit()
        orders = [bits.u(4) if told else order for order in self.DEFAULT]
        self.__dict__.update(zip(self.NAMES + self.WHOLE, orders))
        self.turning = bool(told and bits.bit())


class Format:
    def __init__(self, data, known):
        bits = Bits(data)
        self.known = known
        self.flat = bool(bits.bit())
        self.hz = bits.u(17)
        self.steps = [bits.f64() for _ in range(5)]
        count = bits.u(4)
        if count > 8:
            raise Refused("count of models")
        self.models = [read_model(bits, known) for _ in range(count)]
        self.codes = [Codes(bits) for _ in range(count + 1)]
        self.axes = 2 if self.flat else 3

    def codes_of(self, model):
        """Those of its place in the table, or the last ones."""
        listed = self.models.index(model) if model in self.models else -1
        return self.codes[listed]

    def for_class(self, number):
        steps = [step * 2.0**number for step in self.steps]
        steps[4] = min(steps[4], 0.25)
        return steps

    def tick(self, us):
        tick = (2 * us * self.hz + 1_000_000) // 2_000_000
        return max(-(2**46), min(2**46, tick))

    def ride_ticks(self):
        m = 1
        while self.hz >= 60 * 2 * m:
            m *= 2
        return m

    def time_us(self, tick):
        return tick * 1_000_000 // self.hz


# Section 5


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def times(a, factor):
    return [x * factor for x in a]


def cross(a, b):
    return [
        a[1] * b[2] - b[1] * a[2],
        a[2] * b[0] - b[2] * a[0],
        a[0] * b[1] - b[0] * a[1],
    ]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


ZERO = [0.0, 0.0, 0.0]


class Spin:
    def __init__(self, w, t):
        self.u = times(w, t)
        self.t = t
        y = dot(self.u, self.u)
        if y >= 4.0:
            r = math.sqrt(y)
            A = math.sin(r) / r
            B = (1.0 - math.cos(r)) / y
            C = (1.0 - A) / y
            D = (A - math.cos(r)) / y
            E = (0.5 - A + B) / y
        else:
            A = B = C = D = E = 0.0
            k, n = 1.0, 2.0
            while abs(k) > 1e-18:
                A += k
                B += k / n
                C += k / (n * (n + 1.0))
                D += k / (n + 1.0)
                E += k / (n * (n + 2.0))
                k = k * (-y / (n * (n + 1.0)))
                n += 2.0
        self.factors = A, B, C, D, E

    def mix(self, straight, across, inward, v):
        crossed = cross(self.u, v)
        twice = cross(self.u, crossed)
        return add(add(times(v, straight), times(crossed, across)), times(twice, inward))

    def turned(self, v):
        A, B, _, _, _ = self.factors
        return self.mix(1.0, A, B, v)

    def swept(self, v):
        _, B, C, _, _ = self.factors
        return times(self.mix(1.0, B, C, v), self.t)

    def ramped(self, v):
        _, _, _, D, E = self.factors
        return times(self.mix(0.5, D, E, v), self.t * self.t)


class Line:
    def __init__(self, points, closed):
        self.points = points + points[:1] if closed else points
        self.closed = closed
        self.run = [0.0]
        for a, b in zip(self.points, self.points[1:]):
            chord = sub(b, a)
            self.run.append(self.run[-1] + math.sqrt(dot(chord, chord)))

    def wrap(self, m):
        length = self.run[-1]
        if self.closed:
            m = m - math.floor(m / length) * length
        return min(max(m, 0.0), length)

    def lap(self, step):
        steps = math.ceil(self.run[-1] / step)
        return steps if self.closed and 1 <= steps <= MOST else None

    def place(self, m):
        m = self.wrap(m)
        i = max(k for k in range(len(self.run) - 1) if self.run[k] <= m)
        p, q = self.points[i], self.points[i + 1]
        s, e = self.run[i], self.run[i + 1]
        share = (m - s) / (e - s)
        return add(p, times(sub(q, p), share)), [x / (e - s) for x in sub(q, p)]

    def heading(self, m, flat):
        x, y, z = self.place(m)[1]
        z = 0.0 if flat else z
        h = math.sqrt(x * x + y * y)
        length = math.sqrt(h * h + z * z)
        if not h > 1e-6:
            return [0.0, 0.0, 0.0, 1.0]
        (c, s), (k, n) = half(x / h, y / h), half(h / length, -z / length)
        return [-s * n, c * n, s * k, c * k]

    def ended(self, m):
        return not self.closed and not 0.0 <= m <= self.run[-1]


def half(x, y):
    if x >= 0.0:
        w = math.sqrt((1.0 + x) * 0.5)
        return w, y / (2.0 * w)
    w = math.sqrt((1.0 - x) * 0.5)
    return abs(y) / (2.0 * w), -w if y < 0.0 else w


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


# Through decimals, which round the 28 digits they have only once more.
ROOTS = [float(Decimal(2) ** (Decimal(-k) / 128)) for k in range(128)]
DECAY_STEPS = 184.6649652337873


def decay(y):
    y = min(y, 129000.0)
    n = round(y)
    f = n - y
    s = f * f
    total = (1.0 + f * 5.4152123481245725e-3) + s * (
        (1.4662262387640425e-5 + f * 2.646642144433097e-8) + s * 3.583032305400251e-11
    )
    return ROOTS[n % 128] * 2.0 ** -(n // 128) * total


class Motion:
    """A decoded update, asked about other moments."""

    def __init__(self, update, known):
        self.p = update["position"]
        self.v = update["velocity"]
        self.a = update["acceleration"]
        self.q = update["orientation"]
        self.w = update["angular_velocity"]
        self.model = update["model"]
        self.known = known

    def position(self, t):
        if t < 0.0:
            got = add(self.p, times(self.velocity_ahead(0.0), t))
        else:
            got = self.position_ahead(t)
        return got if all(map(math.isfinite, got)) else self.p

    def velocity(self, t):
        got = self.velocity_ahead(max(t, 0.0))
        return got if all(map(math.isfinite, got)) else ZERO

    def span(self):
        return self.model["span_us"] / 1_000_000.0

    def faded(self, t):
        fade = self.span()
        return -fade * math.expm1(-t / fade) if fade else 0.0

    def pushed(self, t):
        fade = self.span()
        x = t / fade if fade else math.inf
        if x < 0.01:
            tail = 1 / 24 - x * (1 / 120 - x * (1 / 720 - x / 5040))
            return t * t * (0.5 - x * (1 / 6 - x * tail))
        return (t - self.faded(t)) * fade

    def dis_push(self):
        algorithm = self.model["algorithm"]
        if algorithm in (4, 5, 9):
            return self.a
        if algorithm == 8:
            return sub(self.a, cross(self.w, self.v))
        return ZERO

    def lands_after(self):
        g = self.model["gravity"]
        h = max(self.p[2] - self.model["floor"], 0.0)
        up = self.v[2]
        inside = up * up + 2.0 * g * h
        if g > 0.0:
            root = math.sqrt(inside)
            return (up + root) / g if up >= 0.0 else 2.0 * h / (root - up)
        if up >= 0.0 or inside < 0.0:
            return math.inf
        return 2.0 * h / (math.sqrt(inside) - up)

    def position_ahead(self, t):
        kind, p, v, a = self.model["kind"], self.p, self.v, self.a
        if kind == 0:
            return p
        if kind == 1:
            return add(p, times(v, t))
        if kind == 2:
            m = min(t, self.span())
            pushed = add(p, times(add(v, times(a, 0.5 * m)), m))
            return add(pushed, times(add(v, times(a, m)), t - m))
        if kind == 3:
            return add(p, times(v, self.faded(t)))
        if kind == 4:
            return add(add(p, times(v, t)), times(a, self.pushed(t)))
        if kind == 5:
            return add(p, self.terms(lambda tau: tau * (1.0 - decay(t * (DECAY_STEPS / tau)))))
        if kind == 6:
            return add(p, Spin(self.w, t).swept(v))
        if kind == 7:
            ends = self.lands_after()
            s = min(t, ends)
            run = t if self.model["runs"] else s
            if t > s:
                z = min(self.model["floor"], p[2])
            else:
                z = p[2] + (v[2] - 0.5 * self.model["gravity"] * s) * s
            return [p[0] + v[0] * run, p[1] + v[1] * run, z]
        if kind == 8:
            line = self.known["paths"][self.model["id"]]
            start, _ = line.place(self.model["progress"])
            place, _ = line.place(self.model["progress"] + self.model["rate"] * t)
            return add(place, sub(p, start))
        if kind == 9:
            if self.model["algorithm"] == 1:
                return p
            push = self.dis_push()
            if self.model["algorithm"] in (7, 8):
                spin = Spin(self.w, t)
                return add(p, add(spin.swept(v), spin.ramped(push)))
            return add(p, add(times(v, t), times(push, 0.5 * t * t)))
        return self.known["customs"][self.model["id"]](self, t)

    def velocity_ahead(self, t):
        kind, v, a = self.model["kind"], self.v, self.a
        if kind == 0:
            return ZERO
        if kind == 1:
            return v
        if kind == 2:
            return add(v, times(a, min(t, self.span())))
        if kind == 3:
            fade = self.span()
            return times(v, math.exp(-t / fade) if fade else 0.0)
        if kind == 4:
            return add(v, times(a, self.faded(t)))
        if kind == 5:
            return self.terms(lambda tau: decay(t * (DECAY_STEPS / tau)))
        if kind == 6:
            return Spin(self.w, t).turned(v)
        if kind == 7:
            if t <= self.lands_after():
                return [v[0], v[1], v[2] - self.model["gravity"] * t]
            return [v[0], v[1], 0.0] if self.model["runs"] else ZERO
        if kind == 8:
            line = self.known["paths"][self.model["id"]]
            m = self.model["progress"] + self.model["rate"] * t
            return ZERO if line.ended(m) else times(line.place(m)[1], self.model["rate"])
        if kind == 9:
            if self.model["algorithm"] == 1:
                return ZERO
            got = add(v, times(self.dis_push(), t))
            turning = self.model["algorithm"] in (7, 8)
            return Spin(self.w, t).turned(got) if turning else got
        custom = self.known["customs"][self.model["id"]]
        ahead = t + 0.001
        behind = max(t - 0.001, 0.0)
        return [x / (ahead - behind) for x in sub(custom(self, ahead), custom(self, behind))]

    def terms(self, weight):
        pairs = zip(self.model["tau_s"], self.model["coefficients"])
        a, b, c, *d = [times(push, weight(tau)) for tau, push in pairs]
        return add(add(a, b), add(c, d[0] if d else ZERO))

    def orientation(self, t):
        kind = self.model["kind"]
        still = kind in (0, 8) or (kind == 9 and self.model["algorithm"] in (1, 2, 5, 6, 9))
        if self.w == ZERO or still:
            return self.q
        h = times(times(self.w, t), 0.5)
        y = dot(h, h)
        if y < 1e-8:
            k, c = 1.0 - y / 6.0, 1.0 - y * 0.5 + y * y / 24.0
        else:
            r = math.sqrt(y)
            k, c = math.sin(r) / r, math.cos(r)
        got = product([h[0] * k, h[1] * k, h[2] * k, c], self.q)
        return got if all(map(math.isfinite, got)) else self.q


# Section 3

MOST = 2**40


def cell(x, step):
    quotient = x / step
    if abs(quotient) >= MOST:
        return MOST if quotient > 0 else -MOST
    # Halves away from zero.
    whole = math.floor(abs(quotient))
    if abs(quotient) - whole >= 0.5:
        whole += 1
    return whole if quotient >= 0 else -whole


def on(name, off, foreseen):
    got = [a + b for a, b in zip(off, foreseen)]
    if any(abs(n) > MOST for n in got):
        raise Refused(name + " out of range")
    return got


class Body:
    """An update as it was read."""

    def __init__(self, bits, form, near_tick, has_baseline):
        self.form = form
        self.has_baseline = has_baseline
        usual = bits.bit()
        self.kind, self.teleports = "Partial", 0
        if usual and not form.models:
            raise Refused("usual")
        if usual:
            self.model = dict(form.models[0])
        else:
            self.take_head(bits)
        self.codes = codes = form.codes_of(self.model)
        self.leaps = self.kind == "Teleport" or self.teleports != 0
        self.turns, self.spins = False, [0, 0, 0]
        self.acceleration = [0, 0, 0]
        if self.model["kind"] == 8:
            return self.take_ride(bits, near_tick)
        self.tick = near_tick - bits.s(codes.age)
        if abs(self.tick) > 2**46:
            raise Refused("stamp")
        self.position = self.vector(bits, codes.position if has_baseline else codes.whole_position)
        self.velocity = self.vector(bits, codes.velocity if has_baseline else codes.whole_velocity)
        kind = self.model["kind"]
        if kind == 5:
            self.closes = bits.bit()
            count = len(self.model["tau_s"])
            self.terms = []
            for i in range(count):
                order = codes.closing if self.closes and i == count - 1 else codes.term
                self.terms.append(self.vector(bits, order) if bits.bit() else [0, 0, 0])
        if kind in (2, 4, 10) or (kind == 9 and self.model["algorithm"] in (4, 5, 8, 9)):
            self.acceleration = self.vector(bits, codes.acceleration)
        if codes.turning if usual else bits.bit():
            self.take_turning(bits)

    def take_head(self, bits):
        self.kind = self.take_kind(bits)
        if self.kind == "Teleport":
            self.kind = self.take_kind(bits)
            self.teleports = bits.s(0 if self.has_baseline else 2)
            if not -(2**31) <= self.teleports < 2**31:
                raise Refused("teleports")
            if self.teleports == 0 and self.kind != "Teleport":
                raise Refused("teleports")
        self.model = self.take_model(bits)

    def take_ride(self, bits, near_tick):
        m = self.form.ride_ticks()
        plain = bits.bit()
        self.tick = (near_tick // m - (0 if plain else bits.s(1))) * m
        if abs(self.tick) > 2**46:
            raise Refused("stamp")
        self.progress = bits.s(5 if self.has_baseline else 10)
        self.rate = bits.s(2 if self.has_baseline else 5)
        self.position = self.velocity = [0, 0, 0]
        if plain:
            return
        if bits.bit():
            self.position = self.vector(bits, 5 if self.has_baseline else 10)
        self.turns = bool(bits.bit())
        if self.turns:
            self.take_turns(bits)

    @staticmethod
    def take_kind(bits):
        if not bits.bit():
            return "Partial"
        return "Teleport" if bits.bit() else "Full"

    def take_model(self, bits):
        for model in self.form.models:
            if bits.bit():
                return dict(model)
        return read_model(bits, self.form.known)

    def vector(self, bits, order):
        got = [bits.s(order) for _ in range(self.form.axes)]
        return got + [0] * (3 - len(got))

    def take_turning(self, bits):
        self.turns = bool(bits.bit())
        if self.turns:
            self.take_turns(bits)
        if bits.bit():
            spin = self.codes.spin
            self.spins = [0, 0, bits.s(spin)] if self.form.flat else [bits.s(spin) for _ in range(3)]

    def take_turns(self, bits):
        if self.form.flat:
            self.turn = bits.s(self.codes.turn)
            return
        self.left_out = bits.u(2)
        self.parts = [bits.s(self.codes.turn) for _ in range(3)]

    def resolve(self, steps, baseline):
        """The update; `baseline` is another one or None."""
        if self.has_baseline != (baseline is not None):
            raise Refused("baseline")
        if self.model["kind"] == 8:
            return self.resolve_ride(steps, baseline)
        known = self.form.known
        at_us = self.form.time_us(self.tick)
        position_step, velocity_step, acceleration_step, angular_step, turn_step = steps
        t, foreseen_q = 0.0, [0.0, 0.0, 0.0, 1.0]
        foreseen_p = foreseen_v = foreseen_w = [0, 0, 0]
        motion = None
        if baseline is not None:
            motion = Motion(baseline, known)
            t = (at_us - baseline["at_us"]) / 1_000_000.0
            foreseen_p = self.cells(motion.position(t), position_step)
            velocity = motion.velocity(t)
            if t > 0.0 and not self.leaps:
                kick = [r * position_step * 1.5 / t for r in self.position]
                velocity = add(velocity, kick)
            foreseen_v = self.cells(velocity, velocity_step)
            foreseen_w = [cell(x, angular_step) for x in motion.w]
            if self.form.flat:
                foreseen_w[0] = foreseen_w[1] = 0
            foreseen_q = motion.orientation(t)
        position = on("position", self.position, foreseen_p)
        velocity = on("velocity", self.velocity, foreseen_v)
        angular = on("angular velocity", self.spins, foreseen_w)
        if any(abs(n) > MOST for n in self.acceleration):
            raise Refused("acceleration out of range")
        model = dict(self.model)
        if model["kind"] == 5:
            terms = self.resolve_terms(velocity, baseline, t, velocity_step)
            model["coefficients"] = [times(term, velocity_step) for term in terms]
            total = [sum(axis) for axis in zip(*terms)]
            if all(abs(a) <= MOST and abs(a - b) <= 2 for a, b in zip(total, velocity)):
                velocity = total
        return {
            "at_us": at_us,
            "kind": self.kind,
            "teleports": (self.teleports + (baseline["teleports"] if baseline else 0)) % 2**32,
            "position": times(position, position_step),
            "velocity": times(velocity, velocity_step),
            "acceleration": times(self.acceleration, acceleration_step),
            "orientation": self.resolve_turn(foreseen_q, baseline is not None, turn_step),
            "angular_velocity": times(angular, angular_step),
            "model": model,
        }

    def resolve_ride(self, steps, baseline):
        flat, line = self.form.flat, self.form.known["paths"][self.model["id"]]
        position_step, _, _, _, turn_step = steps
        progress_step, rate_step = position_step * 4.0, position_step * 4.0 * 2.0
        lap = line.lap(progress_step)
        at_us, t = self.form.time_us(self.tick), 0.0
        progress, rate, beside, q = 0, 0.0, [0, 0, 0], [0.0, 0.0, 0.0, 1.0]
        old = baseline["model"] if baseline else {}
        if baseline is not None:
            t = (at_us - baseline["at_us"]) / 1_000_000.0
        same_path = old.get("kind") == 8 and old["id"] == self.model["id"]
        if same_path:
            progress = cell(line.wrap(old["progress"] + old["rate"] * t), progress_step)
            if lap and progress >= lap:
                progress = 0
            rate = old["rate"]
            beside = self.beside(line, old["progress"], baseline["position"], position_step)
            x, y, z, w = line.heading(old["progress"], flat)
            q = product([-x, -y, -z, w], baseline["orientation"])
        if t > 0.0 and not self.leaps:
            rate += self.progress * progress_step * 2.0 / t
        progress += self.progress
        if lap:
            progress %= lap
        got = on("ride", [progress, self.rate], [0, cell(rate, rate_step)])
        model = dict(self.model)
        m = model["progress"] = got[0] * progress_step
        model["rate"] = got[1] * rate_step
        place = self.level(line.place(m)[0])
        off = on("position", self.position, beside)
        direction = ZERO if line.ended(m) else times(line.place(m)[1], model["rate"])
        turn = self.resolve_turn(q, baseline is not None, turn_step)
        return {
            "at_us": at_us,
            "kind": self.kind,
            "teleports": (self.teleports + (baseline["teleports"] if baseline else 0)) % 2**32,
            "position": add(place, times(off, position_step)) if any(off) else place,
            "velocity": self.level(direction),
            "acceleration": ZERO,
            "orientation": unit(product(line.heading(m, flat), turn)),
            "angular_velocity": ZERO,
            "model": model,
        }

    def level(self, v):
        return [v[0], v[1], 0.0] if self.form.flat else v

    def beside(self, line, progress, position, step):
        off = self.level(sub(position, line.place(progress)[0]))
        if max(map(abs, off)) < 0.75 * step:
            return [0, 0, 0]
        return self.cells(off, step)

    def cells(self, vector, step):
        got = [cell(x, step) for x in vector]
        if self.form.flat:
            got[2] = 0
        return got

    def resolve_terms(self, velocity, baseline, t, step):
        old = baseline["model"] if baseline else {}
        count = len(self.terms)
        foreseen = [[0, 0, 0] for _ in range(count)]
        if old.get("kind") == 5 and old["tau_s"] == self.model["tau_s"]:
            for i, tau in enumerate(old["tau_s"]):
                left = math.exp(-max(t, 0.0) / tau)
                foreseen[i] = self.cells(times(old["coefficients"][i], left), step)
        got = []
        for i in range(count):
            if self.closes and i == count - 1:
                foreseen[i] = velocity
                for term in got:
                    foreseen[i] = sub(foreseen[i], term)
            got.append(on("curve coefficient", self.terms[i], foreseen[i]))
        return got

    def resolve_turn(self, q, has_baseline, step):
        if self.form.flat:
            n_all = 4
            while n_all < math.pi / step:
                n_all *= 2
            n = cell(math.atan2(q[2], q[3]) / math.pi * n_all, 1.0)
            n += self.turn if self.turns else 0
            n = (n + n_all // 2) % n_all - n_all // 2
            h = n * math.pi / n_all
            return unit([0.0, 0.0, math.sin(h), math.cos(h)])
        if self.turns:
            about = apart(q, self.left_out, step) if has_baseline else [0, 0, 0]
            parts = on("orientation", self.parts, about)
            if not largest_left_out(parts, step):
                raise Refused("orientation")
            return together(parts, self.left_out, step)
        left_out = max(range(4), key=lambda i: (abs(q[i]), -i))
        parts = apart(q, left_out, step)
        while not largest_left_out(parts, step):
            i = max(range(3), key=lambda i: (abs(parts[i]), -i))
            parts[i] -= 1 if parts[i] > 0 else -1
        return together(parts, left_out, step)


def apart(q, left_out, step):
    sign = -1.0 if q[left_out] < 0.0 else 1.0
    return [cell(q[i] * sign, step) for i in range(4) if i != left_out]


def rest(parts, step):
    a, b, c = (n * step for n in parts)
    return math.sqrt(max(1.0 - (a * a + b * b + c * c), 0.0))


def largest_left_out(parts, step):
    largest = max(abs(n) for n in parts) * step
    return largest <= 1.0 and rest(parts, step) > largest + 1e-9


def together(parts, left_out, step):
    q = [n * step for n in parts]
    q.insert(left_out, rest(parts, step))
    return unit(q)


def unit(q):
    factor = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return times(q, factor)


# Section 2

KINDS = {
    1: "Join", 2: "Leave", 3: "Ping", 4: "Welcome", 5: "Refused", 6: "Bye", 7: "Pong",
    8: "Enter", 9: "Exit", 10: "Correct", 11: "Grant", 12: "Revoke", 13: "Reliable",
    14: "ReliableAck", 15: "Command", 16: "View", 17: "Kind", 18: "Property", 19: "Joints",
    20: "Ask", 21: "Values", 22: "Kick",
}


class Datagram:
    def __init__(self, data, form):
        self.bits = Bits(data)
        self.form = form
        self.entity = 2**32 - 1
        self.joints_of = 2**32 - 1
        self.rides_of = 2**32 - 1
        self.class_ = 0
        bits = self.bits
        self.header = {"sequence": bits.u(16), "sent_ms": bits.s(20), "ack": None}
        if bits.bit():
            newest, received_ms = bits.u(16), bits.u(16)
            before = 2**32 - 1 if bits.bit() else bits.u(32)
            self.header["ack"] = {
                "newest": newest, "before": before, "received_ms": received_ms,
            }

    def messages(self):
        while not self.bits.at_end():
            yield self.message()

    def message(self):
        bits = self.bits
        if bits.bit():
            got, gap = {"kind": "Update", "entity": None}, bits.e(2)
            if bits.bit():
                ahead = bits.e(1) + 1
                if ahead > 31:
                    raise Refused("ahead")
                low = bits.u(ahead.bit_length())
                got["number"] = {"low": low, "ahead": ahead}
            else:
                got["number"] = bits.u(16)
            got = self.with_body(got, isinstance(got["number"], dict))
            got["entity"] = self.updated(gap, got["body"].model["kind"] == 8)
            return got
        kind = KINDS.get(bits.u(5))
        got = {"kind": kind}
        if kind == "Join":
            got["version"] = bits.u(16)
            got["token"] = bits.bytes(512).hex()
        elif kind == "Ping":
            got["sent_us"] = bits.u(64)
        elif kind == "Welcome":
            got["peer"] = bits.u(32)
            got["format"] = bits.bytes(700).hex()
            got["config"] = bits.bytes(255).hex()
        elif kind in ("Refused", "Bye", "Kick"):
            got["code"] = bits.u(4)
            got["detail"] = bits.u(16)
            if got["code"] > 7:
                raise Refused("code")
            if kind == "Kick":
                got["words"] = self.take_words()
        elif kind == "Pong":
            for name in ("sent_us", "received_us", "answered_us"):
                got[name] = bits.u(64)
        elif kind == "Enter":
            got["entity"] = self.take_entity()
            got["owner"] = bits.u(32) if bits.bit() else None
            got["body_kind"] = self.take_body_kind() if bits.bit() else 0
            got["number"] = bits.u(16)
            got = self.with_body(got, False)
            got["tag"] = bits.bytes(255).hex()
        elif kind in ("Exit", "Grant", "Revoke", "Ask"):
            got["entity"] = self.take_entity()
            if kind == "Grant":
                got["body_kind"] = self.take_body_kind() if bits.bit() else 0
            if kind == "Exit":
                got["despawned"] = bits.bit() == 1
        elif kind == "Correct":
            got["entity"] = self.take_entity()
            got["serial"] = bits.u(16)
            got = self.with_body(got, False)
        elif kind == "Reliable":
            got["index"] = bits.u(16)
            got["bytes"] = bits.bytes(900).hex()
        elif kind == "ReliableAck":
            got["next"] = bits.u(16)
        elif kind == "Command":
            got["index"] = bits.u(16)
            got["bytes"] = bits.bytes(255).hex()
        elif kind == "View":
            got["bytes"] = bits.bytes(48).hex()
        elif kind == "Kind":
            got["body_kind"] = self.take_body_kind()
            got["bytes"] = bits.bytes(700).hex()
        elif kind == "Joints":
            self.joints_of = (self.joints_of + 1 + bits.e(2)) % 2**32
            got["entity"] = self.joints_of
            mask = got["mask"] = bits.u(8)
            got["codes"] = [bits.u(16) if mask >> place & 1 else 0 for place in range(8)]
        elif kind == "Property":
            got["property"] = bits.u(5)
            got["bytes"] = bits.bytes(64).hex()
        elif kind == "Values":
            got["entity"] = self.take_entity()
            got["bytes"] = bits.aligned(bits.e(3), 300).hex()
        elif kind != "Leave":
            raise Refused("kind of message")
        return got

    def take_words(self):
        try:
            words = self.bits.bytes(200).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused("words") from error
        if any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in words):
            raise Refused("words")
        return words

    def updated(self, gap, rides):
        last = self.rides_of if rides else self.entity
        entity = (last + 1 + gap) % 2**32
        if rides:
            self.rides_of = entity
        else:
            self.entity = entity
        return entity

    def take_entity(self):
        self.entity = (self.entity + 1 + self.bits.e(2)) % 2**32
        return self.entity

    def take_body_kind(self):
        kind = self.bits.u(6)
        if not 1 <= kind <= 32:
            raise Refused("kind")
        return kind

    def with_body(self, got, has_baseline):
        if self.bits.bit():
            self.class_ = self.bits.u(4)
        got["class"] = self.class_
        near = self.form.tick(1000 * self.header["sent_ms"])
        got["body"] = Body(self.bits, self.form, near, has_baseline)
        return got


class Receiver:
    """What a receiver remembers of entities: their updates by number."""

    def __init__(self, form):
        self.form = form
        self.heard = {}

    def hear(self, message):
        body = message.pop("body", None)
        if body is None:
            return message
        steps = self.form.for_class(message["class"])
        number, baseline = message.get("number"), None
        heard = self.heard.setdefault(message["entity"], {})
        if isinstance(number, dict):
            newest = heard["newest"]
            apart = 2 ** number["ahead"].bit_length()
            base = (newest - (newest - number["low"]) % apart) % 2**16
            baseline = heard[base]
            number = (base + number["ahead"]) % 2**16
        message["update"] = body.resolve(steps, baseline)
        # The vectors code all updates of an entity off its first one.
        if message["kind"] == "Enter":
            heard["newest"] = number
            heard[number] = message["update"]
        return message


# Section 4, kinds and properties


class Postcard:
    """The encoding of the crate postcard 1."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise Refused("bytes end early")
        self.at += n
        return self.data[self.at - n : self.at]

    def u8(self):
        return self.take(1)[0]

    def number(self):
        got, shift = 0, 0
        while True:
            byte = self.u8()
            got |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return got
            if shift > 63:
                raise Refused("number too long")

    def bool(self):
        got = self.u8()
        if got > 1:
            raise Refused("bool")
        return bool(got)

    def f64(self):
        return struct.unpack("<d", self.take(8))[0]

    def text(self):
        try:
            return self.take(self.number()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused("text") from error

    def span_ns(self):
        seconds = self.number()
        return 1_000_000_000 * seconds + self.number()

    def option(self, read):
        return read() if self.bool() else None

    def list(self, read):
        return [read() for _ in range(self.number())]

    def variant(self, *reads):
        number = self.number()
        if number >= len(reads):
            raise Refused("variant")
        return {"variant": number, **reads[number]()}

    def fields(self, **reads):
        return {name: read() for name, read in reads.items()}

    def end(self):
        if self.at != len(self.data):
            raise Refused("bytes behind the end")


def nothing():
    return {}


def read_publisher(p):
    model = lambda: p.variant(
        nothing,
        nothing,
        lambda: p.fields(span_ns=p.span_ns),
        lambda: p.fields(span_ns=p.span_ns),
        lambda: p.fields(span_ns=p.span_ns),
        lambda: p.fields(
            tau_s=lambda: p.list(p.f64),
            coefficients=lambda: p.list(lambda: [p.f64() for _ in range(3)]),
        ),
        nothing,
        lambda: p.fields(gravity=p.f64, floor=p.f64, runs=p.bool),
        lambda: p.fields(algorithm=p.u8, inertial=p.bool),
    )
    return p.fields(
        threshold_m=p.f64, per_axis=p.bool, angle_threshold_rad=lambda: p.option(p.f64),
        heartbeat_ns=p.span_ns, full_interval_ns=p.span_ns, heartbeat_spread=p.f64,
        seed=p.number, min_interval_ns=p.span_ns, angle_min_interval_ns=p.span_ns, model=model,
        quantiser=lambda: [p.f64() for _ in range(5)], export_stops=p.bool,
        stop_repeat_ns=p.span_ns, damp_acceleration=p.bool, lookahead_ns=p.span_ns,
        judge_ahead_ns=lambda: p.option(p.span_ns),
    )


def read_show(p):
    span = lambda: p.variant(
        lambda: p.fields(span_ns=p.span_ns),
        lambda: p.fields(min_ns=p.span_ns, max_ns=p.span_ns),
        lambda: p.fields(min_ns=p.span_ns, max_ns=p.span_ns, per_metre_ns=p.span_ns),
        lambda: p.fields(min_ns=p.span_ns, max_ns=p.span_ns, at_metre_ns=p.span_ns),
    )
    timing = lambda: p.variant(nothing, lambda: p.fields(delay_ns=p.span_ns))
    pace = lambda: p.fields(max_speed_mps=p.f64, max_span_ns=p.span_ns)
    return p.variant(
        lambda: p.fields(
            blend=p.number, span=span, max_extrapolation_ns=p.span_ns, timing=timing,
            min_heading_speed_mps=p.f64, pace=lambda: p.option(pace), hedged=p.bool,
        ),
        lambda: p.fields(
            min_delay_ns=p.span_ns, max_delay_ns=p.span_ns, max_extrapolation_ns=p.span_ns,
            span_ns=p.span_ns, min_heading_speed_mps=p.f64,
        ),
        nothing,
    )


def read_joint(p):
    source = lambda: p.variant(
        lambda: p.fields(
            range_rad=lambda: p.option(lambda: [p.f64(), p.f64()]), max_rate_radps=p.f64,
            threshold_rad=p.f64, min_interval_ns=p.span_ns, heartbeat_ns=p.span_ns,
            blend_ns=p.span_ns,
        ),
        lambda: p.fields(hub=lambda: [p.f64() for _ in range(3)], radius_m=p.f64),
        lambda: p.fields(wheelbase_m=p.f64, max_rad=p.f64, min_speed_mps=p.f64),
    )
    return p.fields(name=p.text, source=source)


def read_planner(p):
    interest = lambda: p.fields(
        strength=p.f64, transition_per_m=p.f64, transition_slices=p.number, slice_s=p.f64,
        lead=p.f64, preference=p.f64,
    )
    patterns = lambda: p.fields(
        battle_m=p.f64, friend_weight=p.f64, advance_m=p.f64, transition_per_m=p.f64,
        transition_ticks=p.number, follow_in_battle=p.f64, follow_out_of_battle=p.f64,
        align_near_m=p.f64, align_far_m=p.f64, window_x_m=p.f64, window_y_m=p.f64,
        tick_hz=p.number, avoid_walls=p.bool,
    )
    trend = lambda: p.fields(pull=p.number, trust_s=p.f64)
    return p.variant(
        nothing, interest, interest, patterns, patterns, patterns, patterns,
        trend,
        lambda: p.fields(attraction=p.f64, half_strength=p.f64, slice_s=p.f64),
        lambda: p.fields(network=p.text, choose=p.bool),
        lambda: p.fields(fade_ns=p.span_ns, patterns=patterns, interest=interest, trend=trend),
    )


def read_kind(data):
    p = Postcard(data)
    ground = lambda: p.fields(
        mode=p.number,
        footprint=lambda: p.variant(
            lambda: p.fields(half_length_m=p.f64, half_width_m=p.f64), nothing, nothing
        ),
        origin_height_m=p.f64, near_m=p.f64, far_m=p.f64, far_interval_ns=p.span_ns,
    )
    class_ = lambda: p.fields(
        coarser=p.u8, show=lambda: p.option(lambda: read_show(p)),
        clamp=lambda: p.option(p.number),
    )
    facing = lambda: p.variant(
        nothing, lambda: p.fields(min_speed_mps=p.f64), lambda: p.fields(min_speed_mps=p.f64),
        lambda: p.fields(length_m=p.f64),
    )
    aim = lambda: p.fields(
        from_ns=p.span_ns, to_ns=p.span_ns, max_offset=p.f64, overhead_bytes=p.f64,
        line_bytes=p.f64, curve_bytes=p.f64,
    )
    by_id = lambda: p.variant(lambda: p.fields(id=p.number), lambda: p.fields(id=p.u8))
    got = p.fields(
        name=p.text, publisher=lambda: read_publisher(p), by_id=lambda: p.option(by_id),
        show=lambda: read_show(p), classes=lambda: p.option(lambda: p.list(class_)),
        facing=facing, ground=lambda: p.option(ground),
        joints=lambda: p.list(lambda: read_joint(p)), planner=lambda: read_planner(p),
        by_place_m=lambda: p.option(lambda: [p.f64(), p.f64()]), prevents=p.bool,
        dormant=p.bool, aim=lambda: p.option(aim),
    )
    p.end()
    if not 1 <= len(got["name"].encode()) <= 32:
        raise Refused("name")
    return got


def read_property(data):
    p = Postcard(data)
    got = p.fields(
        name=p.text, value=p.number, seen=p.number, writer=p.number, interval_ns=p.span_ns
    )
    p.end()
    if got["value"] > 7 or got["seen"] > 2 or got["writer"] > 1:
        raise Refused("property")
    return got


def read_values(data, properties):
    """Section 2: the inside of `Values`."""
    bits = Bits(data)
    here = [bits.bit() for _ in properties]
    got = {}
    for property_, is_here in zip(properties, here):
        if is_here:
            got[property_["name"]] = read_value(bits, property_["value"])
    if not (bits.left < 8 and bits.value == 0):
        raise Refused("bits behind the last value")
    return got


def read_value(bits, sort):
    if sort == 0:
        return bool(bits.bit())
    if sort <= 3:
        return bits.u((8, 16, 32)[sort - 1])
    if sort == 4:
        got = bits.u(32)
        return got - 2**32 if got >= 2**31 else got
    if sort == 5:
        got = struct.unpack("<f", struct.pack("<I", bits.u(32)))[0]
        if not math.isfinite(got):
            raise Refused("float")
        return got
    data = bits.aligned(bits.u(8), 255)
    if sort == 7:
        return data.hex()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("text") from error


def covers(got, expected, path):
    """Compares what is expected of `got`, which may say more."""
    if isinstance(expected, dict):
        return sum(covers(got[key], expected[key], f"{path}.{key}") for key in expected)
    return same(got, expected, path)


def check_declared(declared):
    fields = 0
    properties = [read_property(bytes.fromhex(it["bytes"])) for it in declared["properties"]]
    for got, expected in zip(properties, declared["properties"]):
        fields += same(got, expected["says"], "property")
    for expected in declared["kinds"]:
        fields += covers(read_kind(bytes.fromhex(expected["bytes"])), expected["says"], "kind")
    for expected in declared["values"]:
        got = read_values(bytes.fromhex(expected["bytes"]), properties)
        fields += same(got, expected["says"], "values")
    return fields


def same(got, expected, path):
    """Raises where the two differ; angles may differ in the last bits."""
    if isinstance(expected, dict):
        if sorted(got) != sorted(expected):
            raise AssertionError(f"{path}: {sorted(got)} instead of {sorted(expected)}")
        return sum(same(got[key], expected[key], f"{path}.{key}") for key in expected)
    if isinstance(expected, list):
        if len(got) != len(expected):
            raise AssertionError(f"{path}: {got} instead of {expected}")
        return sum(same(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(got, expected)))
    close = "orientation" in path and abs(got - expected) < 1e-15
    if got != expected and not close:
        raise AssertionError(f"{path}: {got!r} instead of {expected!r}")
    return 1


def sway(motion, t):
    return add(motion.p, times(motion.v, t / (1.0 + t)))


def main(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    about = vectors["about"]
    if about["version"] != 5:
        raise Refused("this decoder speaks version 5")
    known = {
        "paths": {p["id"]: Line(p["points"], p["closed"]) for p in about["paths"]},
        "customs": {custom["id"]: sway for custom in about["customs"]},
    }
    formats = {
        name: Format(bytes.fromhex(data), known) for name, data in about["formats"].items()
    }
    receivers = {name: Receiver(form) for name, form in formats.items()}
    fields = check_declared(vectors["declared"])
    for number, expected in enumerate(vectors["datagrams"]):
        name = expected["format"]
        datagram = Datagram(bytes.fromhex(expected["bytes"]), formats[name])
        messages = [receivers[name].hear(message) for message in datagram.messages()]
        fields += same(datagram.header, expected["header"], f"datagram {number}: header")
        fields += same(messages, expected["messages"], f"datagram {number}: messages")
    count = len(vectors["datagrams"])
    print(f"{count} datagrams, {fields} fields: every field is as expected")


if __name__ == "__main__":
    main(sys.argv[1])
