"""What becomes of receipts when a printer goes away and when the spooler dies."""

import time

from . import processes
from .printer import label

SECOND = 1e9
QUEUED = 30


def comes_back(candidate, counter, away=20):
    """Seconds from a printer's return to the arrival of the receipt that was sent meanwhile, with nobody touching anything."""
    number = counter.take()
    candidate.printer.stop()
    _, job = candidate.print(number)
    time.sleep(away)
    listening = candidate.printer.start()
    arrived = candidate.printer.stamp("arrived", label(number))
    candidate.printer.stamp("printed", label(number))
    candidate.known(job)
    return max(0, (arrived - listening) / SECOND)


def killed(candidate, counter):
    """How many of 30 acknowledged receipts are lost, and how many come twice, when the spooler is killed at once.

    The printer is away while they are queued and there when the spooler starts again.
    """
    first = counter.take(QUEUED)
    candidate.printer.stop()
    candidate.print_many(first, QUEUED)
    processes.kill(candidate.spooler.child)
    candidate.printer.start()
    candidate.spooler.start()
    printed = candidate.printer.printed_until_quiet(seconds=20)
    wanted = {label(number) for number in range(first, first + QUEUED)}
    return len(wanted - set(printed)), len(printed) - len(set(printed))
