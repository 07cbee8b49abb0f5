"""Compares the Parquet files that `tests/parquet.rs` wrote with the csv files beside them.

    RECKONING_PARQUET=/tmp/p cargo test -p reckoning-lab --test parquet && python3 tests/parquet.py /tmp/p

Needs pyarrow, which the Rust tests cannot ask for.
"""

import csv
import math
import pathlib
import sys

import pyarrow.parquet

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
    table = pyarrow.parquet.read_table(path)
    rows = list(csv.DictReader(path.with_suffix(".csv").open()))
    assert table.num_rows == len(rows), path
    for name in table.column_names:
        values = table.column(name).to_pylist()
        key, scale = ("yaw", 180 / math.pi) if name == "yaw_rad" else (name, 1)
        for number, (value, row) in enumerate(zip(values, rows)):
            cell = row[key]
            if value is None or isinstance(value, str):
                assert (value or "") == cell, (path, name, number, value, cell)
            else:
                assert math.isclose(value * scale, float(cell), rel_tol=1e-6, abs_tol=1e-5), (
                    path, name, number, value, cell)
    print(f"{path.name}: {table.num_rows} rows, {len(table.column_names)} columns agree")
