"""Counts what a process does between two moments: switches by thread, system calls, where it sleeps, processor time.

Switches and processor time come from /proc and cost the process nothing. System calls are counted by the kernel's tracepoints (perf stat),
which cost it little, or by strace, which stops it at each call: whoever uses that counts switches in a run of its own.
"""

import collections
import os
import re
import shutil
import signal
import subprocess
import time

from . import processes

CALLS = "futex", "fdatasync", "pwrite64", "pread64", "epoll_wait", "read", "write", "writev", "fcntl", "timerfd_settime"
# Calls that a thread may sleep in, and is looked up in.
SLEEPS = "futex", "fdatasync", "fsync", "pwrite64", "epoll_wait", "read", "write", "fcntl"
TICK = os.sysconf("SC_CLK_TCK")


def threads(pid):
    """The name of each thread, and how often it gave up its core by itself and against its will."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/status") as file:
                text = file.read()
        except (FileNotFoundError, ProcessLookupError):
            continue  # It ended between the two calls.
        name, *numbers = re.search(
            r"^Name:\t(.*?)\n.*^voluntary_ctxt_switches:\t(\d+)\nnonvoluntary_ctxt_switches:\t(\d+)", text, re.S | re.M
        ).groups()
        found[int(task)] = name, *map(int, numbers)
    return found


class ThreadEnded(RuntimeError):
    """A thread ended while its switches were counted, and took its counters with it: libdispatch ends those that are idle for some seconds."""


class Switches:
    """Switches by thread, and processor time in milliseconds."""

    def __init__(self, pid):
        self.pid = pid

    def __enter__(self):
        self.counts = {}
        self.before = self.now()
        return self

    def now(self):
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return threads(self.pid), processes.cpu_seconds(self.pid), int(fields[11]), int(fields[12])

    def __exit__(self, *failure):
        (before, cpu, user, system), (after, cpu_after, user_after, system_after) = self.before, self.now()
        if before.keys() - after.keys():
            raise ThreadEnded("threads of kioskd ended each time that their switches were counted")
        counts = collections.Counter()
        for task, (name, voluntary, forced) in after.items():
            _, voluntary_before, forced_before = before.get(task, (name, 0, 0))
            counts["switches"] += voluntary - voluntary_before
            counts[f"switches of {name}"] += voluntary - voluntary_before
            counts["forced switches"] += forced - forced_before
        # The sum is exact; its two parts come in ticks of 10 ms.
        counts["CPU ms"] = 1000 * (cpu_after - cpu)
        counts["user ms"] = 1000 / TICK * (user_after - user)
        counts["system ms"] = 1000 / TICK * (system_after - system)
        self.counts = counts


class Perf:
    """perf, attached to a process for as long as this lasts. It has attached when this begins."""

    def __init__(self, pid, folder, *command):
        self.output = f"{folder}/perf"
        orders, replies = os.pipe(), os.pipe()
        self.orders, self.replies = orders[1], replies[0]
        self.child = subprocess.Popen(
            ["perf", *command, "-o", self.output, "-p", str(pid), "--delay=-1", f"--control=fd:{orders[0]},{replies[1]}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=(orders[0], replies[1]),
        )
        os.close(orders[0])
        os.close(replies[1])

    def order(self, text):
        os.write(self.orders, text.encode() + b"\n")
        if not os.read(self.replies, 16).startswith(b"ack"):
            raise RuntimeError(f"perf: {self.child.communicate()[1].decode()}")

    def end(self):
        self.order("disable")
        self.child.send_signal(signal.SIGINT)
        errors = self.child.communicate()[1].decode()
        os.close(self.orders)
        os.close(self.replies)
        return errors


class CallsByPerf:
    """System calls by name, and instructions in user space where the processor counts them."""

    name = "perf stat"

    def __init__(self, pid, folder):
        self.pid, self.folder = pid, folder

    @staticmethod
    def is_possible():
        """Tracepoints are root's."""
        return bool(shutil.which("perf")) and subprocess.run(
            ["perf", "stat", "-e", "syscalls:sys_enter_futex", "true"], capture_output=True
        ).returncode == 0

    def __enter__(self):
        events = ["instructions:u", "raw_syscalls:sys_enter", *(f"syscalls:sys_enter_{call}" for call in CALLS)]
        self.perf = Perf(self.pid, self.folder, "stat", "-x", ",", "-e", ",".join(events))
        self.perf.order("enable")
        return self

    def __exit__(self, *failure):
        self.perf.end()
        self.counts = collections.Counter()
        with open(self.perf.output) as file:
            for line in file:
                count, _, event, *_ = [*line.strip().split(","), "", ""]
                if not count.isdigit():
                    continue  # A comment, or <not supported>: virtual machines seldom count instructions.
                name = {"raw_syscalls:sys_enter": "system calls", "instructions:u": "user instructions"}.get(event)
                self.counts[name or event.removeprefix("syscalls:sys_enter_")] += int(count)


class CallsByStrace:
    """The same without tracepoints. The process is several times slower meanwhile, and sleeps otherwise."""

    name = "strace -c"

    def __init__(self, pid, folder):
        self.pid, self.output = pid, f"{folder}/strace"

    def __enter__(self):
        self.child = subprocess.Popen(
            ["strace", "-c", "-f", "-o", self.output, "-p", str(self.pid)], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        processes.wait_until(self.is_attached, "strace", self.child)
        return self

    def is_attached(self):
        tracers = set()
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/status") as file:
                tracers.add(re.search(r"^TracerPid:\t(\d+)", file.read(), re.M).group(1))
        return tracers == {str(self.child.pid)}

    def __exit__(self, *failure):
        self.child.send_signal(signal.SIGINT)
        self.child.wait()
        self.counts = collections.Counter()
        with open(self.output) as file:
            for line in file:
                fields = line.split()
                if len(fields) < 5 or not fields[3].isdigit():
                    continue
                name, count = fields[-1], int(fields[3])
                if name in CALLS:
                    self.counts[name] += count
                self.counts["system calls"] += count if name != "total" else 0


class Sleeps:
    """Voluntary switches by the system call that the thread was in."""

    def __init__(self, pid, folder):
        self.pid, self.folder = pid, folder

    def __enter__(self):
        events = ["sched:sched_switch"]
        events += [f"syscalls:sys_{edge}_{call}" for call in SLEEPS for edge in ("enter", "exit")]
        self.perf = Perf(self.pid, self.folder, "record", "-m", "4096", "-e", ",".join(events))
        self.perf.order("enable")
        return self

    def __exit__(self, *failure):
        errors = self.perf.end()
        if "LOST" in errors or "lost" in errors:
            raise RuntimeError("perf lost events: measure fewer receipts")
        lines = subprocess.run(
            ["perf", "script", "-i", self.perf.output, "-F", "tid,event,trace"], check=True, capture_output=True, text=True
        ).stdout
        self.counts = sleeps(lines)
        os.remove(self.perf.output)


def sleeps(lines):
    """What perf script printed, as counts."""
    within, counts = {}, collections.Counter()
    for line in lines.splitlines():
        thread, event, trace = [*line.split(None, 2), ""][:3]
        event = event.rstrip(":")
        if "sys_enter_" in event:
            within[thread] = event.rpartition("sys_enter_")[2]
        elif "sys_exit_" in event:
            within.pop(thread, None)
        elif "sched_switch" in event and not re.search(r"prev_state=R", trace):
            counts[f"sleeps in {within.get(thread, 'another call')}"] += 1
    counts["switches outside fdatasync"] = counts.total() - counts["sleeps in fdatasync"]
    return counts


class Wakes:
    """Who wakes whom by which functions. The program must not be stripped."""

    # What stands between the function that wakes and the wake itself, and below every job of a thread.
    RUNTIME = re.compile(
        r"^(\[unknown\]|_?swift_|swift::|_dispatch|\(anonymous|sem_post|start_thread|__|completeTask|withStatusRecordLock"
        r"|\$ss?[Sc]|\$sIe|\$s8Dispatch|\$s8NIOPosix(19SelectableEventLoop|27MultiThreadedEventLoopGroup))"
    )
    # What is told of a wake that is the runtime's alone: leaving an executor, leaving an actor that has more to do, a task's end.
    REASON = re.compile(r"swift_task_switch|DefaultActorImpl::unlock|completeFuture|\$s8Dispatch0A5QueueC5async|_dispatch_event_loop_drain_timers")
    # So many of ours, innermost first.
    DEPTH = 2

    def __init__(self, pid, folder):
        self.pid, self.folder = pid, folder

    def __enter__(self):
        self.perf = Perf(self.pid, self.folder, "record", "-m", "4096", "--call-graph", "fp", "-e", "sched:sched_waking")
        self.perf.order("enable")
        return self

    def __exit__(self, *failure):
        self.perf.end()
        lines = subprocess.run(
            ["perf", "script", "-i", self.perf.output, "-F", "comm,trace,ip,sym"], check=True, capture_output=True, text=True
        ).stdout
        counts = wakes(lines)
        names = demangled({name for _, _, chain in counts for name in chain})
        self.counts = collections.Counter()
        for (waker, woken, chain), count in counts.items():
            self.counts[f"{waker} → {woken}: {' < '.join(names[name] for name in chain) or 'the runtime'}"] += count
        os.remove(self.perf.output)


def wakes(lines):
    """What perf script printed, as counts by waker, woken and the waker's functions."""
    counts = collections.Counter()
    for block in lines.split("\n\n"):
        head, *frames = block.strip().splitlines() or [""]
        woken = re.search(r"comm=(.+?) pid=", head)
        if not woken:
            continue
        waker = head.split(" comm=")[0].strip().rstrip(":").split()[0]
        chain, reason = [], ()
        for frame in frames:
            address, _, name = frame.strip().partition(" ")
            reason = reason or Wakes.REASON.search(name) and (name,) or ()
            # The kernel's half of the addresses.
            if len(address) == 16 and address.startswith("ffff") or Wakes.RUNTIME.match(name) or name in chain:
                continue
            chain.append(name)
        counts[waker, woken.group(1), tuple(chain[:Wakes.DEPTH]) or reason] += 1
    return counts


def demangled(names):
    names = sorted(names)
    if not names or not shutil.which("swift"):
        return {name: name for name in names}
    text = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"], input="\n".join(names), check=True, capture_output=True, text=True
    ).stdout.splitlines()
    noise = r"^(generic specialization <.*?> of |function signature specialization <.*?> of |partial apply for |\(\d+\) \w+ \w+ \w+ for )+"
    return {name: re.sub(noise, "", plain)[:120] for name, plain in zip(names, text)}


def settle(pid, seconds=10):
    """Waits until the process does next to nothing, so that no run begins amid what the one before it left."""
    end = time.monotonic() + seconds
    used = processes.cpu_seconds(pid)
    while time.monotonic() < end:
        time.sleep(0.2)
        before, used = used, processes.cpu_seconds(pid)
        if used - before < 0.004:
            return
