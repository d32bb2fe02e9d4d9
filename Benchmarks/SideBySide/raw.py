"""Printers on raw TCP (port 9100): the way of a receipt by `nc`, through CUPS's socket backend, and through kioskd."""

import os
import queue
import socket
import subprocess
import threading
import time

from .candidates import CUPS, Kiosk, write_receipt
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .measures import MILLISECOND
from .printer import label

PROFILE = "epson-tm"
READY = {1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12}  # Responses to DLE EOT n: on-line, with paper.
TEXTS = {66: b"BENCH", 67: b"TM", 68: b"BENCH-1"}  # Responses to GS I n.


class RawPrinter:
    """An ESC/POS printer that costs nothing: it takes one client after the other, notes when a whole receipt has arrived,
    responds to what it is asked, and prints in no time.
    """

    def __init__(self, length):
        self.length = length
        self.stamps = queue.Queue()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port = self.listener.getsockname()[1]
        self.uri = f"socket://127.0.0.1:{self.port}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with client:
                try:
                    self.print(client)
                except ConnectionError:
                    pass  # The client gave up; the next one comes.

    def print(self, client):
        data = b""
        while chunk := client.recv(65536):
            now = time.monotonic_ns()
            data += chunk
            answers = []
            while data:
                count, answer = self.command(data, now)
                if not count:
                    break
                data = data[count:]
                answers.append(answer)
            if sent := b"".join(answers):
                client.sendall(sent)

    def command(self, data, now):
        """The length of what the data begins with, 0 where more must come, and the response."""
        if data[0] in (0x10, 0x1B, 0x1D):
            if len(data) < 3:
                return (2, b"") if data[:2] == b"\x1b@" else (0, b"")
            if data[:2] == b"\x10\x04":
                return 3, bytes([READY.get(data[2], 0)])
            if data[:2] == b"\x1da":
                return 3, b"\x10\0\0\0" if data[2] else b""
            if data[:2] == b"\x1dr":
                return 3, b"\0"
            if data[:2] == b"\x1dI":
                return 3, b"\x5f" + TEXTS[data[2]] + b"\0" if data[2] in TEXTS else b""
            if data[:2] == b"\x1d(":
                whole = len(data) >= 5 and 5 + data[3] + 256 * data[4]
                if not whole or len(data) < whole:
                    return 0, b""
                return whole, b"\x37\x22" + data[whole - 4:whole] + b"\0" if data[2:3] == b"H" else b""
            return 2, b""
        if not 0x30 <= data[0] <= 0x39:  # What is no label is none of a receipt's.
            return 1, b""
        if len(data) < self.length:
            return 0, b""
        self.stamps.put((data[:6].decode(), now))
        return self.length, b""

    def stamp(self, what, expected):
        """When this receipt had arrived; it is printed then."""
        got, now = self.stamps.get(timeout=120)
        if got != expected:
            raise RuntimeError(f"receipt {got} came where {expected} was next")
        return now


class Netcat:
    """`nc -N host 9100`, started for each receipt, as scripts do it: nothing kept, no question whether the printer is
    there. The yardstick.
    """

    name = "direct"

    def __init__(self, printer, folder, receipt):
        self.printer, self.path, self.receipt = printer, f"{folder}/receipt", receipt

    def print(self, number):
        write_receipt(self.path, number, self.receipt)
        with open(self.path, "rb") as document:
            begun = time.monotonic_ns()
            subprocess.run(["nc", "-N", "127.0.0.1", str(self.printer.port)], stdin=document, check=True, stdout=subprocess.DEVNULL)
        return begun, None

    def known(self, job):
        return None


def measure(options, folder, tools, counter, note):
    """Milliseconds from the client's first byte to the printer's last, and from "printed" to our knowing it, in turns."""
    results = {"raw": {}, "raw-known": {}}
    length = os.path.getsize(options.receipt)
    os.makedirs(f"{folder}/raw/kioskd")
    found = [Netcat(RawPrinter(length), f"{folder}/raw", options.receipt)]
    if options.candidate != "kioskd":
        printer = RawPrinter(length)
        found.append(CUPS(PrivateCUPS(f"{folder}/raw/cups", printer.uri), printer, tools, options.receipt))
    if options.candidate != "cups":
        printer = RawPrinter(length)
        daemon = KioskDaemon(f"{folder}/raw/kioskd", printer.uri, options.binaries, "--profile", PROFILE)
        found.append(Kiosk(daemon, printer, tools, options.receipt))
    for turn in range(options.rounds + 1):
        note(f"raw TCP, round {turn} of {options.rounds}")
        for candidate in found:
            for _ in range(options.samples if turn else 1):  # Round 0 warms up.
                number = counter.take()
                begun, job = candidate.print(number)
                arrived = candidate.printer.stamp("arrived", label(number))
                known = candidate.known(job)
                if not turn:
                    continue
                results["raw"].setdefault(candidate.name, []).append((arrived - begun) / MILLISECOND)
                if known is not None:
                    results["raw-known"].setdefault(candidate.name, []).append((known - arrived) / MILLISECOND)
    return results
