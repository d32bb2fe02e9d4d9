"""`kiosk-render` as the daemon uses it: a process for each document, its messages (Sources/RenderingMessages) over a socket."""

import math
import os
import socket
import struct
import subprocess
import sys

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The daemon gives up a helper that makes no progress (RenderingSettings): twice as long here, on a machine that others use.
DEADLINE = 120
BLACK, GRAY, RGB = range(3)
CODES = ["password", "damaged", "unsupported", "tooLarge", "memory", "unavailable", "rendering"]


class Refused(Exception):
    """The document or page is refused, with a code and a reason."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Crashed(Exception):
    """The program ended without an answer."""


class Hung(Exception):
    """The program gave no answer in time."""


class Renderer:
    """A process for one document, which it opens at once, or later with `open`."""

    def __init__(self, program, path=None):
        self.socket, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen([program], stdin=other, stdout=other, stderr=subprocess.DEVNULL)
        self.socket.settimeout(DEADLINE)
        try:
            kind, _ = self.receive()
            assert kind == 1, "the program is not ready"
            if path:
                self.open(path)
        except BaseException:
            self.close()
            raise

    def open(self, path, looks_through=True):
        """Opens a PDF without a password, and looks through its pages for a while, as before a job is accepted."""
        with open(path, "rb") as file:
            # The paper that a text would be laid out for.
            message = struct.pack(">BBBB6d", 1, 0, 0, looks_through, 595, 842, 0, 0, 0, 0)
            self.send(message, file.fileno())
        body = self.expect(2)
        count = struct.unpack_from(">I", body)[0]
        self.pages = [struct.unpack_from(">dd", body, 4 + 16 * page) for page in range(count)]
        self.has_begun = False

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, message, descriptor=None):
        frame = struct.pack(">I", len(message)) + message
        try:
            if descriptor is None:
                self.socket.sendall(frame)
            else:
                socket.send_fds(self.socket, [frame], [descriptor])
        except OSError as error:
            raise Crashed(str(error)) from error

    def receive(self):
        """The kind and the fields of a response."""
        message = self.read(struct.unpack(">I", self.read(4))[0])
        return message[0], message[1:]

    def read(self, count):
        parts = []
        while count:
            try:
                part = self.socket.recv(min(count, 1 << 20))
            except TimeoutError as error:
                raise Hung(f"no answer within {DEADLINE} s") from error
            except OSError as error:
                raise Crashed(str(error)) from error
            if not part:
                raise Crashed(f"exit status {self.process.wait(10)}")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def expect(self, wanted, collected=None):
        """The fields of the next response of this kind; the encoded bytes before it are collected."""
        while True:
            kind, body = self.receive()
            if kind == wanted:
                return body
            if kind == 3 and collected is not None:
                collected.append(body)
            elif kind == 6:
                raise Refused(CODES[body[0]], body[5:].decode())
            else:
                raise Crashed(f"a response of kind {kind}")

    def size(self, page, dpi):
        """The dots of a page, those that it covers in part included."""
        return tuple(max(math.ceil(edge * dpi / 72 - 1e-3), 1) for edge in self.pages[page])

    def draw(self, page, dpi, color=GRAY, crisp=None, left=0.0, top=0.0):
        """The pixels of a page at its own size, moved by some dots: bytes of grey or colours, or bits that are true where black."""
        width, height = self.size(page, dpi)
        if not self.has_begun:
            # Rows without headers (PageLanguage.dots).
            self.send(struct.pack(">BBIIBBBB", 2, 4, 0, 1, 1, 0, 0, 0))
            self.has_begun = True
        scale = dpi / 72
        none = b"\0"
        header = struct.pack(">IIIB", width, height, dpi, color) + none + struct.pack(">IIBBBBB", 0, 0, 0, 0, 0, 0, 0)
        header += struct.pack(">I", 0) + none * 7
        cell = struct.pack(">I6d4i", page, scale, 0, 0, scale, left, top, 0, 0, width, height)
        crisp = color == BLACK if crisp is None else crisp
        # One cell, no frames; a threshold for text and lines, error diffusion for pictures.
        self.send(struct.pack(">B", 3) + header + struct.pack(">I", 1) + cell + struct.pack(">IBBB", 0, crisp, 0, 3))
        parts = []
        self.expect(4, parts)
        rows = numpy.frombuffer(b"".join(parts), numpy.uint8).reshape(height, -1)
        if color == BLACK:
            return numpy.unpackbits(rows, axis=1)[:, :width].astype(bool)
        return rows.reshape(height, width, 3) if color == RGB else rows


def program():
    """`kiosk-render` of the last build, with PDFium beside it."""
    for folder in (os.environ.get("KIOSK_PROGRAMS"), f"{ROOT}/.build/programs", f"{ROOT}/.build/optimised/release", f"{ROOT}/.build/debug"):
        if folder and os.access(f"{folder}/kiosk-render", os.X_OK) and os.path.exists(f"{folder}/libpdfium.so"):
            return f"{folder}/kiosk-render"
    sys.exit("There is no kiosk-render with libpdfium.so beside it: run Scripts/bootstrap build, then Scripts/build --output .build/programs")
