"""A real IPP printer (ippeveprinter) whose print command tells when each receipt had arrived and when it was printed."""

import os
import queue
import shutil
import socket
import threading
import time

from . import processes

FORMATS = "application/vnd.escpos,application/vnd.cups-raw,application/octet-stream,text/plain"

STAMP_TIMEOUT = 400  # Seconds; a spooler that gave up a printer may take its time.

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""


class Bus:
    """The system bus that ippeveprinter insists on even when it advertises nothing."""

    def __init__(self, folder):
        self.socket = f"{folder}/bus"
        configuration = f"{folder}/bus.conf"
        with open(configuration, "w") as file:
            file.write(BUS.format(socket=self.socket))
        child = processes.start(
            ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile"], f"{folder}/bus.log"
        )
        processes.wait_until(lambda: os.path.exists(self.socket), "dbus-daemon", child)


class Printer:
    def __init__(self, folder, bus, stamp):
        os.makedirs(f"{folder}/spool")
        os.makedirs(f"{folder}/keys")
        shutil.copy(stamp, f"{folder}/stamp")
        self.folder = folder
        self.stamp_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.stamp_socket.bind(f"{folder}/stamp.socket")
        self.stamps = queue.Queue()
        # A full datagram queue would hold up the printer: it is emptied at once.
        threading.Thread(target=self.collect, daemon=True).start()
        self.port = processes.free_port()
        self.uri = f"ipp://localhost:{self.port}/ipp/print"
        self.bus = bus
        self.start()

    def start(self):
        """Switches it on; the time when it listened."""
        self.child = processes.start(
            ["ippeveprinter", "-p", str(self.port), "-n", "localhost", "-d", f"{self.folder}/spool",
             "-r", "off", "-K", f"{self.folder}/keys", "-c", f"{self.folder}/stamp", "-f", FORMATS, "Receipts"],
            f"{self.folder}/printer.log",
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.bus.socket}"},
        )
        processes.wait_until(lambda: processes.accepts_connections(self.port), "ippeveprinter", self.child, poll=0.002)
        return time.monotonic_ns()

    def stop(self):
        """Switches it off: connections break, and its port refuses."""
        processes.stop(self.child)

    def set_delay(self, milliseconds):
        """How long it prints on each receipt."""
        with open(f"{self.folder}/delay", "w") as file:
            file.write(str(milliseconds))

    def collect(self):
        while True:
            self.stamps.put(self.stamp_socket.recv(256).decode().split())

    def stamp(self, event, label):
        """The time of the next such event, which must be this receipt's: the order is checked with it."""
        while True:
            got, got_label, time = self.stamps.get(timeout=STAMP_TIMEOUT)
            if got != event:
                continue
            if got_label != label:
                raise RuntimeError(f"receipt {got_label} came where {label} was next")
            return int(time)

    def printed_until_quiet(self, seconds):
        """The numbers of all receipts that are printed until none came for so long."""
        numbers = []
        while True:
            try:
                event, got_label, _ = self.stamps.get(timeout=seconds)
            except queue.Empty:
                return numbers
            if event == "printed":
                numbers.append(got_label)

    def printed_in_order(self, first, count):
        """The time of the last of `count` receipts, once all have come, none twice, and in the order of their numbers.

        Neighbours may change places: ippeveprinter 2.4.2 can take a job while the end of the one before the last is
        still being noted, and then runs two print commands at once.
        """
        expected = {label(number): number for number in range(first, first + count)}
        for position in range(first, first + count):
            event, got_label, time = self.stamps.get(timeout=STAMP_TIMEOUT)
            while event != "printed":
                event, got_label, time = self.stamps.get(timeout=STAMP_TIMEOUT)
            number = expected.pop(got_label, None)
            if number is None or abs(number - position) > 1:
                raise RuntimeError(f"receipt {got_label} came where {label(position)} was next")
        return int(time)


def label(number):
    return f"{number % 1000000:06d}"
