#!/usr/bin/env python3
"""Measures a fleet of simulated sites at a hub of three servers, beside the targets of docs/fleet.md.

    Benchmarks/fleet/targets.py [--programs FOLDER] [--sites 10000] [--seconds 60] [--only PART]...

parts: sites      connecting them, the servers' memory for each, idle processor time
       latency    sent to accepted, one job at a time
       load       jobs per second with many under way; lost and doubled ones
       restart    all servers killed and started again: when all sites are back, and what was lost or doubled
       backlog    10,000 jobs for one site that was away
       kiosk      the memory and idle processor time that the link costs a kioskd, in turns with one without a hub

The hub is nats-server on loopback with `sync_interval: always` and three replicas, all on this machine's one disk and
without TLS. Needs the pinned nats-server (Scripts/bootstrap test). FOLDER has kioskctl-fleet and, for `kiosk`, kioskd.
"""
import argparse
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from hub import DOCUMENT, Client, Hub, Sender, Simulation, job, memory_kilobytes, processor_seconds, wait_for

PARTS = ["sites", "latency", "load", "restart", "backlog", "kiosk"]
BACKLOG = 10_000
EXPIRED = 100


def say(what, result):
    print(f"| {what} | {result} |", flush=True)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Benchmark:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.hub = Hub(folder)
        self.run_setup()
        self.client = Client(self.hub.ports[0])
        self.sent = 0
        self.simulation = None

    def run_setup(self):
        command = [self.options.programs / "kioskctl-fleet", "setup", "--apply", "--timeout", "60", *self.hub.options]
        wait_for("the hub's streams", lambda: subprocess.run(command, capture_output=True).returncode == 0, 60)

    def site(self, number):
        return f"site-{number:04}"

    def begin(self):
        before = self.hub.memory()
        begin = time.monotonic()
        self.simulation = Simulation(self.options.programs, self.hub, self.options.sites, self.folder)
        self.simulation.wait("all sites to be connected", lambda now: now.get("connected") == self.options.sites, 550)
        connected = time.monotonic() - begin
        # Each of them tells its status once it has begun to take jobs.
        wait_for("all sites to be ready", lambda: self.ready() >= self.options.sites, 550)
        if "sites" not in self.options.only:
            return
        say("connected at first", f"{self.options.sites} sites in {connected:.0f} s, taking jobs after "
            f"{time.monotonic() - begin:.0f} s")
        # What was needed to begin goes within a minute.
        time.sleep(self.options.settle)
        after = self.hub.memory()
        say("memory of the three servers", f"{before / 1024:.0f} MB without sites, {after / 1024:.0f} MB with them: "
            f"{(after - before) / self.options.sites:.0f} KB a site")
        busy, begin = self.hub.processor_seconds(), time.monotonic()
        time.sleep(30)
        seconds = time.monotonic() - begin
        shares = [(now - then) / seconds * 100 for now, then in zip(self.hub.processor_seconds(), busy)]
        say("idle processor time of each server", ", ".join(f"{share:.1f} %" for share in shares) + " of a core")
        simulated = sum(memory_kilobytes(each.pid) for each in self.simulation.processes)
        say("memory of the simulated sites", f"{simulated / self.options.sites:.0f} KB a site")

    def ready(self):
        state = self.client.stream("KV_STATUS")
        return state["messages"] if state else 0

    def latency(self):
        stored, accepted, sent = {}, {}, {}
        self.client.subscribe("reports.>", lambda subject, *_: accepted.setdefault(subject, time.perf_counter()))
        sites = random.sample(range(self.options.sites), min(self.options.sites, 300))
        for number in sites:
            subject, headers = job(self.site(number), f"latency-{number}-1")
            report = f"reports.{self.site(number)}.{subject.rsplit('.', 1)[1]}"
            begin = time.perf_counter()
            self.client.request(subject, DOCUMENT, headers)
            stored[report] = time.perf_counter() - begin
            sent[report] = begin
            deadline = time.monotonic() + 60
            while report not in accepted and time.monotonic() < deadline:
                time.sleep(0.0002)
            self.sent += 1
        times = [(accepted[each] - sent[each]) * 1000 for each in sent]
        writes = [each * 1000 for each in stored.values()]
        say("sent → stored by the hub", f"p50 {statistics.median(writes):.1f} ms, p99 {percentile(writes, 0.99):.0f} ms")
        say("sent → accepted report at the office", f"p50 {statistics.median(times):.1f} ms, "
            f"p99 {percentile(times, 0.99):.0f} ms; beside storing p50 × "
            f"{statistics.median(times) / statistics.median(writes):.1f}")

    def load(self):
        for in_flight in self.options.in_flight:
            sender = Sender(self.client, in_flight)
            before, name = self.simulation.counts(), f"load-{in_flight}"
            begin, count = time.monotonic(), 0
            numbers = {}
            while time.monotonic() - begin < self.options.seconds:
                site = count % self.options.sites
                numbers[site] = numbers.get(site, 0) + 1
                # The number lets the site see whether its jobs come in order.
                sender.send(self.site(site), f"{name}-{site}-{self.next_number()}")
                count += 1
            sender.finish()
            sending = time.monotonic() - begin
            self.sent += sender.acknowledged
            self.simulation.wait("the end of all jobs", lambda now: now["reported-end"] >= self.sent, 400)
            all_over = time.monotonic() - begin
            now = self.simulation.counts()
            say(f"jobs, {in_flight} under way at the hub", f"{sender.acknowledged / sending:.0f}/s acknowledged over "
                f"{sending:.0f} s, {sender.acknowledged / all_over:.0f}/s until the end of each was reported; "
                f"{sender.acknowledged} acknowledged, {len(sender.refused)} refused, "
                f"{now['taken'] - before['taken']} taken, {now['doubled']} doubled, {now['out-of-order']} out of order")

    order = 1_000_000

    def next_number(self):
        self.order += 1
        return self.order

    def restart(self):
        sender = Sender(self.client, 100)
        sites = range(min(1000, self.options.sites))
        for number in sites:
            sender.send(self.site(number), f"restart-{number}-{self.next_number()}")
        sender.finish()
        self.sent += sender.acknowledged
        # Many of these jobs and reports are under way now.
        self.hub.end(9)
        self.simulation.wait("the sites to notice", lambda now: now["connected"] == 0, 120)
        begin = time.monotonic()
        self.hub.start()
        self.simulation.wait("all sites to be back", lambda now: now["connected"] == self.options.sites, 400)
        connected = time.monotonic() - begin
        self.client = Client(self.hub.ports[0])
        wait_for("the hub's streams to have leaders", lambda: self.client.stream("JOBS"), 120)
        leaders = time.monotonic() - begin
        sender = Sender(self.client, 100)
        for number in range(self.options.sites):
            sender.send(self.site(number), f"back-{number}-{self.next_number()}")
        sender.finish()
        self.sent += sender.acknowledged
        self.simulation.wait("a job of each site", lambda now: now["reported-end"] >= self.sent, 500)
        now = self.simulation.counts()
        say("all servers killed and started again", f"{self.options.sites} sites connected after {connected:.0f} s, "
            f"the hub had leaders after {leaders:.0f} s, each site had reported a new job after "
            f"{time.monotonic() - begin:.0f} s; {self.sent - now['taken']} lost, {now['doubled']} doubled, "
            f"{now['out-of-order']} out of order")

    def end_sites(self):
        if not self.simulation:
            return
        self.simulation.wait("the end of all jobs", lambda now: now["reported-end"] >= self.sent, 300)
        now = self.simulation.end()
        reported = self.client.stream("REPORTS")["num_subjects"]
        say("account", f"{self.sent} jobs acknowledged to the office, {now['taken']} taken, {now['reported-end']} ends "
            f"reported, the hub has reports of {reported}; {now['doubled']} doubled, {now['out-of-order']} out of order")

    def backlog(self):
        sender = Sender(self.client, 500)
        for number in range(BACKLOG):
            expires_after = 1 if number % (BACKLOG // EXPIRED) == 0 else None
            sender.send("backlog-0000", f"backlog-{number}", expires_after=expires_after)
        sender.finish()
        time.sleep(2)
        begin = time.monotonic()
        site = Simulation(self.options.programs, self.hub, 1, self.folder, "backlog-", print_after=0)
        site.wait("the backlog to be taken", lambda now: now.get("taken", 0) + now.get("refused", 0) >= BACKLOG, 400)
        taken = time.monotonic() - begin
        site.wait("the backlog to be reported", lambda now: now["reported-end"] >= BACKLOG, 400)
        reported = time.monotonic() - begin
        now = site.end()
        say(f"{sender.acknowledged} jobs for a site that was away", f"taken at {BACKLOG / taken:.0f}/s, reported at "
            f"{BACKLOG / reported:.0f}/s; {now['taken']} printed, {now['refused']} of {EXPIRED} expired ones reported so, "
            f"{now['doubled']} doubled, {now['out-of-order']} out of order")

    def kiosk(self):
        found = {name: [] for name in ("with", "without")}
        seconds = self.options.seconds
        daemons = {}
        for name in found:
            state = self.folder / f"kiosk-{name}"
            state.mkdir()
            (state / "printers.yaml").write_text("version: 1\nprinters: []\nroles: {}\n")
            fleet = [word for url in self.hub.urls for word in ("--fleet-hub", url)]
            fleet += ["--fleet-site", "real", "--fleet-node", "kiosk-1"]
            daemons[name] = subprocess.Popen(
                [self.options.programs / "kioskd", "--state-dir", state, *(fleet if name == "with" else [])],
                stderr=open(state / "log", "wb"),
            )
        wait_for("the kiosk's status", lambda: b"version" in self.client.request(
            "$JS.API.DIRECT.GET.KV_STATUS.$KV.STATUS.real.kiosk-1")[1])
        time.sleep(10)
        before = {name: processor_seconds(daemon.pid) for name, daemon in daemons.items()}
        begin = time.monotonic()
        time.sleep(seconds)
        elapsed = time.monotonic() - begin
        for name, daemon in daemons.items():
            found[name] = (memory_kilobytes(daemon.pid, "Private_Dirty"), (processor_seconds(daemon.pid) - before[name]) / elapsed)
            daemon.terminate()
            daemon.wait()
        (memory, share), (base_memory, base_share) = found["with"], found["without"]
        say("a kiosk's link", f"{memory - base_memory} KB of private memory ({memory} beside {base_memory}), "
            f"{(share - base_share) * 100:.2f} % of a core idle ({share * 100:.2f} beside {base_share * 100:.2f})")

    def run(self):
        try:
            if {"sites", "latency", "load", "restart"} & set(self.options.only):
                self.begin()
            for part in self.options.only:
                if part in ("latency", "load", "restart"):
                    getattr(self, part)()
            self.end_sites()
            for part in self.options.only:
                if part in ("backlog", "kiosk"):
                    getattr(self, part)()
        finally:
            for process in self.simulation.processes if self.simulation else []:
                process.kill()
            self.hub.end(9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path(".build/programs"))
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=60, help="of the load, and of the idle kiosks")
    parser.add_argument("--settle", type=int, default=75, help="seconds before the servers' memory is read")
    parser.add_argument("--in-flight", type=int, action="append", help="jobs under way in the load; 100 and 500")
    parser.add_argument("--only", action="append", choices=PARTS)
    options = parser.parse_args()
    options.only = options.only or PARTS
    # So that what was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.in_flight = options.in_flight or [100, 500]
    with tempfile.TemporaryDirectory() as folder:
        print("| what | measured |\n|---|---|")
        Benchmark(options, folder).run()


if __name__ == "__main__":
    main()
