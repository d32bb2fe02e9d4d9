"""The measurements. Candidates take turns within each round, so that what the machine does meanwhile meets all of them."""

import os
import time

from . import processes
from .candidates import write_receipt
from .printer import label

MILLISECOND = 1e6


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
