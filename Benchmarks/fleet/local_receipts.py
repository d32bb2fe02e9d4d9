#!/usr/bin/env python3
"""Measures a till's receipt at kiosks whose fleet's hub is there, down, silent or hostile, beside one without a fleet.

    Benchmarks/fleet/local_receipts.py [--programs FOLDER] [--rounds N]

All kiosks run at the same time, each with a raw TCP printer of its own that reads and says nothing, and are asked in
turns, so that whatever else the machine does meets all of them alike. Needs nats-server (Scripts/bootstrap fleet).
"""
import argparse
import http.client
import os
import pathlib
import socket
import statistics
import subprocess
import tempfile
import threading
import time

RECEIPT = pathlib.Path(__file__).resolve().parents[2] / "Examples" / "receipt.txt"


class Listener:
    """A TCP server on loopback whose connections `serve` handles, each on a thread of its own."""

    def __init__(self, serve):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.serve = serve
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            threading.Thread(target=self.handle, args=(connection,), daemon=True).start()

    def handle(self, connection):
        with connection:
            try:
                self.serve(connection)
            except OSError:
                pass


def read_all(connection):
    while connection.recv(65536):
        pass


def be_silent(connection):
    read_all(connection)


def be_hostile(connection):
    """Says what a server says first, then ever more that it should not."""
    connection.sendall(b'INFO {"server_id":"x","version":"2.9.10","headers":true,"max_payload":1048576}\r\n')
    lines = b"".join(b"MSG _IN.none %d 1000\r\n%s\r\n" % (number, b"x" * 1000) for number in range(50))
    while True:
        connection.sendall(lines + b"PING\r\n+OK\r\n-ERR 'Permissions Violation for Publish to \"jobs\"'\r\n")
        time.sleep(0.05)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


class Kiosk:
    def __init__(self, programs, folder, name, hub):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        printer = Listener(read_all)
        (self.folder / "printers.yaml").write_text(
            "version: 1\nprinters:\n"
            f'  - {{ id: till, url: "socket://127.0.0.1:{printer.port}", profile: generic-80mm }}\n'
            "roles:\n  receipt:\n    printers: [till]\n"
        )
        fleet = ["--fleet-hub", hub, "--fleet-site", name, "--fleet-node", "kiosk-1"] if hub else []
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            [programs / "kioskd", "--state-dir", self.folder, "--profiles", "profiles", *fleet], stderr=self.log
        )
        self.path = str(self.folder / "kioskd.sock")
        while not os.path.exists(self.path):
            if self.process.poll() is not None:
                raise SystemExit((self.folder / "log").read_text())
            time.sleep(0.02)
        self.connection = UnixConnection(self.path)
        self.times = []

    def receipt(self, document):
        """Milliseconds from the request to the response: the receipt is on disk then."""
        begin = time.perf_counter()
        self.connection.request(
            "POST", "/v1/jobs?role=receipt", body=document, headers={"Content-Type": "application/vnd.escpos"}
        )
        response = self.connection.getresponse()
        body = response.read()
        if response.status >= 300:
            raise SystemExit(f"{response.status} {body!r}")
        return (time.perf_counter() - begin) * 1000

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path(".build/programs"))
    parser.add_argument("--rounds", type=int, default=400)
    options = parser.parse_args()
    document = RECEIPT.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        free = socket.create_server(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        settings = pathlib.Path(folder) / "hub.conf"
        settings.write_text(f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{folder}/hub" }}\n')
        hub = subprocess.Popen(["nats-server", "-c", settings], stderr=subprocess.DEVNULL)
        hubs = {
            "none": None,
            "there": f"nats://127.0.0.1:{port}",
            "down": "nats://127.0.0.1:9",
            "silent": f"nats://127.0.0.1:{Listener(be_silent).port}",
            "hostile": f"nats://127.0.0.1:{Listener(be_hostile).port}",
        }
        kiosks = {name: Kiosk(options.programs, folder, f"site-{name}", hub) for name, hub in hubs.items()}
        try:
            for kiosk in kiosks.values():
                for _ in range(20):
                    kiosk.receipt(document)
            before = {name: kiosk.processor_seconds() for name, kiosk in kiosks.items()}
            for number in range(options.rounds):
                for kiosk in list(kiosks.values())[number % len(kiosks) :] + list(kiosks.values())[: number % len(kiosks)]:
                    kiosk.times.append(kiosk.receipt(document))
            busy = {name: kiosk.processor_seconds() - before[name] for name, kiosk in kiosks.items()}
            print("| hub | p50, ms | p99, ms | p50 beside none | processor beside none |")
            print("|---|---|---|---|---|")
            base = statistics.median(kiosks["none"].times)
            for name, kiosk in kiosks.items():
                times = sorted(kiosk.times)
                print(
                    f"| {name} | {statistics.median(times):.2f} | {times[int(len(times) * 0.99)]:.2f} "
                    f"| {statistics.median(times) / base:.2f} | {busy[name] / busy['none']:.2f} |"
                )
        finally:
            for kiosk in kiosks.values():
                kiosk.process.terminate()
            for kiosk in kiosks.values():
                kiosk.process.wait()
            hub.terminate()
            hub.wait()


if __name__ == "__main__":
    main()
