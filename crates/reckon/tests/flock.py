import csv, math, random

random.seed(1)
with open("flock.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["time", "bird", "east", "north"])
    for tick in range(400):
        for bird in range(8):
            turn = 0.3 * tick / 10 + bird
            wobble = random.gauss(0, 0.02)
            rows.writerow([tick / 10, f"b{bird}", 20 * math.cos(turn) + wobble, 20 * math.sin(turn) + wobble])
