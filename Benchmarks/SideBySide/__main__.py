"""Prints receipts directly, through a private CUPS and through kioskd, and compares. Run by Benchmarks/side-by-side."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from types import SimpleNamespace

from . import accepting, documents, endurance, measures, neighbours, outages, processes, raw, recovery, report, rows, ssh
from . import throughput
from .candidates import CUPS, Direct, Kiosk
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .measures import Counter
from .printer import Bus, Printer

PARTS = "receipts", "throughput", "neighbours", "accepting", "waiting", "ssh", "raw", "documents", "recovery", "outages", "endurance"


def arguments():
    parser = argparse.ArgumentParser(prog="Benchmarks/side-by-side", description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this and nothing else; may be repeated")
    parser.add_argument("--long", action="store_true", help="print 100,000 receipts, too, and watch the memory")
    parser.add_argument("--rounds", type=int, default=5, help="how often the candidates take turns (5)")
    parser.add_argument("--samples", type=int, default=10, help="receipts of each kind in a round (10)")
    parser.add_argument("--burst", type=int, default=300, help="receipts of a throughput round (300; CUPS 10)")
    parser.add_argument("--outage", help="only those that this regular expression finds, as 'raw TCP: .*power'")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the Markdown tables")
    parser.add_argument("--candidate", choices=["cups", "kioskd"], help="leave the other out (for work on the benchmark)")
    for name in ("binaries", "tools", "receipt"):
        parser.add_argument(f"--{name}", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.parts = options.only or [part for part in PARTS if part != "endurance" or options.long]
    return options


def note(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def candidates(options, folder, tools):
    bus = Bus(folder)
    stamp = f"{options.tools}/stamp"
    found = [Direct(Printer(f"{folder}/direct", bus, stamp), tools, options.receipt)]
    if options.candidate != "kioskd":
        printer = Printer(f"{folder}/cups-printer", bus, stamp)
        found.append(CUPS(PrivateCUPS(f"{folder}/cups", printer.uri), printer, tools, options.receipt))
    if options.candidate != "cups":
        printer = Printer(f"{folder}/kiosk-printer", bus, stamp)
        os.makedirs(f"{folder}/kioskd")
        found.append(Kiosk(KioskDaemon(f"{folder}/kioskd", printer.uri, options.binaries), printer, tools, options.receipt))
    return found


def measure(options, folder, tools):
    """The rows of the main table, what became of the receipts in each outage, and the points of the memory."""
    counter = Counter()
    found = candidates(options, folder, tools) if {"receipts", "recovery"} & {*options.parts} else []
    each = {
        "receipts": lambda: rows.receipts(measures.measure(options, folder, found, counter, note)),
        "throughput": lambda: rows.throughput(throughput.measure(options, folder, tools, counter, note)),
        "neighbours": lambda: rows.neighbours(neighbours.measure(options, folder, tools, counter, note)),
        "accepting": lambda: rows.accepting(accepting.measure(options, folder, tools, note)),
        "waiting": lambda: rows.waiting(accepting.measure_waiting(options, folder, tools, note)),
        "ssh": lambda: rows.ssh(ssh.measure(options, folder, tools, counter, note)),
        "raw": lambda: rows.raw(raw.measure(options, folder, tools, counter, note)),
        "documents": lambda: rows.documents(documents.measure(options, folder, Bus(folder), note)),
        "recovery": lambda: rows.recovery(recovery.measure(options, found[1:], counter, note)),
    }
    table = [row for part in PARTS if part in options.parts and part in each for row in each[part]()]
    became = outages.measure(options, folder, note) if "outages" in options.parts else {}
    points = endurance.measure(options, folder, tools, note) if "endurance" in options.parts else []
    return table + (rows.endurance(points) if points else []), became, points


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="kiosk-bench.")
    programs = "ipp_client", "kiosk_client", "null_printer", "stamp_lpr"
    tools = SimpleNamespace(**{name: f"{options.tools}/{name}" for name in programs})
    os.environ.pop("KIOSKD_SOCKET", None)  # It would lead away from the daemon of this run.
    os.chmod(folder, 0o755)  # CUPS runs its backends as another user.
    try:
        found = measure(options, folder, tools)
        about = report.machine()
        print(report.as_json(about, *found) if options.json else report.markdown(about, *found))
    except Exception:
        note(f"the logs of this run are kept in {folder}")
        folder = None
        raise
    finally:
        processes.stop_all()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


main()
