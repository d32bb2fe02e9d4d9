"""A hub of NATS servers on loopback, and a small client of it, as the benchmarks of this folder need them."""
import base64
import hashlib
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PINNED = ROOT / ".build" / "peers" / "nats" / "nats-server"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_for(what, condition, seconds=300):
    """Returns what `condition` returns once that is true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(f"waited {seconds} s for {what}")


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_kilobytes(pid, field="Pss"):
    """Of /proc/PID/smaps_rollup."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise SystemExit(f"/proc/{pid}/smaps_rollup has no {field}")


class Hub:
    """`count` servers; with more than one they are a cluster. `sync` is their sync_interval; None leaves the default."""

    def __init__(self, folder, count=3, sync="always", program=PINNED):
        self.folder = pathlib.Path(folder)
        self.program = program
        ports = free_ports(2 * count)
        self.ports, routes = ports[:count], ports[count:]
        for index, (port, route) in enumerate(zip(self.ports, routes)):
            others = ", ".join(f"nats://127.0.0.1:{each}" for each in routes)
            cluster = f"cluster {{ name: hub, listen: 127.0.0.1:{route}, routes: [{others}] }}\n" if count > 1 else ""
            interval = f", sync_interval: {sync}" if sync else ""
            (self.folder / f"hub-{index}.conf").write_text(
                f"server_name: hub-{index}\nlisten: 127.0.0.1:{port}\n"
                f'jetstream {{ store_dir: "{self.folder}/store-{index}"{interval} }}\n{cluster}'
            )
        self.servers = []
        self.start()

    @property
    def urls(self):
        return [f"nats://127.0.0.1:{port}" for port in self.ports]

    @property
    def options(self):
        return [word for url in self.urls for word in ("--hub", url)]

    def start(self):
        self.servers = [None] * len(self.ports)
        for index in range(len(self.ports)):
            self.start_server(index)

    def start_server(self, index):
        with open(self.folder / f"hub-{index}.log", "ab") as log:
            self.servers[index] = subprocess.Popen(
                [self.program, "-c", self.folder / f"hub-{index}.conf"], stdout=log, stderr=log
            )

    def kill(self, index):
        self.servers[index].kill()
        self.servers[index].wait()

    def end(self, number=signal.SIGTERM):
        for server in self.servers:
            server.send_signal(number)
        for server in self.servers:
            server.wait()

    def memory(self):
        """Kilobytes of all servers together."""
        return sum(memory_kilobytes(server.pid) for server in self.servers)

    def processor_seconds(self):
        return [processor_seconds(server.pid) for server in self.servers]


class Client:
    """A connection to a server of NATS. Functions that are given for subjects run on its reading thread."""

    def __init__(self, port, timeout=60):
        self.lock = threading.Lock()
        self.inbox = "_INBOX." + secrets.token_hex(16)
        self.replies, self.functions, self.number = {}, {}, 0
        self.socket = wait_for("a server of the hub", lambda: self.connect(port), timeout)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.write(b'CONNECT {"verbose":false,"headers":true,"no_responders":true,"name":"office"}\r\nPING\r\n')
        while self.file.readline() != b"PONG\r\n":
            pass
        threading.Thread(target=self.read, daemon=True).start()
        self.subscribe(self.inbox + ".*", self.replied)

    @staticmethod
    def connect(port):
        try:
            connection = socket.create_connection(("127.0.0.1", port))
        except OSError:
            return None
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def write(self, data):
        with self.lock:
            self.socket.sendall(data)

    def read(self):
        try:
            while line := self.file.readline():
                words = line.split()
                if words[0] == b"PING":
                    self.write(b"PONG\r\n")
                elif words[0] in (b"MSG", b"HMSG"):
                    body = self.file.read(int(words[-1]) + 2)[:-2]
                    head = int(words[-2]) if words[0] == b"HMSG" else 0
                    self.functions[words[2]](words[1].decode(), body[:head], body[head:])
        except OSError:
            pass

    def subscribe(self, subject, function):
        number = str(len(self.functions) + 1).encode()
        self.functions[number] = function
        self.write(b"SUB %s %s\r\n" % (subject.encode(), number))

    def replied(self, subject, head, body):
        function = self.replies.pop(int(subject.rsplit(".", 1)[1]), None)
        if function:
            function(head, body)

    def publish(self, subject, body=b"", headers=None, reply=None):
        """`reply` is called with headers and body of the first response."""
        answer = b""
        if reply:
            self.number += 1
            self.replies[self.number] = reply
            answer = f" {self.inbox}.{self.number}".encode()
        if headers:
            head = "NATS/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
            head = head.encode()
            sizes = f"{len(head)} {len(head) + len(body)}".encode()
            self.write(b"HPUB %s%s %s\r\n%s%s\r\n" % (subject.encode(), answer, sizes, head, body))
        else:
            self.write(b"PUB %s%s %d\r\n%s\r\n" % (subject.encode(), answer, len(body), body))

    def request(self, subject, body=b"", headers=None, timeout=60):
        arrived, found = threading.Event(), []
        self.publish(subject, body, headers, lambda *answer: (found.append(answer), arrived.set()))
        if not arrived.wait(timeout):
            raise TimeoutError(subject)
        return found[0]

    def stream(self, name, timeout=5):
        """What the hub says of a stream; None while it does not."""
        try:
            answer = json.loads(self.request(f"$JS.API.STREAM.INFO.{name}", timeout=timeout)[1] or b"{}")
        except TimeoutError:
            return None
        return answer.get("state")


DOCUMENT = (ROOT / "Examples" / "receipt.txt").read_bytes()
DIGEST = hashlib.sha256(DOCUMENT).hexdigest()


def job(site, key, expires_after=None):
    """The subject and the headers of a job with the example's receipt."""
    token = base64.b32encode(hashlib.sha256(key.encode()).digest()[:20]).decode().lower()
    headers = {
        "Kioskd-Key": key,
        "Kioskd-Name": key,
        "Kioskd-Format": "text/plain",
        "Kioskd-Document": "inline",
        "Kioskd-Size": len(DOCUMENT),
        "Kioskd-SHA256": DIGEST,
    }
    if expires_after:
        headers["Kioskd-Expires-After"] = expires_after
    return f"jobs.{site}.receipt.{token}", headers


class Sender:
    """Sends jobs with a number of them under way, and counts those that the hub has acknowledged."""

    def __init__(self, client, in_flight):
        self.client, self.in_flight = client, in_flight
        self.free = threading.Semaphore(in_flight)
        self.acknowledged, self.refused = 0, []

    def send(self, site, key, **more):
        subject, headers = job(site, key, **more)
        if not self.free.acquire(timeout=60):
            raise SystemExit("the hub has acknowledged nothing for 60 s")
        self.client.publish(subject, DOCUMENT, headers, self.answered)

    def answered(self, head, body):
        if b'"seq"' in body and b'"error"' not in body:
            self.acknowledged += 1
        else:
            self.refused.append(bytes(head + body))
        self.free.release()

    def finish(self):
        for _ in range(self.in_flight):
            if not self.free.acquire(timeout=60):
                raise SystemExit("the hub has not acknowledged all jobs within 60 s")
        for _ in range(self.in_flight):
            self.free.release()


class Simulation:
    """`kioskctl simulate fleet`, in several processes: libnats goes through all timers of a process for each it sets.

    They begin one after the other, and leave the processors to the hub, as real kiosks do, which have their own.
    """

    SITES_OF_A_PROCESS = 500

    def __init__(self, programs, hub, sites, folder, prefix="site-", print_after=0.1):
        self.files, self.processes = [], []
        for first in range(0, sites, self.SITES_OF_A_PROCESS):
            file = pathlib.Path(folder) / f"{prefix}{first}.json"
            self.files.append(file)
            count = min(self.SITES_OF_A_PROCESS, sites - first)
            self.processes.append(
                subprocess.Popen(
                    ["nice", "-n", "19", programs / "kioskctl-fleet", "simulate"]
                    + ["--sites", str(count), "--first", str(first), "--prefix", prefix]
                    + ["--print-after", str(print_after), "--json", *hub.options],
                    stdout=open(file, "wb"),
                )
            )
            if first + count < sites:
                self.wait(f"{count} sites to be connected", lambda _: self.last(-1).get("connected") == count)

    def last(self, number):
        """What a process has said last."""
        if self.processes[number].poll() not in (None, 0, 1):
            raise SystemExit(f"a simulation ended with {self.processes[number].returncode}")
        with open(self.files[number], "rb") as lines:
            lines.seek(max(0, os.path.getsize(self.files[number]) - 2000))
            whole = lines.read().split(b"\n")[:-1]
        return json.loads(whole[-1]) if whole else {}

    def counts(self):
        """The last that all processes together have said."""
        total = {}
        for number in range(len(self.processes)):
            for name, value in self.last(number).items():
                if isinstance(value, bool) or isinstance(value, str):
                    total[name] = value
                else:
                    total[name] = total.get(name, 0) + value
        return total

    def wait(self, what, condition, seconds=300):
        wait_for(what, lambda: condition(self.counts()), seconds)

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGINT)
        for process in self.processes:
            process.wait(60)
        return self.counts()
