"""A fresh Debian 12 to try packages on, with systemd as its first process, and no network but a loopback of its own:
a container (systemd-nspawn), or a machine with Debian's own kernel (QEMU).
"""

import base64
import os
import shutil
import socket
import subprocess
import time

MIRROR = "http://deb.debian.org/debian"
# What a Debian needs to start on its own, and nothing that kioskd depends on beyond it.
SYSTEM = ["systemd-sysv", "udev", "linux-image-amd64", "initramfs-tools"]

# Takes commands at the second serial line, in base64, a line each, and answers with the status and all output.
COMMANDS = """#!/bin/sh
stty -F /dev/ttyS1 raw -echo
exec 3<>/dev/ttyS1
echo ready >&3
while read -r line <&3; do
    printf %s "$line" | base64 --decode >/run/check-command
    sh /run/check-command </dev/null >/run/check-output 2>&1
    echo "$? $(base64 --wrap=0 </run/check-output)" >&3
done
"""

COMMANDS_UNIT = """[Unit]
Description=Commands of the check
After=multi-user.target

[Service]
ExecStart=/usr/local/sbin/check-commands

[Install]
WantedBy=multi-user.target
"""


class CheckError(Exception):
    """Why the check ends, for people."""


def make_root(root):
    """Has debootstrap make the root in this folder, once."""
    if os.path.exists(f"{root}/.complete"):
        return
    part = f"{root}.part"
    shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(os.path.dirname(part), exist_ok=True)
    with open(f"{root}.log", "w") as log:
        command = ["debootstrap", "--variant=minbase", f"--include={','.join(SYSTEM)}", "bookworm", part, MIRROR]
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode:
            raise CheckError(f"debootstrap failed; {root}.log says why")
    with open(f"{part}/etc/apt/sources.list", "w") as sources:
        sources.write(f"deb {MIRROR} bookworm main\n")
    with open(f"{part}/usr/local/sbin/check-commands", "w") as program:
        program.write(COMMANDS)
    os.chmod(f"{part}/usr/local/sbin/check-commands", 0o755)
    with open(f"{part}/etc/systemd/system/check-commands.service", "w") as unit:
        unit.write(COMMANDS_UNIT)
    # What the installer writes.
    with open(f"{part}/etc/hosts", "w") as hosts:
        hosts.write("127.0.0.1 localhost\n::1 localhost\n")
    with open(f"{part}/etc/fstab", "w") as table:
        table.write("/dev/vdb /media ext4 defaults 0 0\n")
    # Their timers would take apt's lock at a time of their own choice.
    systemctl = ["systemctl", f"--root={part}", "--quiet"]
    subprocess.run(systemctl + ["enable", "check-commands.service"], check=True)
    subprocess.run(systemctl + ["mask", "apt-daily.timer", "apt-daily-upgrade.timer"], check=True)
    open(f"{part}/.complete", "w").close()
    os.rename(part, root)


def fetch_packages(root, files):
    """Puts what apt would fetch for these packages into the root's cache: the machine has no network."""
    copies = [shutil.copy(file, f"{root}/mnt") for file in files]
    names = [f"/mnt/{os.path.basename(file)}" for file in files]
    install = ["--yes", "--download-only", "--no-install-recommends", "install"]
    try:
        for command in ["update"], install + names:
            done = subprocess.run(
                ["chroot", root, "apt-get", "--quiet=2"] + command, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                raise CheckError(f"apt-get {' '.join(command)} failed:\n{done.stdout}")
    finally:
        for copy in copies:
            os.remove(copy)


class System:
    """One that runs. Subclasses say how commands get in."""

    # Whether the kernel has an emulated USB bus, and a cable between two serial lines.
    has_devices = False

    def try_command(self, command, timeout=600):
        """The status and the output of a command for sh(1), as root."""
        raise NotImplementedError

    def restart(self):
        """Has it start anew, and returns once it takes commands again."""
        raise NotImplementedError

    def end(self):
        raise NotImplementedError

    def run(self, command, timeout=600):
        """The output of a command that has to succeed."""
        status, output = self.try_command(command, timeout)
        if status:
            raise CheckError(f"this failed with {status}: {command}\n{output}")
        return output

    def wait(self, command, what, seconds=120):
        """Runs a command again and again until it succeeds; its output."""
        end = time.monotonic() + seconds
        while True:
            status, output = self.try_command(command)
            if status == 0:
                return output
            if time.monotonic() > end:
                raise CheckError(f"{what} did not come within {seconds} s: {command}\n{output}")
            time.sleep(0.2)


class Container(System):
    """Shares this machine's kernel, and has all else of its own."""

    def __init__(self, root, media, folder):
        """Starts it with a copy of `root`; what is in the folder `media` is at /media there."""
        self._folder = folder
        subprocess.run(["cp", "--archive", "--reflink=auto", root, f"{folder}/root"], check=True)
        # That is the machine's.
        os.remove(f"{folder}/root/etc/fstab")
        subprocess.run(["cp", "--archive", "--reflink=auto", media, f"{folder}/media"], check=True)
        self._start()

    def _start(self):
        folder = self._folder
        command = ["systemd-nspawn", "--quiet", "--boot", f"--directory={folder}/root", f"--bind={folder}/media:/media"]
        # The unit's sandbox shall take rights away, not the container's.
        command += ["--private-network", "--capability=all", "--link-journal=no", "--register=no", "--keep-unit"]
        # What kiosk-draw takes rights away from itself with; systemd-nspawn 252 does not know it yet.
        command += ["--system-call-filter=landlock_create_ruleset landlock_add_rule landlock_restrict_self"]
        with open(f"{folder}/console.log", "w") as log:
            self._nspawn = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if self._nspawn.poll() is not None:
                raise CheckError(f"systemd-nspawn ended: {open(f'{self._folder}/console.log').read()}")
            with open(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children") as file:
                children = file.read().split()
            if children:
                self._first_process = children[0]
                if self.try_command("systemctl is-active --quiet multi-user.target")[0] == 0:
                    return
            time.sleep(0.2)
        raise CheckError("the container does not start")

    def try_command(self, command, timeout=600):
        enter = ["nsenter", f"--target={self._first_process}", "--all", "--root", "--wdns=/", "env", "-i"]
        enter += ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "sh", "-c", command]
        try:
            done = subprocess.run(
                enter, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise CheckError(f"this did not end within {timeout} s: {command}")
        return done.returncode, done.stdout.decode(errors="replace").strip()

    def restart(self):
        # systemd-nspawn ends with it where no unit of its own would start it again.
        self.try_command("systemctl poweroff")
        self._nspawn.wait()
        self._start()

    def end(self):
        self._nspawn.terminate()
        self._nspawn.wait()


class Machine(System):
    """A computer with Debian's kernel. QEMU computes every instruction itself (TCG), so it runs wherever its package
    does, some ten times slower. Its fourth and third serial lines are the two ends of a cable: ttyS3 and ttyS2."""

    has_devices = True

    def __init__(self, root, media, folder):
        """Starts it with a copy of `root`; what is in the folder `media` is at /media there."""
        self._folder = folder
        for name, source, size in ("root", root, "6G"), ("media", media, "1G"):
            # The cache is sparse, and the size is a limit alone.
            subprocess.run(["mke2fs", "-q", "-q", "-F", "-t", "ext4", "-d", source, f"{folder}/{name}.img", size], check=True)
        boot = sorted(os.listdir(f"{root}/boot"))
        kernel = next(name for name in boot if name.startswith("vmlinuz-"))
        initrd = next(name for name in boot if name.startswith("initrd.img-"))
        arguments = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "2048"]
        arguments += ["-nodefaults", "-no-user-config", "-display", "none", "-nic", "none"]
        arguments += ["-kernel", f"{root}/boot/{kernel}", "-initrd", f"{root}/boot/{initrd}"]
        arguments += ["-append", "root=/dev/vda rw quiet console=ttyS0"]
        for name in "root", "media":
            arguments += ["-drive", f"file={folder}/{name}.img,format=raw,if=virtio,cache=unsafe"]
        arguments += ["-chardev", f"file,id=console,path={folder}/console.log", "-serial", "chardev:console"]
        arguments += ["-chardev", f"socket,id=commands,path={folder}/commands,server=on,wait=off"]
        arguments += ["-serial", "chardev:commands"]
        arguments += ["-chardev", f"socket,id=printer,path={folder}/cable,server=on,wait=off", "-serial", "chardev:printer"]
        arguments += ["-chardev", f"socket,id=computer,path={folder}/cable", "-serial", "chardev:computer"]
        self._qemu = subprocess.Popen(arguments, stdin=subprocess.DEVNULL)
        self._socket = socket.socket(socket.AF_UNIX)
        self._received = b""
        self._connect()

    def _connect(self):
        while True:
            try:
                self._socket.connect(f"{self._folder}/commands")
                break
            except OSError:
                if self._qemu.poll() is not None:
                    raise CheckError("QEMU ended")
                time.sleep(0.05)
        while self._line(timeout=600) != b"ready":
            pass

    def _line(self, timeout):
        self._socket.settimeout(timeout)
        while b"\n" not in self._received:
            try:
                part = self._socket.recv(65536)
            except TimeoutError:
                raise CheckError(f"no answer within {timeout} s; see {self._folder}/console.log")
            if not part:
                raise CheckError(f"the machine ended; see {self._folder}/console.log")
            self._received += part
        line, self._received = self._received.split(b"\n", 1)
        return line.strip()

    def try_command(self, command, timeout=600):
        """The status and the output of a command for sh(1), as root."""
        self._socket.sendall(base64.b64encode(command.encode()) + b"\n")
        status, _, output = self._line(timeout).partition(b" ")
        return int(status), base64.b64decode(output).decode(errors="replace").strip()

    def restart(self):
        """Has it start anew, and returns once it takes commands again."""
        self._socket.sendall(base64.b64encode(b"systemctl reboot") + b"\n")
        while self._line(timeout=600) != b"ready":
            pass

    def end(self):
        self._qemu.kill()
        self._qemu.wait()
        self._socket.close()
