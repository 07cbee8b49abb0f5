from reckoning import Ghost, Kind, Publisher

kind = Kind(threshold_m=0.25)
owner = Publisher(kind, 0, [0, 0, 0, 3, 0, 0])  # a position and a velocity
ghost = Ghost(kind, owner.first, 0)  # elsewhere, from the bytes of the first update
print("after half a second it is drawn at", ghost.pose(500_000)[0])
