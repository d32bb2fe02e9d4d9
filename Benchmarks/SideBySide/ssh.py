"""A Unix host to print through (OpenSSH's sshd), reached by OpenSSH's ssh and by kioskd."""

import getpass
import os
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time

from . import processes
from .candidates import write_receipt
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .printer import label
from .processes import Client

MILLISECOND = 1e6

CONFIGURATION = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host-key
PidFile none
AuthorizedKeysFile {folder}/user-key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv HOME={folder} PATH={folder}/bin:/usr/bin:/bin STAMP_DESK={folder}/stamp.socket CUPS_SERVER=127.0.0.1:{cups}
Subsystem sftp internal-sftp
"""


class Host:
    """sshd with keys of its own. Its `lpr` says when the last byte had come; `lpq` is CUPS's, on a queue that is idle."""

    def __init__(self, folder, stamp_lpr):
        os.makedirs(f"{folder}/bin")
        self.folder = folder
        self.spooler = PrivateCUPS(f"{folder}/cups", "file:///dev/null")
        shutil.copy(stamp_lpr, f"{folder}/bin/lpr")
        for name in ("host-key", "user-key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{name}"], check=True)
        self.stamp_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.stamp_socket.bind(f"{folder}/stamp.socket")
        self.stamps = queue.Queue()
        threading.Thread(target=self.collect, daemon=True).start()
        self.user, self.port = getpass.getuser(), processes.free_port()
        with open(f"{folder}/sshd_config", "w") as file:
            file.write(CONFIGURATION.format(port=self.port, folder=folder, cups=self.spooler.port))
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.child = processes.start(
            [shutil.which("sshd"), "-D", "-e", "-f", f"{folder}/sshd_config"], f"{folder}/sshd.log")
        processes.wait_until(lambda: processes.accepts_connections(self.port), "sshd", self.child)
        with open(f"{folder}/host-key.pub") as file:
            with open(f"{folder}/known_hosts", "w") as known:
                known.write(f"[127.0.0.1]:{self.port} {file.read()}")

    @property
    def queue(self):
        return self.spooler.queue

    @property
    def fingerprint(self):
        out = subprocess.run(
            ["ssh-keygen", "-l", "-f", f"{self.folder}/host-key.pub"], check=True, capture_output=True, text=True).stdout
        return out.split()[1].replace("SHA256:", "sha256:")

    def collect(self):
        while True:
            self.stamps.put(self.stamp_socket.recv(256).decode().split())

    def arrived(self, number):
        _, got, nanoseconds = self.stamps.get(timeout=60)
        if got != label(number):
            raise RuntimeError(f"receipt {got} came where {label(number)} was next")
        return int(nanoseconds)

    def hang_up(self):
        """Ends every session, so that the next receipt needs a new connection."""
        for pid in self.sessions():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        processes.wait_until(lambda: not self.sessions(), "the end of the sessions")

    def sessions(self):
        with open(f"/proc/{self.child.pid}/task/{self.child.pid}/children") as file:
            return [int(word) for word in file.read().split()]


class OpenSSH:
    """`ssh host lpr -P queue`, on a new connection or over a ControlMaster's."""

    name = "direct"

    def __init__(self, host, folder, is_warm):
        self.host, self.path = host, f"{folder}/receipt"
        self.command = [
            "ssh", "-F", "none", "-p", str(host.port), "-i", f"{host.folder}/user-key", "-o", "IdentitiesOnly=yes",
            "-o", f"UserKnownHostsFile={host.folder}/known_hosts", "-o", "StrictHostKeyChecking=yes", "-o", "BatchMode=yes",
            "-S", f"{host.folder}/master" if is_warm else "none", f"{host.user}@127.0.0.1",
        ]
        if is_warm:
            self.master = processes.start([*self.command[:-1], "-M", "-N", self.command[-1]], f"{folder}/master.log")
            processes.wait_until(lambda: os.path.exists(f"{host.folder}/master"), "ssh's ControlMaster", self.master)

    def print(self, number, receipt):
        write_receipt(self.path, number, receipt)
        with open(self.path, "rb") as document:
            begun = time.monotonic_ns()
            subprocess.run(
                [*self.command, "lpr", "-P", self.host.queue], stdin=document, check=True, capture_output=True)
        return begun


class KioskOverSSH:
    """A till's kept connection to kioskd, whose printer is the host's queue."""

    name = "kioskd"

    def __init__(self, host, folder, binaries, tools, receipt):
        os.makedirs(f"{folder}/state")
        secrets = f"{folder}/state/secrets.yaml"
        with open(os.open(secrets, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"host:\n  private-key: {host.folder}/user-key\n")
        url = f"ssh+lpr://{host.user}@127.0.0.1:{host.port}/{host.queue}"
        self.daemon = KioskDaemon(folder, url, binaries, "--credentials", "host", "--trust", host.fingerprint)
        self.client = Client(
            [tools.kiosk_client, self.daemon.socket, "/v1/jobs?role=receipt", "application/vnd.escpos", receipt])

    def print(self, number, receipt):
        begun, _, self.job = self.client.order(f"print {number}")
        return begun

    def settle(self):
        """Until nothing of the last job is left to do."""
        processes.wait_until(lambda: '"completed"' in self.daemon.control("job", str(self.job), "--json"), "the job's end")


def measure(options, folder, tools, counter, note):
    """Milliseconds from the client's start to the last byte at the remote `lpr`, warm and cold, in turns."""
    results = {"ssh-warm": {}, "ssh-cold": {}}
    os.makedirs(f"{folder}/ssh")
    # ssh starts for each receipt, as people use it; kioskd's client is a process that runs, as a till is.
    hosts = {kind: Host(f"{folder}/ssh/{kind}", tools.stamp_lpr) for kind in ("warm", "cold")}
    found = {}
    for kind, host in hosts.items():
        os.makedirs(f"{folder}/ssh/{kind}-openssh")
        found[kind] = [OpenSSH(host, f"{folder}/ssh/{kind}-openssh", kind == "warm")]
        if options.candidate != "cups":
            found[kind].append(
                KioskOverSSH(host, f"{folder}/ssh/{kind}-kioskd", options.binaries, tools, options.receipt))
    for turn in range(options.rounds + 1):
        note(f"SSH, round {turn} of {options.rounds}")
        for kind, candidates in found.items():
            for candidate in candidates:
                for _ in range(options.samples if turn else 1):  # Round 0 warms up.
                    if kind == "cold":
                        hosts[kind].hang_up()
                    number = counter.take()
                    begun = candidate.print(number, options.receipt)
                    arrived = hosts[kind].arrived(number)
                    if candidate.name == "kioskd":
                        candidate.settle()
                    if turn:
                        results[f"ssh-{kind}"].setdefault(candidate.name, []).append((arrived - begun) / MILLISECOND)
    return results
