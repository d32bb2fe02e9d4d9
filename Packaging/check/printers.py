"""Printers inside the machine, for each transport. Debian's programs among them are in a root of their own, so that nothing
that they need is there for kioskd to find. What comes out on paper is in /srv/paper, a folder for each."""

import os
import shutil
import subprocess

from machine import MIRROR, CheckError

PROGRAMS = ["p910nd", "cups-ipp-utils", "openssh-server", "openssh-client", "lpr", "socat", "dbus"]

# Keeps what a filter gets, whole.
KEEP = """#!/bin/sh
part=$(mktemp /srv/paper/lpd/.part-XXXXXX) && cat >"$part" && chmod 644 "$part" && mv "$part" "/srv/paper/lpd/$(date +%s%N)"
"""

PRINTCAP = "receipt:lp=/srv/device:sd=/var/spool/lpd/receipt:if=/usr/local/bin/keep:sh:sf:mx#0:\n"


def make_root(root):
    """Has debootstrap make the printers' root in this folder, once."""
    if os.path.exists(f"{root}/.complete"):
        return
    part = f"{root}.part"
    shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(root, ignore_errors=True)
    with open(f"{root}.log", "w") as log:
        command = ["debootstrap", "--variant=minbase", f"--include={','.join(PROGRAMS)}", "bookworm", part, MIRROR]
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode:
            raise CheckError(f"debootstrap failed; {root}.log says why")
    shutil.rmtree(f"{part}/var/cache/apt/archives")
    with open(f"{part}/etc/printcap", "w") as file:
        file.write(PRINTCAP)
    with open(f"{part}/etc/hosts.lpd", "w") as file:
        file.write("localhost\n")
    with open(f"{part}/usr/local/bin/keep", "w") as file:
        file.write(KEEP)
    os.chmod(f"{part}/usr/local/bin/keep", 0o755)
    open(f"{part}/.complete", "w").close()
    os.rename(part, root)


class Printers:
    ROOT = "/media/printers"

    def __init__(self, machine):
        self._machine = machine

    def _start(self, name, command, more=()):
        """Runs a program of the printers' root as a unit of its own."""
        # /srv is the same in both.
        options = [f"--property=RootDirectory={self.ROOT}", "--property=MountAPIVFS=yes", "--property=BindPaths=/srv"]
        words = ["systemd-run", "--quiet", "--collect", f"--unit=printer-{name}", *options, *more]
        self._machine.run(" ".join(words) + " " + command)

    def stop(self, name):
        self._machine.run(f"systemctl stop printer-{name}")

    def stop_all(self):
        # One that ends by itself meanwhile is gone as a unit, too, which systemctl calls a failure.
        self._machine.run("systemctl stop 'printer-*' || ! systemctl --quiet is-active 'printer-*'")

    def await_once(self, text):
        """Returns when this is on paper, wherever. More than once is an error."""
        count = f"cat $(find /srv/paper -type f) | grep --text --only-matching '{text}' | wc -l"
        # p910nd's and the simulated printers' files may be written a moment after the last byte.
        self._machine.wait(f"test $({count}) -ge 1", f"{text!r} on paper", seconds=30)
        if (found := int(self._machine.run(count))) != 1:
            raise CheckError(f"{text!r} is on paper {found} times")

    def till(self):
        """Raw TCP at port 9103: keeps what it gets, and answers nothing."""
        self._machine.run("mkdir -p /srv/paper/till")
        self._start("till", "socat -u TCP-LISTEN:9103,bind=127.0.0.1,reuseaddr,fork OPEN:/srv/paper/till/roll,creat,append")
        self._listening(9103)

    def _listening(self, port):
        # There is no ss(8).
        listens = f"cat /proc/net/tcp /proc/net/tcp6 | grep --quiet ':{port:04X} 0*:0000 0A'"
        failed = "systemctl list-units --failed --plain --no-legend 'printer-*' | grep ."
        self._machine.wait(f"{listens} || {failed}", f"port {port}")
        if (found := self._machine.try_command(failed))[0] == 0:
            raise CheckError(f"a printer does not start: {found[1]}")

    def serial(self):
        """Keeps what comes out of a serial line: a cable's, or where there is none a pseudo-terminal. Its path."""
        self._machine.run("mkdir -p /srv/paper/serial")
        if self._machine.has_devices:
            self._start("serial", "socat -u /dev/ttyS2,raw,echo=0,b115200 OPEN:/srv/paper/serial/roll,creat,append")
            return "/dev/ttyS3"
        line = "PTY,link=/srv/line,group-late=dialout,mode=660,raw,echo=0"
        self._start("serial", f"socat -u {line} OPEN:/srv/paper/serial/roll,creat,append")
        return self._machine.wait("readlink /srv/line", "the line")

    def usb(self):
        """A printer on the kernel's own bus (dummy_hcd, and the gadget of printers)."""
        self._machine.run("mkdir -p /srv/paper/usb")
        self._machine.run("""set -e
            modprobe dummy_hcd; modprobe libcomposite
            mountpoint --quiet /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
            mkdir /sys/kernel/config/usb_gadget/printer; cd /sys/kernel/config/usb_gadget/printer
            echo 0x04b8 >idVendor; echo 0x0e15 >idProduct
            mkdir strings/0x409 functions/printer.0 configs/c.1
            echo EPSON >strings/0x409/manufacturer; echo TM-T20II >strings/0x409/product; echo CHECK1 >strings/0x409/serialnumber
            printf 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20II;CLS:PRINTER;' >functions/printer.0/pnp_string
            ln -s functions/printer.0 configs/c.1
            ls /sys/class/udc >UDC""")
        self._machine.wait("test -c /dev/g_printer0", "the gadget")
        self._start("usb", "socat -u /dev/g_printer0 OPEN:/srv/paper/usb/roll,creat,append")

    def raw(self):
        """p910nd, which answers nothing."""
        self._machine.run("mkdir -p /srv/paper/p910nd; mkfifo /srv/p910nd")
        self._start("p910nd-paper", "sh -c 'while :; do cat /srv/p910nd >>/srv/paper/p910nd/roll; done'")
        self._start("p910nd", "sh -c 'mkdir -p /run/lock/p910nd; exec p910nd -d -f /srv/p910nd -i 127.0.0.1 0'")
        self._listening(9100)

    def ipp(self):
        """ippeveprinter, which takes raster alone, so that kiosk-render has to draw."""
        self._machine.run("mkdir -p /srv/paper/ipp")
        self._start("bus", "dbus-daemon --session --nofork --nopidfile --address=unix:path=/srv/bus")
        self._machine.wait("test -S /srv/bus", "the message bus")
        bus = ("--setenv=DBUS_SYSTEM_BUS_ADDRESS=unix:path=/srv/bus",)
        self._start(
            "ipp", "ippeveprinter -p 6310 -n localhost -d /srv/paper/ipp -k -r off -2 -f image/pwg-raster,image/urf Office", more=bus)
        self._listening(6310)

    def lpd(self):
        """BSD's line printer daemon, which also does the printing for the Unix host."""
        self._machine.run(f"""set -e
            mkdir -p /srv/paper/lpd {self.ROOT}/var/spool/lpd/receipt; : >/srv/device
            chmod 777 /srv/paper/lpd {self.ROOT}/var/spool/lpd {self.ROOT}/var/spool/lpd/receipt /srv/device""")
        # It leaves its parent.
        self._start("lpd", "lpd -W", more=("--property=Type=forking",))
        self._listening(515)

    def unix_host(self):
        """OpenSSH's server, a user there, and a key for kioskd."""
        self._machine.run(f"""set -e
            chroot {self.ROOT} useradd --create-home --shell /bin/sh till
            chroot {self.ROOT} ssh-keygen -q -t ed25519 -N '' -f /root/key
            install -D --mode=600 --owner=1000 --group=1000 {self.ROOT}/root/key.pub {self.ROOT}/home/till/.ssh/authorized_keys
            chown 1000:1000 {self.ROOT}/home/till/.ssh
            install --mode=600 --owner=kioskd --group=kioskd {self.ROOT}/root/key /etc/kioskd/id_ed25519
            printf 'unix:\\n  private-key: id_ed25519\\n' >/etc/kioskd/secrets.yaml
            chown kioskd:kioskd /etc/kioskd/secrets.yaml; chmod 600 /etc/kioskd/secrets.yaml""")
        self._start("sshd", "sh -c 'mkdir -p /run/sshd; exec /usr/sbin/sshd -D -p 2222'")
        self._listening(2222)
