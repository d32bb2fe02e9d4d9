"""The measurements. Candidates take turns within each round, so that what the machine does meanwhile meets all of them."""

import os
import time

from . import processes
from .candidates import write_receipt
from .printer import label

MILLISECOND = 1e6
LONG_PRINT = 1000  # Milliseconds, the "long" job of the knowing row.


class Counter:
    """Numbers the receipts of a run: each is printed once and recognised by its number."""

    def __init__(self):
        self.next = 1

    def take(self, count=1):
        first = self.next
        self.next += count
        return first


def by_command(candidate, counter, samples, folder, receipt):
    """Milliseconds from the start of the command to the last byte at the printer."""
    times = []
    path = f"{folder}/one-receipt"
    for _ in range(samples):
        number = counter.take()
        write_receipt(path, number, receipt)
        begun, job = candidate.print_by_command(path)
        times.append((candidate.printer.stamp("arrived", label(number)) - begun) / MILLISECOND)
        candidate.known(job)
    return times


def kept(candidate, counter, samples):
    """Milliseconds from the client's first byte to the last at the printer, and from "printed" to our knowing it."""
    arrival, knowing = [], []
    for _ in range(samples):
        number = counter.take()
        begun, job = candidate.print(number)
        arrival.append((candidate.printer.stamp("arrived", label(number)) - begun) / MILLISECOND)
        printed = candidate.printer.stamp("printed", label(number))
        knowing.append((candidate.known(job) - printed) / MILLISECOND)
    return arrival, knowing


def rate(candidate, counter, count):
    """Receipts per second from the first request to the last receipt printed, all of them in order; CPU seconds spent."""
    first = counter.take(count)
    pid = getattr(candidate, "pid", None)
    before = processes.cpu_seconds(pid) if pid else 0
    begun = candidate.print_many(first, count)
    ended = candidate.printer.printed_in_order(first, count)
    if candidate.name != "direct":
        time.sleep(1.5)  # Until the last job's helpers have ended, too.
    spent = processes.cpu_seconds(pid) - before if pid else 0
    return count / ((ended - begun) / 1e9), spent


def measure(options, folder, found, counter, note):
    """The life of a receipt on a healthy printer: the main rows of the table."""
    results = {}

    def add(row, name, values):
        results.setdefault(row, {}).setdefault(name, []).extend(values)

    for candidate in found:  # One of each to warm up; the idle memory is that of a daemon that has printed once.
        kept(candidate, counter, 1)
    time.sleep(2)
    for candidate in found[1:]:
        add("memory", candidate.name, [processes.private_kilobytes(candidate.pid) / 1000])

    for turn in range(options.rounds):
        note(f"receipts, round {turn + 1} of {options.rounds}")
        for candidate in found:
            if hasattr(candidate, "print_by_command"):
                add("command", candidate.name, by_command(candidate, counter, options.samples, folder, options.receipt))
        for candidate in found:
            arrival, knowing = kept(candidate, counter, options.samples)
            add("kept", candidate.name, arrival)
            add("knowing", candidate.name, knowing)
        for candidate in found:
            candidate.printer.set_delay(LONG_PRINT)
            add("knowing-long", candidate.name, kept(candidate, counter, 1)[1])
            candidate.printer.set_delay(0)
        for candidate in found:
            count = 10 if candidate.name == "cups" else options.burst
            speed, spent = rate(candidate, counter, count)
            add("rate", candidate.name, [speed])
            if candidate.name != "direct":
                add("cpu", candidate.name, [spent / count * 1000])
    for candidate in found[1:]:
        add("memory-after", candidate.name, [processes.private_kilobytes(candidate.pid) / 1000])
    return results


def fsyncs_per_second(folder, seconds=1.0):
    """What the disk allows: 2 KB appended and synced, again and again."""
    block = b"r" * 2048
    path = f"{folder}/fsync"
    with open(path, "wb", buffering=0) as file:
        count, begun = 0, time.monotonic()
        while (spent := time.monotonic() - begun) < seconds:
            file.write(block)
            os.fsync(file.fileno())
            count += 1
    os.unlink(path)
    return count / spent
