"""kioskd, and CUPS in several settings, as whoever prints through them sees them in an outage."""

import http.client
import json
import re
import socket
import subprocess

from .. import processes
from ..candidates import FORMAT, write_receipt
from ..cups import PrivateCUPS
from ..daemon import KioskDaemon

LIST = """{
  OPERATION Get-Jobs
  GROUP operation-attributes-tag
  ATTR charset attributes-charset utf-8
  ATTR language attributes-natural-language en
  ATTR uri printer-uri $uri
  ATTR keyword which-jobs all
  ATTR keyword requested-attributes job-id,job-state
  DISPLAY job-id
  DISPLAY job-state
}
"""

ENDED = "completed", "canceled", "aborted"


class KioskSpooler:
    """The role `receipt` in its standard settings."""

    name = "kioskd"
    needs = "kioskctl release"

    def __init__(self, folder, printers, expiry, options):
        self.receipt, self.jobs = options.receipt, {}
        saved = {f"till-{number}": printer.uri for number, printer in enumerate(printers)}
        self.daemon = KioskDaemon(folder, None, options.binaries, printers=saved, profile=printers[0].profile)
        seconds = ["--expires-after", str(expiry)] if expiry else []
        self.daemon.control("roles", "assign", "receipt", *saved, *seconds)
        with open(options.receipt, "rb") as file:
            self.document = file.read()

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("localhost", timeout=30)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(30)
        connection.sock.connect(self.daemon.socket)
        connection.request(method, path, body, {"Content-Type": FORMAT} if body else {})
        response = connection.getresponse()
        content = json.loads(response.read())
        connection.close()
        if response.status >= 300:
            raise RuntimeError(f"kioskd refused: {content}")
        return content

    def submit(self, label):
        body = self.document.replace(b"######", label.encode(), 1)
        self.jobs[label] = self.request("POST", f"/v1/jobs?role=receipt&name={label}", body)["id"]

    def told(self):
        """What it says of each receipt: its state and reasons, and whether it owns up to not knowing."""
        found = {}
        for label, job in self.jobs.items():
            known = self.request("GET", f"/v1/jobs/{job}")
            found[label] = known["job-state"], ",".join(known["job-state-reasons"]), known["unconfirmed"]
        return found

    def is_stopped(self):
        return any(state == "pending-held" for state, _, _ in self.told().values())

    def resume(self):
        for label, job in self.jobs.items():
            if self.told()[label][0] == "pending-held":
                self.request("POST", f"/v1/jobs/{job}/release")

    def kill(self):
        processes.kill(self.daemon.child)

    def start(self):
        self.daemon.start()

    def close(self):
        processes.stop(self.daemon.child)


class CUPSSpooler:
    """A raw queue with an error policy; a class where there are several printers."""

    needs = "cupsenable"
    settings = ()

    def __init__(self, folder, printers, expiry, options):
        self.folder, self.receipt, self.jobs = folder, options.receipt, {}
        settings = list(self.settings)
        if expiry and self.durable:
            settings.append(f"MaxJobTime {expiry}")  # The nearest thing that it has to an expiry.
        names = [f"till-{number}" for number in range(len(printers))]
        self.cups = PrivateCUPS(f"{folder}/cups", None, self.durable, settings)
        for name, printer in zip(names, printers):
            self.cups.add(name, printer.uri, "-o", f"printer-error-policy={self.policy}")
        self.printers, self.queue = names, names[0]
        if len(names) > 1:
            self.queue = "receipt"
            for name in names:
                self.cups.run("lpadmin", "-p", name, "-c", self.queue)
            self.cups.run("cupsenable", self.queue)
            self.cups.run("cupsaccept", self.queue)
        with open(f"{folder}/jobs.test", "w") as file:
            file.write(LIST)
        # An hour after it was set up, all of it would be on disk; so it is now.
        processes.stop(self.cups.child)
        self.cups.start()

    def submit(self, label):
        path = f"{self.folder}/{label}"
        write_receipt(path, int(label), self.receipt)
        out = self.cups.run("lp", "-d", self.queue, "-t", label, "-o", "raw", path)
        self.jobs[label] = int(re.search(r"-(\d+) ", out)[1])

    def told(self):
        out = subprocess.run(
            ["ipptool", "-c", f"ipp://127.0.0.1:{self.cups.port}/", f"{self.folder}/jobs.test"],
            capture_output=True, text=True).stdout
        states = {int(row[0]): row[1] for row in (line.split(",") for line in out.split("\n")) if row[0].isdigit()}
        return {label: (states.get(job, "unknown"), "", False) for label, job in self.jobs.items()}

    def is_stopped(self):
        return "disabled" in self.cups.run("lpstat", "-p")

    def resume(self):
        self.cups.run("cupsenable", *self.printers)

    def kill(self):
        processes.kill(self.cups.child)

    def start(self):
        self.cups.start()

    def close(self):
        processes.stop(self.cups.child)


class DebianCUPS(CUPSSpooler):
    name, policy, durable = "CUPS as Debian ships it", "retry-job", False


class BestCUPS(CUPSSpooler):
    name, policy, durable = "CUPS at its best", "retry-current-job", True
    settings = ("JobRetryInterval 5",)


class StoppingCUPS(CUPSSpooler):
    name, policy, durable = "CUPS, `stop-printer`", "stop-printer", False


class AbortingCUPS(CUPSSpooler):
    name, policy, durable = "CUPS, `abort-job`", "abort-job", False


ALL = KioskSpooler, DebianCUPS, BestCUPS, StoppingCUPS, AbortingCUPS
