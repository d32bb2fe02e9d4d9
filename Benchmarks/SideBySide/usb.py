"""An emulated USB bus with one receipt printer (Tests/USBEmulator)."""

import os
import shlex
import socket
import subprocess

from . import processes

FOLDER = f"{os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))}/Tests/USBEmulator"
PRINTER = "usb://EPSON/TM-T20II?serial=EMU0001"


def build():
    subprocess.run(["make", "--silent", "--directory", FOLDER], check=True)


class EmulatedBus:
    """The emulator, and its control socket. Programs see the bus when they are started with `environment`."""

    def __init__(self, folder, *options):
        self.path = f"{folder}/control"
        program = f"{FOLDER}/build/usb-emulator"
        self.child = subprocess.Popen(
            [program, "--control", self.path, *options], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        processes.adopt(self.child)
        self.environment = dict(os.environ)
        while "USB_EMULATOR_CONTROL" not in self.environment:
            line = self.child.stdout.readline()
            if not line:
                raise RuntimeError(f"{program} ended with {self.child.wait()}")
            for word in shlex.split(line):
                key, _, value = word.partition("=")
                self.environment[key] = value

    def ask(self, line):
        """The values of the reply to a line, by key."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            connection.sendall(f"{line}\n".encode())
            return dict(word.partition("=")[::2] for word in shlex.split(connection.makefile().readline()))
