"""Memory over 100,000 receipts, printed for 64 clients that each wait for their receipt."""

import os
import time

from . import processes
from .accepting import CLIENTS
from .candidates import FORMAT
from .daemon import KioskDaemon
from .null_printer import NullPrinters
from .processes import Client

RECEIPTS = 100_000
STEP = 10_000


def measure(options, folder, tools, note):
    """Points of (receipts, seconds, resident MB, private MB, queue on disk MB). The standard settings keep all the jobs."""
    os.makedirs(f"{folder}/endurance")
    printers = NullPrinters(tools, 10)
    saved = {f"till-{number}": uri for number, uri in enumerate(printers.uris[1:])}
    daemon = KioskDaemon(f"{folder}/endurance", printers.uris[0], options.binaries, printers=saved)
    daemon.control("roles", "assign", "receipt", "till", *saved, "--policy", "least-busy")
    client = Client([tools.kiosk_client, daemon.socket, "/v1/jobs?role=receipt&wait=30", FORMAT, options.receipt])
    points, begun = [], time.monotonic()
    for printed in range(0, RECEIPTS + 1, STEP):
        if printed:
            client.order(f"load {CLIENTS} {STEP}")
            printers.last_of(STEP)
        points.append((printed, time.monotonic() - begun, processes.resident_kilobytes(daemon.pid) / 1000,
                       processes.private_kilobytes(daemon.pid) / 1000, folder_bytes(daemon.state) / 1e6))
        note(f"{printed} receipts: {points[-1][2]:.1f} MB")
    client.close()
    processes.stop(daemon.child)
    printers.close()
    return points


def folder_bytes(folder):
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
