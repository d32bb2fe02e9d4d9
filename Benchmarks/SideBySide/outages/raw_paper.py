"""A receipt printer on raw TCP (port 9100) that outages happen to, and the paper that comes out of it."""

import os
import re
import select
import socket
import struct
import threading
import time

from .. import processes
from ..null_printer import DeadPrinter
from ..raw import PROFILE, TEXTS

CAPACITY = 4096  # Bytes that it holds while it does not print; beyond, the window of the connection closes.
STEP = 64  # Bytes that it prints at once.
PACE = 20  # Milliseconds for each 1,024 bytes.
LABEL = re.compile(rb"9\d{5} ")  # What a receipt begins with, and has nowhere else.
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset.
CLEAR = b"\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08"  # DLE DC4 function 8.
CONDITIONS = {"paper out": ("paper", True), "paper in": ("paper", False),
              "cover open": ("cover", True), "cover close": ("cover", False)}


class RawPaperPrinter:
    """Speaks ESC/POS as Epson's printers do, to one client at a time; the others wait in the listen queue. One thread
    takes bytes and responds to DLE EOT at once, another prints, and responds to everything else in its turn. What
    it holds when its client goes is printed all the same.
    """

    profile = PROFILE

    def __init__(self, folder, options):
        os.makedirs(folder)
        self.log = open(f"{folder}/received.log", "w", buffering=1)
        self.length = os.path.getsize(options.receipt)
        self.copies = []  # (time, label, whether all of it is there), one for each that came out, in order
        # Bound and never listening: refuses connections and keeps the port while the printer is off.
        self.reserved = self.bind(0)
        self.port = self.reserved.getsockname()[1]
        self.uri = f"socket://127.0.0.1:{self.port}"
        self.changed = threading.Condition(threading.RLock())
        self.listener = self.client = self.cable = None
        self.troubles = set()  # Out of "paper" and "cover".
        self.is_frozen = self.is_closed = False
        # Whether the next receipt's connection breaks when that is printed; and which connection that is.
        self.loses_confirmation, self.breaking = False, None
        self.fault = None  # (bytes until it happens, what happens)
        self.pace = PACE
        self.forget()
        threading.Thread(target=self.print, daemon=True).start()

    @staticmethod
    def bind(port):
        found = socket.socket()
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(("127.0.0.1", port))
        return found

    def bind_again(self, seconds=10):
        """Waits while a process that is being started still has a copy of the former listener."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self.bind(self.port)
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def forget(self):
        """Loses what it holds, as without power."""
        self.buffer, self.recent = bytearray(), b""
        self.head, self.tail = bytearray(), b""
        self.automatic_status = 0
        self.printing = None  # [label, bytes that are on the paper]

    # What happens to it.

    def order(self, command):
        with self.changed:
            words = command.split()
            if command in CONDITIONS:
                trouble, is_on = CONDITIONS[command]
                self.troubles = self.troubles | {trouble} if is_on else self.troubles - {trouble}
                if self.automatic_status:
                    self.respond(self.report())
            elif command in ("vanish", "die now"):
                self.lose_power()
            elif command == "return":
                self.switch_on()
            elif words[0] == "slow":
                self.pace = int(words[1])
            elif words[1:2] == ["after"]:  # "die after 1000", "reset after 1000"
                self.fault = int(words[2]), words[0]
            elif command == "lose confirmation":
                self.loses_confirmation = True
            else:
                raise ValueError(command)
            self.changed.notify_all()

    def wait_for_document(self):
        """Until it has got one, and prints it."""
        processes.wait_until(lambda: self.printing or self.copies, "a document at the printer", seconds=60)

    def wait_for_client(self, client):
        """Until this is the connection that it serves."""
        def is_served():
            with self.changed:
                return self.client and self.client.getpeername() == client.getsockname()
        processes.wait_until(is_served, "a turn at the printer", seconds=60)

    def freeze(self):
        """It hangs: the network accepts connections and bytes for it, and nothing responds."""
        with self.changed:
            self.is_frozen = True

    def thaw(self):
        with self.changed:
            self.is_frozen = False
            self.changed.notify_all()

    def pull_cable(self):
        """Only before it is switched on: what is sent to its address is lost."""
        self.cable = DeadPrinter("unreachable", self.port)

    def plug_in(self):
        self.cable.close()
        self.switch_on()

    def switch_on(self):
        self.listener = self.bind_again()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, CAPACITY)
        self.listener.listen(128)
        threading.Thread(target=self.serve, args=(self.listener,), daemon=True).start()

    def lose_power(self):
        with self.changed:
            self.note_cut_off()
            self.forget()
            self.fault = None
            listener, self.listener = self.listener, None
            if listener:
                listener.shutdown(socket.SHUT_RDWR)  # Ends the wait for a client; those in the queue are reset.
                listener.close()
            self.reset()

    def reset(self):
        """Breaks the client's connection, once the thread that serves it has noticed."""
        with self.changed:
            client, self.client = self.client, None
            if client:
                try:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    client.shutdown(socket.SHUT_RD)
                except OSError:
                    pass  # Gone already.
            self.changed.notify_all()

    def close(self):
        with self.changed:
            self.is_closed, self.is_frozen = True, False
            self.lose_power()
        if self.cable:
            self.cable.close()
        self.reserved.close()

    # Taking bytes.

    def serve(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self.changed:
                    self.changed.wait_for(lambda: not self.is_frozen)
                    if self.listener is not listener:
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        return
                    # What the former client wanted to be told goes with it.
                    self.client, self.automatic_status = client, 0
                try:
                    self.take(client)
                except OSError:
                    pass  # The client broke it off.
                with self.changed:
                    if self.client is client:
                        self.client = None

    def take(self, client):
        """Until the client has ended, or the connection is to break."""
        readable = select.poll()
        readable.register(client, select.POLLIN)
        while True:
            with self.changed:
                self.changed.wait_for(
                    lambda: self.client is not client or not self.is_frozen and len(self.buffer) < CAPACITY)
                if self.client is not client:
                    return
            events = readable.poll()[0][1]
            if events & select.POLLERR:
                return  # A reset takes along what was not read.
            with self.changed:
                if self.client is not client:
                    return
                if self.is_frozen:
                    continue
                room = CAPACITY - len(self.buffer)
                data = client.recv(min(room, self.fault[0]) if self.fault else room, socket.MSG_DONTWAIT)
                if not data:
                    return
                self.receive(data)

    def receive(self, data):
        self.log.write(f"{time.monotonic():.3f} {data!r}\n")
        if self.loses_confirmation and LABEL.search(data):
            self.loses_confirmation, self.breaking = False, self.client
        for byte in data:
            self.buffer.append(byte)
            self.recent = (self.recent + bytes([byte]))[-len(CLEAR):]
            if self.recent[-3:-1] == b"\x10\x04" and 1 <= byte <= 4:
                self.respond(bytes([self.real_time_status(byte)]))
            elif self.recent == CLEAR:
                self.note_cut_off()
                self.buffer, self.head, self.tail, self.printing = bytearray(), bytearray(), b"", None
                self.respond(b"\x37\x25\0")
        if self.fault:
            left, what = self.fault[0] - len(data), self.fault[1]
            self.fault = (left, what) if left else None
            if not left:
                self.lose_power() if what == "die" else self.reset()
        self.changed.notify_all()

    def respond(self, data):
        if self.client and not self.is_frozen:
            self.log.write(f"{time.monotonic():.3f} responds {data!r}\n")
            try:
                self.client.send(data, socket.MSG_DONTWAIT)
            except OSError:
                pass  # Nobody listens.

    # Printing.

    def print(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.is_closed or self.buffer and not self.is_frozen and not self.troubles)
                if self.is_closed:
                    return
                count = min(STEP, len(self.buffer))
                piece = bytes(self.buffer[:count])
                del self.buffer[:count]
                for byte in piece:
                    self.process(byte)
                self.changed.notify_all()
            time.sleep(count / 1024 * self.pace / 1000)

    def process(self, byte):
        if not self.head and byte not in b"\x10\x1b\x1c\x1d":
            self.print_character(byte)
            return
        self.head.append(byte)
        if len(self.head) == self.command_length():
            self.execute(bytes(self.head))
            self.head = bytearray()

    def command_length(self):
        """As far as receipts of this benchmark and spoolers have commands; 0 where more must come to tell."""
        head = bytes(self.head[:5])
        if head[:2] in (b"\x1d(", b"\x1b(", b"\x1c("):
            return 5 + head[3] + 256 * head[4] if len(head) == 5 else 0
        if head[:2] == b"\x10\x14":
            return {7: 4, 8: 10}.get(head[2], 5) if len(head) > 2 else 0
        if head[:2] == b"\x1dV":
            return (4 if head[2] in b"ABabgh" else 3) if len(head) > 2 else 0
        return 2 if head[:2] in (b"\x1b@", b"\x1b2", b"\x1c.", b"\x1c&") else 3

    def execute(self, command):
        if command == b"\x1b@":
            self.automatic_status = 0
        elif command[:2] == b"\x1da":
            self.automatic_status = command[2]
            if self.automatic_status:
                self.respond(self.report())
        elif command[:2] == b"\x1dr" and command[2] in (1, 2, 49, 50):
            self.respond(b"\x0c" if "paper" in self.troubles and command[2] in (1, 49) else b"\0")
        elif command[:2] == b"\x1dI" and command[2] in TEXTS:
            self.respond(b"\x5f" + TEXTS[command[2]] + b"\0")
        elif command[:7] == b"\x1d(H\x06\x0000" and len(command) == 11:
            self.respond(b"\x37\x22" + command[7:] + b"\0")

    def print_character(self, byte):
        if not byte:
            return  # NUL prints nothing.
        self.tail = (self.tail + bytes([byte]))[-7:]
        if LABEL.fullmatch(self.tail):
            self.note_cut_off()
            self.printing = [self.tail[:6].decode(), len(self.tail)]
        elif self.printing:
            self.printing[1] += 1
            if self.printing[1] == self.length:
                self.copies.append((time.monotonic(), self.printing[0], True))
                self.printing = None
                breaking, self.breaking = self.breaking, None
                if breaking and breaking is self.client:  # Else the client has ended by itself.
                    self.reset()

    def note_cut_off(self):
        """The receipt that was printing is on the paper in part, and nothing more of it comes."""
        if self.printing:
            self.copies.append((time.monotonic(), self.printing[0], False))
            self.printing = None

    # What it says of itself, in the bits of Epson's "ESC/POS Command Reference".

    def real_time_status(self, number):
        """The response to DLE EOT n."""
        cover, paper = "cover" in self.troubles, "paper" in self.troubles
        set_bits = {1: 0x08 * bool(self.troubles), 2: 0x04 * cover | 0x20 * paper, 3: 0, 4: 0x60 * paper}
        return 0x12 | set_bits[number]

    def report(self):
        """The automatic status (GS a)."""
        offline, cover = 0x08 * bool(self.troubles), 0x20 * ("cover" in self.troubles)
        return bytes([0x10 | offline | cover, 0, 0x0C * ("paper" in self.troubles), 0])
