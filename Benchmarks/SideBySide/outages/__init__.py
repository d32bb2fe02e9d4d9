"""The same outages for kioskd and for CUPS in several settings, all at once: each pair has a printer and a spooler of its own."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from . import scenarios, spoolers
from .paper import PaperPrinter
from .spoolers import ENDED
from .verdict import Verdict

PATIENCE = 120  # Seconds; who waits at a till for longer?
QUIET = 8  # Seconds after the last job's end in which a second copy would come.

_starting = threading.Semaphore(2)


def measure(options, folder, note):
    """A list of (what happened, {spooler's name: what became of the receipts})."""
    kinds = [kind for kind in spoolers.ALL if options.candidate in (None, "kioskd" if kind.name == "kioskd" else "cups")]
    outages = [outage for outage in scenarios.ALL if not options.outage or options.outage in outage.what]
    pairs = [(outage, kind) for outage in outages for kind in kinds]
    note(f"{len(outages)} outages, three minutes")
    with ThreadPoolExecutor(len(pairs)) as pool:
        jobs = [pool.submit(suffer, options, f"{folder}/outage-{number}", number, outage, kind, note)
                for number, (outage, kind) in enumerate(pairs)]
        words = [job.result() for job in jobs]
    return [(outage.what, {kind.name: found for (other, kind), found in zip(pairs, words) if other is outage})
            for outage in outages]


def suffer(options, folder, number, outage, kind, note):
    os.makedirs(folder)
    os.chmod(folder, 0o755)  # CUPS runs its backends as another user.
    labels = [f"{900000 + 20 * number + index}" for index in range(outage.receipts)]
    with _starting:
        printers = [PaperPrinter(f"{folder}/printer-{index}", options.binaries) for index in range(outage.printers)]
        for printer in printers:
            printer.switch_on() if outage.starts_on else printer.pull_cable()
        spooler = kind(folder, printers, outage.expiry, options)
    time.sleep(3)  # Until the spooler knows its printers.
    verdict = Verdict(outage, spooler, labels, outage.happen(spooler, printers, labels))
    settle(verdict, printers)
    if spooler.is_stopped():
        verdict.resumed = time.monotonic()
        spooler.resume()
        settle(verdict, printers)
    note(f"{outage.what}: {kind.name}: {verdict.words}")
    spooler.close()
    for printer in printers:
        printer.close()
    return verdict.words


def settle(verdict, printers):
    """Until the spooler has ended all jobs, or will not without a person, and nothing more comes out."""
    begun, quiet_since, seen = time.monotonic(), time.monotonic(), None
    while time.monotonic() - begun < PATIENCE:
        verdict.told = verdict.spooler.told()
        verdict.copies = sorted(copy for printer in printers for copy in printer.copies)
        states = [state for state, _, _ in verdict.told.values()]
        if seen != (states, len(verdict.copies)) or not is_at_rest(verdict, states):
            quiet_since, seen = time.monotonic(), (states, len(verdict.copies))
        if time.monotonic() - quiet_since > QUIET:
            break
        time.sleep(1)
    verdict.waited = time.monotonic() - begun


def is_at_rest(verdict, states):
    return all(state in (*ENDED, "unknown", "pending-held") for state in states) or verdict.spooler.is_stopped()
