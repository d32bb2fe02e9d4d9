"""Accepting receipts durably: how many per second, also with 10,000 waiting, and how soon after a crash."""

import os
import socket
import time

from . import measures, processes
from .candidates import FORMAT, RAW
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .processes import Client

WAITING = 10_000
CLIENTS = 64


class Kiosk:
    """kioskd whose printer is not there, so that nothing but accepting happens."""

    name = "kioskd"
    one, many = 500, 4000  # Receipts of a measurement.
    turns = 2  # Of those that wait, in a round: each takes a second, and the disk's moods last some.
    starts = 5

    def __init__(self, options, folder, tools):
        os.makedirs(folder)
        self.spooler = KioskDaemon(folder, f"ipp://127.0.0.1:{processes.free_port()}/ipp/print", options.binaries)
        self.command = [tools.kiosk_client, self.spooler.socket, "/v1/jobs?role=receipt", FORMAT, options.receipt]

    def rate(self, clients, count):
        client = Client(self.command)
        accepted, nanoseconds = client.order(f"load {clients} {count}")
        client.close()
        return accepted / (nanoseconds / 1e9)

    def accepts_connections(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.spooler.socket) == 0

    def close(self):
        processes.stop(self.spooler.child)

    def kill(self):
        processes.kill(self.spooler.child)


class CUPS(Kiosk):
    """CUPS with a stopped queue."""

    name = "cups"
    one, many = 200, 640
    turns = 1
    starts = 1  # Setting it up to be killed takes some seconds.

    def __init__(self, options, folder, tools, durable=True):
        self.spooler = PrivateCUPS(folder, "file:///dev/null", durable=durable)
        self.spooler.run("cupsdisable", self.spooler.queue)
        self.command = [tools.ipp_client, self.spooler.uri, RAW, options.receipt]

    def rate(self, clients, count):
        found = [Client(self.command) for _ in range(clients)]
        for client in found:
            client.ask(f"many 1 {count // clients}")
        times = [client.reply("many") for client in found]
        for client in found:
            client.close()
        return count / ((max(ended for _, ended, *_ in times) - min(begun for begun, *_ in times)) / 1e9)

    def accepts_connections(self):
        return processes.accepts_connections(self.spooler.port)

    def kill(self):
        """After a proper end and start: with its standard settings it would have forgotten its new queue."""
        processes.stop(self.spooler.child)
        self.spooler.start()
        super().kill()


def candidates(options):
    return [kind for kind in (CUPS, Kiosk) if options.candidate in (None, kind.name)]


def measure(options, folder, tools, note):
    """Durable accepts per second, in turns with what the disk allows."""
    results = {"disk": [], "one": {}, "many": {}}
    found = [kind(options, f"{folder}/accepting-{kind.name}", tools) for kind in candidates(options)]
    for turn in range(options.rounds):
        note(f"durable accepts, round {turn + 1} of {options.rounds}")
        results["disk"].append(measures.fsyncs_per_second(folder, 0.5))
        for candidate in found:
            results["one"].setdefault(candidate.name, []).append(candidate.rate(1, candidate.one))
        for candidate in found:
            results["many"].setdefault(candidate.name, []).append(candidate.rate(CLIENTS, candidate.many))
    for candidate in found:
        candidate.close()
    return results


def measure_waiting(options, folder, tools, note):
    """Accepts per second of a spooler that 10,000 receipts wait in, beside two that are new (what they differ is noise),
    and how soon it is back after a crash.

    CUPS has its standard settings here: with the durable ones it writes the list of all jobs again for every job.
    """
    results = {}
    for kind in candidates(options):
        def add(row, value):
            results.setdefault(row, {}).setdefault(kind.name, []).append(value)

        def opened(name):
            return kind(options, f"{folder}/{name}-{kind.name}", tools, *([False] if kind is CUPS else []))

        note(f"{WAITING} receipts wait: {kind.name}")
        full, new = opened("waiting"), opened("new")
        full.rate(CLIENTS if kind is Kiosk else 1, WAITING)
        for _ in range(min(options.rounds, kind.starts)):
            add("start-full", start_again(full))
            add("start-new", start_again(new))
        new.close()
        for turn in range(kind.turns * options.rounds):
            shops = {"new": opened(f"new-{turn}"), "full": full, "again": opened(f"again-{turn}")}
            shops["new"].rate(1, 50)  # Those that are new warm up.
            shops["again"].rate(1, 50)
            for clients, number, count in (("one", 1, kind.one), ("many", CLIENTS, kind.many)):
                for name in sorted(shops, reverse=turn % 2):
                    add(f"{clients}-{name}", shops[name].rate(number, count))
            shops["new"].close()
            shops["again"].close()
        full.close()
    return results


def start_again(candidate):
    """Seconds from starting a killed spooler anew until it has accepted a receipt."""
    time.sleep(1)
    candidate.kill()
    begun = time.monotonic()
    candidate.spooler.launch()
    processes.wait_until(candidate.accepts_connections, "the spooler", candidate.spooler.child, seconds=60, poll=0.002)
    candidate.rate(1, 1)
    return time.monotonic() - begun
