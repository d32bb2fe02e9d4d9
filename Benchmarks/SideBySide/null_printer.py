"""Printers that cost nothing, so that only the spooler is measured, and printers that are dead."""

import socket
import threading

from . import processes
from .printer import label
from .processes import Client


class NullPrinters:
    """`count` printers in one process; a document is printed when its last byte has come."""

    def __init__(self, tools, count, *formats):
        self.client = Client([tools.null_printer, str(count), *formats])
        self.uris = [f"ipp://127.0.0.1:{port}/ipp/print" for port in self.client.reply("start")]

    def first_byte(self, number):
        """When the request that brought this receipt began to arrive, in nanoseconds; waits until it is there."""
        return self.client.order(f"label {label(number)}")[0]

    def last_of(self, count):
        """When the last of so many receipts had arrived, in nanoseconds. None may come twice."""
        time, doubles, _ = self.client.order(f"await {count}")
        if doubles:
            raise RuntimeError(f"{doubles} of {count} receipts came twice")
        return time

    def arrived(self):
        """When the next document's request began to arrive, and when its last byte did, in nanoseconds."""
        last, _, first = self.client.order("await 1")
        return first, last

    def forget(self):
        """Of all documents up to now; how many had come since the last such call or wait."""
        return self.client.order("forget")[0]

    def close(self):
        self.client.close()


class DeadPrinter:
    """A printer's address where nobody prints. `refusing`: nothing listens. `silent`: accepts connections and never responds.
    `unreachable`: packets are lost, as with a pulled cable; the kernel drops what comes to a full queue of connections.
    """

    KINDS = "refusing", "silent", "unreachable"

    def __init__(self, kind, port=0):
        self.taken = []
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.uri = f"ipp://127.0.0.1:{self.port}/ipp/print"
        if kind == "silent":
            self.listener.listen(128)
            threading.Thread(target=self.take, daemon=True).start()
        elif kind == "unreachable":
            self.listener.listen(0)
            while len(self.taken) < 4:
                caller = socket.socket()
                caller.setblocking(False)
                caller.connect_ex(self.listener.getsockname())
                self.taken.append(caller)
            processes.wait_until(self.is_full, "a full queue of connections")

    def take(self):
        while True:
            try:
                self.taken.append(self.listener.accept()[0])
            except OSError:
                return

    def is_full(self):
        with socket.socket() as probe:
            probe.settimeout(0.2)
            try:
                probe.connect(self.listener.getsockname())
            except TimeoutError:
                return True
            self.taken.append(probe.dup())
            return False

    def close(self):
        for connection in (*self.taken, self.listener):
            connection.close()
