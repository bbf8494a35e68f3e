"""Computes a set's published table from the exported samples of its runs, independently: it imports nothing of Spindle.

``python recompute_set.py RUN.csv…`` prints as JSON the OPM of the median run's clients, their total and variability.
"""

import csv
import json
import sys

tables = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as file:
        measured = [row for row in csv.DictReader(file) if row["phase"] == "measuring"]
    seconds = 1 + int(measured[-1]["second"]) - int(measured[0]["second"])
    orders: dict[str, int] = {}
    for row in measured:
        orders[row["label"]] = orders.get(row["label"], 0) + int(row["orders"])
    tables.append(({label: 60 * n // seconds for label, n in orders.items()}, 60 * sum(orders.values()) // seconds))
clients, total = sorted(tables, key=lambda table: table[1])[(len(tables) - 1) // 2]
variability = 100 * (max(clients.values()) - min(clients.values())) / max(clients.values())
print(json.dumps({"clients": clients, "total": total, "variability_pct": round(variability, 2)}))
