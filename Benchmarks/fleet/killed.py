#!/usr/bin/env python3
"""Counts what a broker or a hub has lost of what it had acknowledged, after `kill -9`.

    Benchmarks/fleet/killed.py [--messages 100] [--rounds 3]

mosquitto gets QoS 1 messages for a session that is offline; the hub gets jobs for a site that is offline. All servers are
killed as soon as the last one is acknowledged, and started again; what the session is sent and the hub still has is
counted. A killed process is no power cut: what the kernel had in memory comes to the disk all the same.
Needs mosquitto and mosquitto-clients (Scripts/bootstrap benchmark), and the pinned nats-server (Scripts/bootstrap test).
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

from hub import Client, Hub, Sender, free_ports, wait_for


def mosquitto(folder, messages, settings):
    (port,) = free_ports(1)
    configuration = pathlib.Path(folder) / "mosquitto.conf"
    configuration.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {folder}/\n"
        f"user root\nmax_queued_messages 0\n{settings}"
    )

    def start():
        log = open(f"{folder}/mosquitto.log", "ab")
        broker = subprocess.Popen(["mosquitto", "-c", configuration], stdout=log, stderr=log)
        probe = ["mosquitto_pub", "-p", str(port), "-t", "probe", "-m", "x"]
        wait_for("mosquitto", lambda: subprocess.run(probe, capture_output=True).returncode == 0, 30)
        return broker

    session = ["mosquitto_sub", "-p", str(port), "-c", "-i", "till", "-q", "1", "-t", "jobs/till"]
    broker = start()
    subprocess.run([*session, "-E"], check=True)
    lines = "".join(f"job-{number}\n" for number in range(messages))
    subprocess.run(
        ["mosquitto_pub", "-p", str(port), "-q", "1", "-t", "jobs/till", "-l"], input=lines, text=True, check=True
    )
    broker.kill()
    broker.wait()
    broker = start()
    found = subprocess.run([*session, "-W", "5"], capture_output=True, text=True).stdout.split()
    broker.kill()
    broker.wait()
    return messages, len(set(found))


def hub(folder, messages, count, sync):
    servers = Hub(folder, count, sync)
    client = Client(servers.ports[0])
    stream = {
        "name": "JOBS", "subjects": ["jobs.*.*.*"], "num_replicas": count, "max_msgs_per_subject": 1,
        "discard": "new", "discard_new_per_subject": True, "storage": "file",
    }
    body = json.dumps(stream).encode()
    wait_for("the stream", lambda: b'"config"' in create(client, body), 60)
    sender = Sender(client, 100)
    for number in range(messages):
        sender.send("site-0000", f"job-{number}")
    sender.finish()
    servers.end(9)
    servers.start()
    client = Client(servers.ports[0])
    state = wait_for("the stream to be back", lambda: client.stream("JOBS"), 120)
    servers.end(9)
    return sender.acknowledged, state["messages"]


def create(client, body):
    try:
        return client.request("$JS.API.STREAM.CREATE.JOBS", body, timeout=5)[1]
    except TimeoutError:
        return b""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    cases = {
        "mosquitto, `persistence true`": lambda folder: mosquitto(folder, options.messages, ""),
        "mosquitto, saved after each change": lambda folder: mosquitto(
            folder, options.messages, "autosave_interval 1\nautosave_on_changes true\n"
        ),
        "a hub of one server, standard settings": lambda folder: hub(folder, options.messages, 1, None),
        "a hub of three servers, `sync_interval: always`": lambda folder: hub(folder, options.messages, 3, "always"),
    }
    print("| killed with `kill -9` | acknowledged | there afterwards | lost |\n|---|---|---|---|")
    for name, case in cases.items():
        acknowledged = there = 0
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                sent, found = case(folder)
                acknowledged, there = acknowledged + sent, there + found
        print(f"| {name} | {acknowledged} | {there} | {acknowledged - there} |", flush=True)


if __name__ == "__main__":
    main()
