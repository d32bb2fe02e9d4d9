"""What is compared: the same receipt to the same kind of printer, directly, through CUPS, and through kioskd."""

import json
import queue
import re
import socket
import subprocess
import threading
import time

from .processes import Client
from .printer import label

FORMAT = "application/vnd.escpos"
RAW = "application/vnd.cups-raw"  # CUPS' own name for "send it as it is".


class Direct:
    """A till that speaks IPP itself: no spooler, nothing kept, nothing survives the till. The yardstick."""

    name = "direct"

    def __init__(self, printer, tools, receipt):
        self.printer = printer
        self.client = Client([tools.ipp_client, printer.uri, FORMAT, receipt])

    def print(self, number):
        begun, _, job, _ = self.client.order(f"print {number}")
        return begun, job

    def known(self, job):
        return self.client.order(f"watch {job}")[0]

    def print_many(self, first, count):
        return self.client.order(f"many {first} {count}")[0]


class CUPS(Direct):
    name = "cups"
    pid = property(lambda self: self.spooler.pid)

    def __init__(self, spooler, printer, tools, receipt):
        self.spooler = spooler
        self.printer = printer
        self.client = Client([tools.ipp_client, spooler.uri, RAW, receipt])

    def print_by_command(self, path):
        command, environment = self.spooler.print_command(path)
        begun = time.monotonic_ns()
        out = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=True, capture_output=True, text=True)
        return begun, int(re.search(r"-(\d+) ", out.stdout)[1])


class Kiosk:
    name = "kioskd"
    pid = property(lambda self: self.spooler.pid)

    def __init__(self, spooler, printer, tools, receipt):
        self.spooler = spooler
        self.printer = printer
        self.client = Client([tools.kiosk_client, spooler.socket, "/v1/jobs?role=receipt", FORMAT, receipt])
        self.events = Events(spooler.socket)

    def print(self, number):
        begun, _, job = self.client.order(f"print {number}")
        return begun, job

    def known(self, job):
        return self.events.completed(job)

    def print_many(self, first, count):
        return self.client.order(f"many {first} {count}")[0]

    def print_by_command(self, path):
        command = self.spooler.print_command(path)
        begun = time.monotonic_ns()
        out = subprocess.run(command, stdin=subprocess.DEVNULL, check=True, capture_output=True, text=True)
        return begun, self.spooler.job_id(out.stdout)


class Events:
    """Follows kioskd's server-sent events and notes when each job was known to be completed."""

    def __init__(self, path):
        self.completions = queue.Queue()
        self.early = {}
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        rest = b""
        while data := self.connection.recv(65536):
            known = time.monotonic_ns()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if not line.startswith(b"data:") or b'"completed"' not in line:
                    continue
                job = json.loads(line[5:]).get("job") or {}
                if job.get("job-state") == "completed":
                    self.completions.put((job["id"], known))

    def completed(self, job):
        while job not in self.early:
            other, known = self.completions.get(timeout=60)
            self.early[other] = known
        return self.early.pop(job)


def write_receipt(path, number, source):
    with open(source, "rb") as file:
        body = file.read()
    with open(path, "wb") as file:
        file.write(body.replace(b"######", label(number).encode(), 1))
