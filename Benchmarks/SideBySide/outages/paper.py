"""A simulated printer (`kioskctl simulate`) that outages happen to, and the paper that comes out of it."""

import json
import os
import signal
import subprocess
import threading
import time

from .. import processes
from ..null_printer import DeadPrinter


class PaperPrinter:
    profile = None

    def __init__(self, folder, options):
        self.folder, self.program = folder, f"{options.binaries}/kioskctl-simulate"
        os.makedirs(folder)
        self.copies = []  # (time, label, whether all of it is there), one for each that came out, in order
        self.documents = {}
        self.port = processes.free_port()
        self.uri = f"ipp://127.0.0.1:{self.port}/ipp/print"
        self.child = self.cable = None

    def switch_on(self):
        with open(f"{self.folder}/errors.log", "ab") as errors:
            self.child = subprocess.Popen(
                [self.program, "--kind", "receipt", "--port", str(self.port), "--save", f"{self.folder}/received", "--json"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1, start_new_session=True)
        processes.adopt(self.child)
        threading.Thread(target=self.read, args=(self.child.stdout,), daemon=True).start()
        processes.wait_until(lambda: processes.accepts_connections(self.port), "kioskctl simulate", self.child, seconds=60)

    def read(self, events):
        for line in events:
            event = json.loads(line)
            if event["event"] == "received":
                with open(event["path"], "rb") as file:
                    self.documents[event["document"]] = file.read(6).decode(errors="replace")
            elif event["event"] == "paper":
                label = self.documents.get(event["document"], "?")
                self.copies.append((time.monotonic(), label, event["isComplete"]))

    def order(self, command):
        """What happens to it, in the words of `kioskctl simulate --help`."""
        self.child.stdin.write(f"{command}\n")
        self.child.stdin.flush()

    def wait_for_document(self):
        """Until it has got one, and prints it."""
        processes.wait_until(lambda: self.documents, "a document at the printer", self.child, seconds=60)

    def freeze(self):
        """It hangs: the network accepts connections and bytes for it, and nothing responds."""
        os.kill(self.child.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.child.pid, signal.SIGCONT)

    def pull_cable(self):
        """Only before it is switched on: what is sent to its address is lost."""
        self.cable = DeadPrinter("unreachable", self.port)

    def plug_in(self):
        self.cable.close()
        self.switch_on()

    def close(self):
        if self.child:
            self.thaw()
            processes.stop(self.child)
