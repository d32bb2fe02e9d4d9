"""From accepting a receipt to its first byte at the printer, beside nine dead printers and beside none."""

import os
import time

from .candidates import FORMAT, RAW
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .null_printer import DeadPrinter, NullPrinters
from .processes import Client, stop

DEAD = 9
MILLISECOND = 1e6
SETTLING = 10  # Seconds: until a spooler has met its dead printers.


class Till:
    """A till whose printer lives; whatever else its spooler has to look after."""

    def __init__(self, child, printers, client):
        self.child, self.printers, self.client = child, printers, client

    def latency(self, number):
        begun = self.client.order(f"print {number}")[0]
        return (self.printers.first_byte(number) - begun) / MILLISECOND

    def close(self):
        self.client.close()
        stop(self.child)
        self.printers.close()


def kiosk(options, folder, tools, dead, counter):
    """The role names the dead printers first, and a receipt waits for each of them."""
    os.makedirs(folder)
    printers = NullPrinters(tools, 1)
    saved = {f"dead-{number}": printer.uri for number, printer in enumerate(dead)}
    daemon = KioskDaemon(folder, printers.uris[0], options.binaries, printers=saved)
    for name in saved:
        waiting = Client([tools.kiosk_client, daemon.socket, f"/v1/jobs?printer={name}", FORMAT, options.receipt])
        waiting.order(f"print {counter.take()}")
        waiting.close()
    client = Client([tools.kiosk_client, daemon.socket, "/v1/jobs?role=receipt", FORMAT, options.receipt])
    return Till(daemon.child, printers, client)


def cups(options, folder, tools, dead, counter):
    """A receipt waits for each dead printer. The till prints to the living one's queue."""
    printers = NullPrinters(tools, 1)
    spooler = PrivateCUPS(folder, printers.uris[0])
    for number, printer in enumerate(dead):
        spooler.add(f"dead-{number}", printer.uri)
        waiting = Client([tools.ipp_client, spooler.uri_of(f"dead-{number}"), RAW, options.receipt])
        waiting.order(f"print {counter.take()}")
        waiting.close()
    return Till(spooler.child, printers, Client([tools.ipp_client, spooler.uri, RAW, options.receipt]))


def measure(options, folder, tools, counter, note):
    """Milliseconds by candidate and neighbourhood. `alone` and `again` are the same: how far they differ is noise."""
    dead = [DeadPrinter(DeadPrinter.KINDS[number % 3]) for number in range(DEAD)]
    results = {}
    for name, open_till, samples in (("cups", cups, options.samples), ("kioskd", kiosk, 20 * options.samples)):
        if options.candidate not in (None, name):
            continue
        note(f"nine dead printers beside a living one: {name}")
        tills = {kind: open_till(options, f"{folder}/neighbours-{name}-{kind}", tools, dead if kind == "dead" else [], counter)
                 for kind in ("alone", "dead", "again")}
        time.sleep(SETTLING)
        for turn in range(options.rounds + 1):
            for _ in range(samples if turn else 2):
                for kind, till in tills.items():
                    value = till.latency(counter.take())
                    if turn:  # Round 0 warms up.
                        results.setdefault(f"{name}-{kind}", []).append(value)
        for till in tills.values():
            till.close()
    for printer in dead:
        printer.close()
    return results
