"""What becomes of receipts when a printer goes away and when the spooler dies."""

import time
from concurrent.futures import ThreadPoolExecutor

from . import processes
from .printer import label

SECOND = 1e9
QUEUED = 30


def comes_back(candidate, number, away=20):
    """Seconds from a printer's return to the arrival of the receipt that was sent meanwhile, with nobody touching anything."""
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


def measure(options, found, counter, note):
    """Comes last: after it the clients' connections are gone."""
    results = {"comes-back": {}, "lost": {}, "doubled": {}}
    for turn in range(min(options.rounds, 3)):
        note(f"the printers go away and come back, {turn + 1}")
        first = counter.take(len(found))
        with ThreadPoolExecutor() as pool:
            seconds = pool.map(comes_back, found, range(first, first + len(found)))
        for candidate, value in zip(found, seconds):
            results["comes-back"].setdefault(candidate.name, []).append(value)
    for candidate in found:
        note(f"kill -9 of {candidate.name}")
        results["lost"][candidate.name], results["doubled"][candidate.name] = killed(candidate, counter)
    return results
