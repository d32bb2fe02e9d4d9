"""The same outages for kioskd and for CUPS in several settings, all at once: each pair has a printer and a spooler of its own."""

import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from . import scenarios, spoolers
from .paper import PaperPrinter
from .raw_paper import RawPaperPrinter
from .spoolers import ENDED
from .verdict import Verdict

PATIENCE = 120  # Seconds; who waits at a till for longer?
QUIET = 8  # Seconds after the last job's end in which a second copy would come.

HALVES = {  # By what the spoolers speak to the printers.
    "IPP": (PaperPrinter, scenarios.OVER_IPP),
    "raw TCP": (RawPaperPrinter, scenarios.OVER_RAW_TCP),
}

_starting = threading.Semaphore(2)


def measure(options, folder, note):
    """By what the spoolers speak, a list of (what happened, {spooler's name: what became of the receipts})."""
    found = {}
    for spoken, (make, outages) in HALVES.items():
        chosen = [outage for outage in outages if re.search(options.outage or "", f"{spoken}: {outage.what}")]
        if chosen:
            note(f"{len(chosen)} outages over {spoken}, three minutes")
            found[spoken] = measure_half(options, f"{folder}/{spoken.split()[0].lower()}", make, chosen, note)
    return found


def measure_half(options, folder, make, outages, note):
    kinds = [kind for kind in spoolers.ALL if options.candidate in (None, "kioskd" if kind.name == "kioskd" else "cups")]
    pairs = [(outage, kind) for outage in outages for kind in kinds]
    with ThreadPoolExecutor(len(pairs)) as pool:
        jobs = [pool.submit(suffer, options, f"{folder}-outage-{number}", number, make, outage, kind, note)
                for number, (outage, kind) in enumerate(pairs)]
        words = [job.result() for job in jobs]
    return [(outage.what, {kind.name: found for (other, kind), found in zip(pairs, words) if other is outage})
            for outage in outages]


def suffer(options, folder, number, make, outage, kind, note):
    os.makedirs(folder)
    os.chmod(folder, 0o755)  # CUPS runs its backends as another user.
    labels = [f"{900000 + 20 * number + index}" for index in range(outage.receipts)]
    with _starting:
        printers = [make(f"{folder}/printer-{index}", options) for index in range(outage.printers)]
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
