"""Writes crates/reckoning-dis/testdata/enu-points.csv with software that is not ours: PROJ, by the PyPI
package `pyproj`.

    pip install pyproj==3.7.2 && python3 tools/enu-points.py > crates/reckoning-dis/testdata/enu-points.csv

For each of five origins, places within 50 km: latitude, longitude and height over the WGS-84 ellipsoid, the
same geocentric, and east, north and up of the origin (PROJ's `topocentric`).
"""
import random

from pyproj import Transformer

ORIGINS = [(52.52, 13.405, 34.0), (-33.8688, 151.2093, 58.0), (0.0, 0.0, 0.0), (36.6, -121.9, 4.0), (89.5, -75.0, 1_000.0)]

dice = random.Random(7)
print("lat0,lon0,height0,lat,lon,height,x,y,z,east,north,up")
geocentric = Transformer.from_pipeline("+proj=pipeline +step +proj=cart +ellps=WGS84")
for lat0, lon0, height0 in ORIGINS:
    local = Transformer.from_pipeline(
        f"+proj=pipeline +step +proj=cart +ellps=WGS84 +step +proj=topocentric +ellps=WGS84 +lat_0={lat0} +lon_0={lon0} +h_0={height0}"
    )
    back = Transformer.from_pipeline(
        f"+proj=pipeline +step +inv +proj=topocentric +ellps=WGS84 +lat_0={lat0} +lon_0={lon0} +h_0={height0} +step +inv +proj=cart +ellps=WGS84"
    )
    for number in range(12):
        wanted = [dice.uniform(-50_000, 50_000), dice.uniform(-50_000, 50_000), dice.uniform(-100, 12_000)]
        lon, lat, height = back.transform(*wanted)
        x, y, z = geocentric.transform(lon, lat, height)
        east, north, up = local.transform(lon, lat, height)
        row = [lat0, lon0, height0, lat, lon, height, x, y, z, east, north, up]
        print(",".join(f"{it:.14f}" for it in row))
