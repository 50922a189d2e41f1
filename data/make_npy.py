#!/usr/bin/python3
"""Makes co2_float64.npy and co2_float32.npy from co2.csv. Weeks without a measurement are dropped, and counted."""
import csv
import pathlib

import numpy

folder = pathlib.Path(__file__).parent
with open(folder / "co2.csv", newline="") as file:
    weeks = [row["co2"] for row in csv.DictReader(file)]
measured = [float(text) for text in weeks if text]
for dtype in (numpy.float64, numpy.float32):
    numpy.save(folder / f"co2_{dtype.__name__}.npy", numpy.array(measured, dtype))
print(f"{len(weeks)} weeks, {len(measured)} measured, {len(weeks) - len(measured)} without a measurement")
