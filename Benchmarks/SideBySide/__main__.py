"""Prints receipts directly, through a private CUPS and through kioskd, and compares. Run by Benchmarks/side-by-side."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from types import SimpleNamespace

from . import measures, outages, processes, report, ssh
from .candidates import CUPS, Direct, Kiosk
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .measures import Counter
from .printer import Bus, Printer
from .report import Row, summary

LONG_PRINT = 1000  # Milliseconds, the "long" job of the knowing row.


def arguments():
    parser = argparse.ArgumentParser(prog="Benchmarks/side-by-side", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often the candidates take turns (5)")
    parser.add_argument("--samples", type=int, default=10, help="receipts of each kind in a round (10)")
    parser.add_argument("--burst", type=int, default=300, help="receipts of a throughput round (300; CUPS 10)")
    parser.add_argument("--only-ssh", action="store_true", help="measure printing through a Unix host and nothing else")
    parser.add_argument("--no-outages", action="store_true", help="leave out the outages, which take some minutes")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the Markdown table")
    parser.add_argument("--only", choices=["cups", "kioskd"], help="leave the other out (for work on the benchmark)")
    parser.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tools", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--receipt", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def note(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def candidates(options, folder, tools):
    bus = Bus(folder)
    stamp = f"{options.tools}/stamp"
    found = [Direct(Printer(f"{folder}/direct", bus, stamp), tools, options.receipt)]
    if options.only != "kioskd":
        printer = Printer(f"{folder}/cups-printer", bus, stamp)
        found.append(CUPS(PrivateCUPS(f"{folder}/cups", printer.uri), printer, tools, options.receipt))
    if options.only != "cups":
        printer = Printer(f"{folder}/kiosk-printer", bus, stamp)
        os.makedirs(f"{folder}/kioskd")
        found.append(Kiosk(KioskDaemon(f"{folder}/kioskd", printer.uri, options.binaries), printer, tools, options.receipt))
    return found


def measure(options, folder, found, counter):
    results = {}

    def add(row, name, values):
        results.setdefault(row, {}).setdefault(name, []).extend(values)

    for candidate in found:  # One of each to warm up; the idle memory is that of a daemon that has printed once.
        measures.kept(candidate, counter, 1)
    time.sleep(2)
    for candidate in found[1:]:
        add("memory", candidate.name, [processes.private_kilobytes(candidate.pid) / 1000])

    for turn in range(options.rounds):
        note(f"round {turn + 1} of {options.rounds}")
        for candidate in found:
            if hasattr(candidate, "print_by_command"):
                add("command", candidate.name,
                    measures.by_command(candidate, counter, options.samples, folder, options.receipt))
        for candidate in found:
            arrival, knowing = measures.kept(candidate, counter, options.samples)
            add("kept", candidate.name, arrival)
            add("knowing", candidate.name, knowing)
        for candidate in found:
            candidate.printer.set_delay(LONG_PRINT)
            add("knowing-long", candidate.name, measures.kept(candidate, counter, 1)[1])
            candidate.printer.set_delay(0)
        for candidate in found:
            count = 10 if candidate.name == "cups" else options.burst
            rate, spent = measures.rate(candidate, counter, count)
            add("rate", candidate.name, [rate])
            if candidate.name != "direct":
                add("cpu", candidate.name, [spent / count * 1000])
    for candidate in found[1:]:
        add("memory-after", candidate.name, [processes.private_kilobytes(candidate.pid) / 1000])
    return results


def endure(options, found, counter, results):
    """The outages come last: after them the clients' connections are gone."""
    for turn in range(min(options.rounds, 3)):
        for candidate in found[1:]:
            note(f"outage of the printer of {candidate.name}, {turn + 1}")
            results.setdefault("comes-back", {}).setdefault(candidate.name, []).append(
                outages.comes_back(candidate, counter))
    for candidate in found[1:]:
        note(f"kill -9 of {candidate.name}")
        lost, doubled = outages.killed(candidate, counter)
        results.setdefault("lost", {})[candidate.name] = lost
        results.setdefault("doubled", {})[candidate.name] = doubled


def accepting(options, folder, tools):
    """Durable accepts: with no printer there, so that nothing but accepting is measured."""
    results = {"disk": measures.fsyncs_per_second(folder)}
    nowhere = f"ipp://localhost:{processes.free_port()}/ipp/print"
    if options.only != "kioskd":
        note("durable accepts of CUPS")
        spooler = PrivateCUPS(f"{folder}/cups-durable", "file:///dev/null", durable=True)
        spooler.run("cupsdisable", spooler.queue)
        client = processes.Client([tools.ipp_client, spooler.uri, "application/vnd.cups-raw", options.receipt])
        begun, answered, *_ = client.order("many 1 200")
        results["cups"] = 200 / ((answered - begun) / 1e9)
        client.close()
        processes.stop(spooler.child)
    if options.only != "cups":
        note("durable accepts of kioskd")
        os.makedirs(f"{folder}/kioskd-accepting")
        daemon = KioskDaemon(f"{folder}/kioskd-accepting", nowhere, options.binaries)
        client = processes.Client(
            [tools.kiosk_client, daemon.socket, "/v1/jobs?role=receipt", "application/vnd.escpos", options.receipt])
        for clients in (1, 64):
            accepted, nanoseconds = client.order(f"load {clients} 3000")
            results[f"kioskd-{clients}"] = accepted / (nanoseconds / 1e9)
        client.close()
        processes.stop(daemon.child)
    results["disk"] = (results["disk"] + measures.fsyncs_per_second(folder)) / 2
    return results


def rows(results, accepts):
    def of(row):
        return {name: summary(values) for name, values in results.get(row, {}).items()}

    def mean(row):  # CPU: a CUPS helper's share is counted in ticks, so that only the sum over all rounds is exact.
        return {name: sum(values) / len(values) for name, values in results.get(row, {}).items()}

    ours = "kioskd"
    return [
        Row("command start → last byte at the printer (`lp`, `kioskctl print`)", "ms", of("command"),
            "at most half of `lp`", (ours, "cups"), 0.5),
        Row("kept-alive client → last byte at the printer", "ms", of("kept"),
            "at most 1.5 × the direct client, fsynced", (ours, "direct"), 1.5),
        Row("receipts per second to one printer, in order", "/s", of("rate"),
            "at least 80 % of the direct client", (ours, "direct"), 0.8, lower_is_better=False),
        Row("printed → known to be completed", "ms", of("knowing"), "under 50 ms", bound=50),
        Row(f"the same for a receipt that prints for {LONG_PRINT / 1000:.0f} s", "ms", of("knowing-long"), "polite back-off"),
        Row("CPU per receipt, all processes of the spooler", "ms", mean("cpu"), "at most 0.6 ms", bound=0.6),
        Row("private memory, idle, after one receipt", "MB", of("memory"), "no more than cupsd", (ours, "cups"), 1),
        Row("the same after all these receipts", "MB", of("memory-after"), "no more than cupsd", (ours, "cups"), 1),
        Row("durable accepts per second, one client", "/s", {"cups": accepts.get("cups"), ours: accepts.get("kioskd-1")},
            "at least 1,500", bound=1500, lower_is_better=False),
        Row("durable accepts per second, 64 clients", "/s", {ours: accepts.get("kioskd-64")},
            "at least 5,000", bound=5000, lower_is_better=False),
        Row("printer comes back → the waiting receipt arrives", "s", of("comes-back"), "under 1 s", bound=1),
        Row(f"`kill -9` with {outages.QUEUED} acknowledged: receipts lost", "", results.get("lost", {}), "0", bound=0),
        Row("the same: receipts doubled", "", results.get("doubled", {}), "0", bound=0),
        *ssh_rows(results),
        Row("for comparison: 2 KB appended and fsynced, per second", "/s", {"direct": accepts["disk"]}, ""),
    ]


def show(options, table):
    about = report.machine()
    print(report.as_json(about, table) if options.json else report.markdown(about, table))


def ssh_rows(results):
    def of(row):
        return {name: summary(values) for name, values in results.get(row, {}).items()}

    return [
        Row("through a Unix host: → last byte at its `lpr`, warm (direct: `ssh` over a ControlMaster)", "ms", of("ssh-warm"),
            "no slower", ("kioskd", "direct"), 1),
        Row("the same, on a new connection (direct: `ssh host lpr`)", "ms", of("ssh-cold"),
            "at most half", ("kioskd", "direct"), 0.5),
    ]


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="kiosk-bench.")
    tools = SimpleNamespace(ipp_client=f"{options.tools}/ipp_client", kiosk_client=f"{options.tools}/kiosk_client",
                            stamp_lpr=f"{options.tools}/stamp_lpr")
    os.environ.pop("KIOSKD_SOCKET", None)  # It would lead away from the daemon of this run.
    os.chmod(folder, 0o755)  # CUPS runs its backends as another user.
    try:
        counter = Counter()
        if options.only_ssh:
            return show(options, ssh_rows(ssh.measure(options, folder, tools, counter, note)))
        found = candidates(options, folder, tools)
        results = measure(options, folder, found, counter)
        accepts = accepting(options, folder, tools)
        results |= ssh.measure(options, folder, tools, counter, note)
        if not options.no_outages:
            endure(options, found, counter, results)
        show(options, rows(results, accepts))
    except Exception:
        note(f"the logs of this run are kept in {folder}")
        folder = None
        raise
    finally:
        processes.stop_all()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


main()
