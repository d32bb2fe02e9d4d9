#!/usr/bin/env python3
"""Measures how long a site's jobs wait where the kiosk of a pair that takes them is killed.

    Benchmarks/fleet/takeover.py [--programs FOLDER] [--rounds N] [--server] [--debian]

In each round a job waits for the other kiosk: it was sent right after `kill -9`. With --server one of the hub's three
servers is killed at the same moment. The printer is simulated, and confirms each receipt. The hub is the pinned
nats-server (Scripts/bootstrap test), or Debian's with --debian.
"""
import argparse
import contextlib
import json
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from hub import DOCUMENT, ROOT, Client, Hub, job, wait_for

SITE = "paris"
DEBIAN = "/usr/sbin/nats-server"
STREAMS = ["JOBS", "DOCS", "REPORTS", "KV_LEASE", "KV_STATUS"]


class Kiosk:
    def __init__(self, programs, folder, name, hub, printer, ending):
        self.name, self.folder = name, pathlib.Path(folder) / name
        self.folder.mkdir()
        (self.folder / "printers.yaml").write_text(
            f'version: 1\nprinters:\n  - {{ id: till, url: "{printer}", profile: epson-tm }}\n'
            "roles:\n  receipt:\n    printers: [till]\n"
        )
        self.command = [programs / "kioskd", "--state-dir", self.folder, "--profiles", ROOT / "profiles"]
        self.command += [word for url in hub.urls for word in ("--fleet-hub", url)]
        self.command += ["--fleet-site", SITE, "--fleet-node", name, "--fleet-pair"]
        self.process = None
        ending.callback(self.kill)
        self.start()

    def start(self):
        socket = self.folder / "kioskd.sock"
        socket.unlink(missing_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        wait_for(f"{self.name} to start", lambda: socket.exists() or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise SystemExit((self.folder / "log").read_text())

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()


class Reports:
    """What the kiosks say of jobs, and when each has said it first."""

    def __init__(self, client):
        self.heard, self.changed = {}, threading.Condition()
        client.subscribe(f"reports.{SITE}.*", self.add)

    def add(self, subject, head, body):
        report = json.loads(body)
        with self.changed:
            said = (subject.rsplit(".", 1)[1], report["stage"])
            self.heard.setdefault(said, (time.monotonic(), report["node"]))
            self.changed.notify_all()

    def wait(self, token, stage, seconds=400):
        """When it was said, and by whom."""
        with self.changed:
            if not self.changed.wait_for(lambda: (token, stage) in self.heard, seconds):
                raise SystemExit(f"no kiosk has said \"{stage}\" within {seconds} s")
            return self.heard[token, stage]


class Benchmark:
    """What it starts is ended by `ending`."""

    def __init__(self, options, folder, ending):
        self.options = options
        # Debian's knows no `sync_interval`.
        self.hub = Hub(folder, sync=None, program=DEBIAN) if options.debian else Hub(folder)
        ending.callback(self.hub.end, signal.SIGKILL)
        setup = [options.programs / "kioskctl-fleet", "setup", "--apply", "--timeout", "60", *self.hub.options]

        def is_set_up():
            # Debian's server is too old for a setting of two streams, so the exit code says nothing.
            subprocess.run(setup, capture_output=True)
            return self.is_whole()

        # The server that it is connected to is not killed.
        self.client = Client(self.hub.ports[0])
        wait_for("the hub's streams", is_set_up, 120)
        self.reports = Reports(self.client)
        self.printer = subprocess.Popen(
            [options.programs / "kioskctl", "simulate", "--kind", "receipt"], stdout=subprocess.PIPE
        )
        ending.callback(self.printer.terminate)
        printer = self.printer.stdout.readline().decode().strip()
        self.kiosks = [
            Kiosk(options.programs, folder, name, self.hub, printer, ending) for name in ("kiosk-1", "kiosk-2")
        ]
        self.sent = 0

    def send(self):
        """Returns the job's token once the hub has stored it."""
        self.sent += 1
        subject, headers = job(SITE, f"order-{self.sent}")

        def is_stored():
            try:
                _, body = self.client.request(subject, DOCUMENT, headers, timeout=1)
            except TimeoutError:
                return False
            # The second time, the hub has it already.
            return b'"seq"' in body or b"10077" in body

        wait_for("the hub to store a job", is_stored, 60)
        return subject.rsplit(".", 1)[1]

    def is_whole(self):
        """Whether all servers have all streams."""
        for stream in STREAMS:
            try:
                answer = json.loads(self.client.request(f"$JS.API.STREAM.INFO.{stream}", timeout=2)[1] or b"{}")
            except TimeoutError:
                return False
            cluster = answer.get("cluster", {})
            others = cluster.get("replicas", [])
            if not cluster.get("leader") or len(others) != 2 or not all(each.get("current") for each in others):
                return False
        return True

    def round(self):
        """Seconds from the kill to the other kiosk's claim of a job, and to its word that it is printed."""
        _, holder = self.reports.wait(self.send(), "ended")
        killed = next(each for each in self.kiosks if each.name == holder)
        # The other one has been there for long, as at a site.
        time.sleep(random.uniform(2, 3))
        server = random.choice([1, 2]) if self.options.server else None
        begin = time.monotonic()
        killed.kill()
        if server:
            self.hub.kill(server)
        token = self.send()
        ended, other = self.reports.wait(token, "ended")
        claimed, _ = self.reports.wait(token, "claimed")
        if other == holder:
            raise SystemExit(f"{holder} was killed, and took a job")
        if server:
            self.hub.start_server(server)
            wait_for("the hub to be whole again", self.is_whole, 120)
        killed.start()
        return claimed - begin, ended - begin

    def run(self):
        rounds = []
        for number in range(self.options.rounds):
            rounds.append(self.round())
            print(f"{number + 1}: claimed after {rounds[-1][0]:.1f} s, printed after {rounds[-1][1]:.1f} s",
                  file=sys.stderr, flush=True)
        what = "killed with a server of the hub" if self.options.server else "killed"
        for name, times in zip(("claimed", "printed"), zip(*rounds)):
            times = sorted(times)
            print(f"| {what}: {name} by the other kiosk, {len(times)} times | p50 {statistics.median(times):.1f} s, "
                  f"longest {', '.join(f'{each:.1f}' for each in times[-3:])} s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / ".build" / "programs")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--server", action="store_true", help="kill a server of the hub with the kiosk")
    parser.add_argument("--debian", action="store_true", help="a hub of Debian's nats-server")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        Benchmark(options, folder, ending).run()


if __name__ == "__main__":
    main()
