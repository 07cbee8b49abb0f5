"""One car, one onlooker, a perfect network."""

from math import cos, hypot, sin

from reckoning import Ghost, Kind, Publisher


def car_at(us):  # your game: here 15 m/s round a bend of 50 m
    turn = 0.3e-6 * us
    return [50 * cos(turn), 50 * sin(turn), 0, -15 * sin(turn), 15 * cos(turn), 0]


kind = Kind(threshold_m=0.25, blend="snap")
publisher = Publisher(kind, 0, car_at(0))
ghost = Ghost(kind, publisher.first, 0)
worst = 0.0
for tick in range(1, 600):
    now = tick * 1_000_000 // 60
    update = publisher.observe(now, car_at(now))
    if update is not None:
        ghost.accept(update, now)  # here your network carries it
    drawn = ghost.pose(now)  # never more than 0.25 m from the car
    worst = max(worst, hypot(drawn[0] - car_at(now)[0], drawn[1] - car_at(now)[1]))
print(f"600 ticks, {publisher.exported} updates")  # 600 ticks, 29 updates
assert worst <= 0.25
