"""Child processes of a comparison: started, watched, and ended whatever happens."""

import atexit
import os
import signal
import socket
import subprocess
import time

_running = []


def start(command, log, **options):
    """Starts a child in a process group of its own, so that what it starts can be ended with it."""
    with open(log, "ab") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options
        )
    _running.append(child)
    return child


def adopt(child):
    """Ends a child that somebody else started, with the others."""
    _running.append(child)


def stop(child):
    """Ends a child and its group: politely, and after five seconds not so."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass
        try:
            child.wait(5)
            break
        except subprocess.TimeoutExpired:
            continue
    try:
        os.killpg(child.pid, signal.SIGKILL)  # What the child left behind: backends outlive cupsd.
    except ProcessLookupError:
        pass
    if child in _running:
        _running.remove(child)


@atexit.register
def stop_all():
    for child in reversed(list(_running)):
        stop(child)


def kill(child):
    """Ends a child as a power cut would, and with it the helpers in process groups of their own."""
    helpers = [int(word) for word in open(f"/proc/{child.pid}/task/{child.pid}/children").read().split()]
    for pid in [child.pid, *helpers]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    child.wait()
    _running.remove(child)


def wait_until(condition, what, child=None, seconds=20, poll=0.01):
    """Polls for something that must come true soon; only used outside of measured spans."""
    end = time.monotonic() + seconds
    while not condition():
        if child is not None and child.poll() is not None:
            raise RuntimeError(f"{what}: the process ended with {child.returncode}")
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {seconds} s")
        time.sleep(poll)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts_connections(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def cpu_seconds(pid):
    """The CPU that a process and its ended children used. Its own part is exact, theirs in ticks of 10 ms."""
    scheduler_clock_of_process = (~pid << 3) | 2  # clock_getcpuclockid(3)
    own = time.clock_gettime(scheduler_clock_of_process)
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    children = int(fields[13]) + int(fields[14])
    return own + children / os.sysconf("SC_CLK_TCK")


def private_kilobytes(pid):
    """The memory that is this process's alone and written to: what it costs the machine."""
    return memory_kilobytes(pid, "Private_Dirty")


def resident_kilobytes(pid):
    """All of its memory that is not swapped out, pages of its program among it."""
    return memory_kilobytes(pid, "Rss")


def memory_kilobytes(pid, kind):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith(f"{kind}:"):
                return int(line.split()[1])
    raise RuntimeError(f"/proc/{pid}/smaps_rollup has no {kind}")


class Client:
    """A C client that replies to each order on standard input with one line."""

    def __init__(self, command):
        self.command = command
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
        )
        _running.append(self.child)

    def order(self, text):
        self.ask(text)
        return self.reply(text)

    def ask(self, text):
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()

    def reply(self, text):
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.command[0]} ended with {self.child.wait()} at: {text}")
        return [int(word) for word in line.split()]

    def close(self):
        self.child.stdin.close()
        self.child.wait(10)
        _running.remove(self.child)
