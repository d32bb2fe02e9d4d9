"""The tables: medians, ratios from this run, and what the design budgeted."""

import datetime
import json
import os
import platform
import re
import statistics
import subprocess


# What the machine was busy with before the run: figures from a busy one compare, but say little by themselves.
LOAD_BEFORE = os.getloadavg()[0]


def median(values):
    return statistics.median(values) if values else None


def summary(values):
    """The median, and the span from the 10th to the 90th percentile of the samples."""
    if not values:
        return None
    ordered = sorted(values)
    tenth = len(ordered) // 10
    return {"median": median(ordered), "p10": ordered[tenth], "p90": ordered[-1 - tenth], "samples": len(ordered)}


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    with open("/etc/os-release") as file:
        system = re.search(r'PRETTY_NAME="(.*)"', file.read())
    return {
        "date": datetime.date.today().isoformat(),
        "processor": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "load": round(LOAD_BEFORE, 1),
        "system": system[1] if system else platform.system(),
        "kernel": platform.release(),
        "cups": first_line("dpkg-query", "-Wf", "${Version}", "cups-daemon"),
        "ippeveprinter": first_line("dpkg-query", "-Wf", "${Version}", "cups-ipp-utils"),
        "swift": first_line("sh", "-c", "swift --version 2>/dev/null | grep -o 'Swift version [^ ]*'"),
        "commit": first_line("git", "describe", "--always", "--dirty"),
    }


class Row:
    """One line: what each candidate measured, and the ratio that the budget is about.

    `ratio` names two results and says in words what the second is. The bound is on the ratio, with `is_absolute` on kioskd's
    own figure. `noise` is how far two measurements of the same were apart, as a share; within it nothing is missed.
    """

    def __init__(self, what, unit, results, budget, ratio=None, bound=None, lower_is_better=True, is_absolute=False, noise=None):
        self.what, self.unit, self.results, self.budget = what, unit, results, budget
        self.ratio, self.bound, self.lower_is_better = ratio, bound, lower_is_better
        self.is_absolute, self.noise = is_absolute, noise

    def value(self, name):
        found = self.results.get(name)
        return found["median"] if isinstance(found, dict) else found

    @property
    def ratio_value(self):
        if not self.ratio or not self.value(self.ratio[0]) or not self.value(self.ratio[1]):
            return None
        return self.value(self.ratio[0]) / self.value(self.ratio[1])

    @property
    def is_met(self):
        measured = self.ratio_value if self.ratio and not self.is_absolute else self.value("kioskd")
        if measured is None or self.bound is None:
            return None
        slack = self.noise or 0
        return measured <= self.bound + slack if self.lower_is_better else measured >= self.bound - slack

    def cells(self):
        ratio = "" if self.ratio_value is None else f"{self.ratio_value:.2f} × {self.ratio[2]}"
        if ratio and self.noise is not None:
            ratio += f" (noise {self.noise:.2f})"
        met = {True: "met", False: "**missed**", None: ""}[self.is_met]
        cells = [self.what] + [self.cell(name) for name in ("direct", "cups", "kioskd")]
        return cells + [ratio, self.budget, met]

    def cell(self, name):
        """The median; where a tenth of the samples is far beyond it, the 90th percentile, too."""
        found = self.results.get(name)
        if isinstance(found, dict) and found["p90"] > 3 * found["median"]:
            return f"{self.show(found['median'])}, p90 {self.show(found['p90'])}"
        return self.show(self.value(name))

    def show(self, value):
        if value is None:
            return "–"
        if isinstance(value, int):
            return f"{value:,} {self.unit}".strip()
        digits = 0 if value >= 100 else 1 if value >= 10 else 2
        return f"{value:,.{digits}f} {self.unit}".strip()


HEADINGS = ["what", "direct client", "CUPS", "kioskd", "ratio", "budget", ""]


def table(headings, rows):
    """A Markdown table of cells."""
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows])


def markdown(about, rows, outages, points):
    """The tables as they stand in docs/benchmarks.md, those that were measured."""
    machine = (f"{about['date']}, {about['cores']} cores of {about['processor']}, {about['system']}, kernel {about['kernel']},"
               f" load {about['load']} before the run; CUPS {about['cups']}, ippeveprinter {about['ippeveprinter']},"
               f" {about['swift']}, kioskd at {about['commit']}.")
    parts = [table(HEADINGS, [row.cells() for row in rows])] if rows else []
    for spoken, found in outages.items():
        columns = list(found[0][1])
        cells = [[what, *(words[name] for name in columns)] for what, words in found]
        parts.append(table([f"outage ({spoken})", *columns], cells))
    if points:
        parts.append(table(["receipts", "seconds", "resident", "private", "queue on disk"], [
            [f"{printed:,}", f"{seconds:.0f}", *(f"{value:.1f} MB" for value in sizes)] for printed, seconds, *sizes in points]))
    return "\n\n".join([*parts, machine])


def as_json(about, rows, outages, points):
    return json.dumps(
        {
            "machine": about,
            "rows": [
                {"what": row.what, "unit": row.unit, "results": row.results, "ratio": row.ratio_value,
                 "ratio-of": row.ratio, "noise": row.noise, "budget": row.budget, "met": row.is_met}
                for row in rows
            ],
            "outages": [{"over": spoken, "what": what, "became": words}
                        for spoken, found in outages.items() for what, words in found],
            "memory": points,
        },
        indent=2,
    )
