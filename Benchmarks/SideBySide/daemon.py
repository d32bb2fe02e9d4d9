"""kioskd and kioskctl, as a till would have them installed, on a state directory of their own."""

import json
import os
import socket
import subprocess

from . import processes

PROFILES = os.path.realpath(f"{os.path.dirname(__file__)}/../../profiles")


class KioskDaemon:
    """`device`: the printer `till` of the role `receipt`, saved with kioskctl. `printers`: others that are in the registry
    from the start, by id, all with the same `profile`; the role names them first.
    """

    def __init__(self, folder, device, binaries, *options, printers={}, profile=None):
        self.kioskctl = f"{binaries}/kioskctl"
        self.state = f"{folder}/state"
        os.makedirs(self.state, exist_ok=True)
        self.socket = f"{self.state}/kioskd.sock"
        self.program, self.log = f"{binaries}/kioskd", f"{folder}/kioskd.log"
        if printers:
            with open(f"{self.state}/printers.yaml", "w") as file:
                more = f", profile: {profile}" if profile else ""
                entries = [f"  - {{ id: {name}, url: {uri}, job-types: [receipt]{more} }}\n"
                           for name, uri in printers.items()]
                file.write("printers:\n" + "".join(entries))
        self.start()
        if device:
            self.control("printers", "add", "till", device, "--job-types", "receipt", *options)
            self.control("roles", "assign", "receipt", *printers, "till")

    def launch(self):
        command = [self.program, "--state-dir", self.state, "--profiles", PROFILES]
        self.child = processes.start(command, self.log)

    def start(self):
        self.launch()
        processes.wait_until(self.accepts_connections, "kioskd", self.child)

    def accepts_connections(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.socket) == 0

    @property
    def pid(self):
        return self.child.pid

    def command(self, *arguments):
        return [self.kioskctl, *arguments, "--state-dir", self.state]

    def control(self, *arguments):
        return subprocess.run(
            self.command(*arguments), stdin=subprocess.DEVNULL, check=True, capture_output=True, text=True
        ).stdout

    def print_command(self, path):
        return self.command("print", path, "--role", "receipt", "--type", "application/vnd.escpos", "--json")

    @staticmethod
    def job_id(output):
        return json.loads(output)["id"]
