"""PDFs on a printer of pages. First what draws them alone: CUPS's filters (`cupsfilter`) beside one `kiosk-render`, which waits
as a spare in the daemon. Then the whole way, from `lp` and from `kioskctl print` to the printer, where a relay in
front tells when the raster came. The printer and its raster are the same for all.
"""

import os
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

from . import processes
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .measures import MILLISECOND

ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
sys.path.append(f"{ROOT}/Benchmarks/documents")
from renderer import GRAY, Renderer  # noqa: E402

HEAD = 4096  # Bytes of the raster that count as its first.
REQUEST = 4096  # More than the attributes of any request before a document.
MANUAL = "gnuplot-doc", "usr/share/doc/gnuplot/gnuplot.pdf"  # Debian's package, and a manual made with LaTeX in it.
CASES = tuple(
    (f"{pages} pages of {what}, {dpi} dpi", what, pages, dpi)
    for what in ("a manual", "plain text") for pages, dpi in ((10, 300), (100, 300), (10, 600)))
BIG = 200_000_000  # Bytes of the large PDF.


class Relay:
    """Takes connections for a printer, passes everything on, and notes when a document comes by: a request of many bytes."""

    def __init__(self, port):
        self.target = port
        self.reset()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def reset(self):
        self.first = self.last = None
        self.is_over = False

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.relay, args=(client,), daemon=True).start()

    def relay(self, client):
        printer = socket.create_connection(("127.0.0.1", self.target))
        for each in (client, printer):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        count = 0
        try:
            while True:
                for ready in select.select([client, printer], [], [])[0]:
                    data = ready.recv(262_144)
                    if not data:
                        return
                    if ready is client:
                        count += len(data)
                        if count >= REQUEST + HEAD:
                            self.last = time.monotonic_ns()
                            self.first = self.first or self.last
                        printer.sendall(data)
                    else:
                        # The response to the whole of it; `100 Continue` comes before.
                        if count >= REQUEST + HEAD:
                            self.is_over = True
                        count = 0
                        client.sendall(data)
        except OSError:
            pass  # Either side is gone.
        finally:
            client.close()
            printer.close()


def pdf(path, pages, padding=0):
    """A manual: headings, paragraphs in two faces, a ruled table and a drawing on each page. `padding`: bytes of a picture
    that no page shows.
    """
    words = ("the printer takes paper from its tray and the kiosk tells what became of each page while tills go on "
             "selling coffee tea bread and tickets for trains that leave on time").split()
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", None,
               b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>"]
    kids = []
    for page in range(pages):
        lines = [f"BT /B 16 Tf 60 780 Td (Chapter {page + 1}: {' '.join(words[page % 7:page % 7 + 5])}) Tj ET",
                 "BT /T 10 Tf 13 TL 60 750 Td"]
        for line in range(38):
            start = (page * 31 + line * 7) % len(words)
            text = " ".join((words * 2)[start:start + 15])
            lines.append(f"({text}) Tj T*")
        lines.append("ET 0.6 w")
        lines += [f"60 {230 - 14 * row} m 530 {230 - 14 * row} l S" for row in range(10)]
        lines += [f"{60 + 94 * column} 104 m {60 + 94 * column} 230 l S" for column in range(6)]
        lines.append(f"0.7 g {300 + page % 50} 40 80 40 re f 0 g")
        stream = zlib.compress("\n".join(lines).encode())
        objects.append(b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream))
        objects.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
                       b"/Resources<</Font<</T 3 0 R/B 4 0 R>>>>>>" % len(objects))
        kids.append(len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, b" ".join(b"%d 0 R" % kid for kid in kids))
    if padding:
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (padding, os.urandom(1_000_000) * (padding // 1_000_000)))
    with open(path, "wb") as file:
        file.write(b"%PDF-1.4\n")
        offsets = []
        for number, content in enumerate(objects, 1):
            offsets.append(file.tell())
            file.write(b"%d 0 obj%s\nendobj\n" % (number, content))
        table = file.tell()
        file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
        file.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
        file.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table))
    return path


def manual(folder):
    """A manual that others wrote; gzipped in the package."""
    package, path = MANUAL
    kept = f"{ROOT}/.build/documents/corpus/{package}/{path}"
    if os.path.exists(kept):
        return kept
    run = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["apt-get", "-qq", "download", package], **run)
    subprocess.run(f"dpkg-deb --extract {package}_*.deb . && gunzip {path}.gz", shell=True, **run)
    return f"{folder}/{path}"


def beginning(path, pages, target):
    """The first pages of a PDF, as a file of its own."""
    subprocess.run(
        ["gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", f"-dLastPage={pages}", f"-sOutputFile={target}", path],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class PagePrinter:
    """ippeveprinter as a monochrome printer that takes PWG raster, behind a relay."""

    def __init__(self, folder, bus):
        os.makedirs(f"{folder}/spool")
        os.makedirs(f"{folder}/keys")
        port = processes.free_port()
        self.child = processes.start(
            ["ippeveprinter", "-p", str(port), "-n", "localhost", "-d", f"{folder}/spool", "-r", "off", "-s", "10000",
             "-K", f"{folder}/keys", "-c", "/bin/true", "-f", "image/pwg-raster", "Pages"], f"{folder}/printer.log",
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={bus.socket}"})
        processes.wait_until(lambda: processes.accepts_connections(port), "ippeveprinter", self.child)
        self.uri = f"ipp://localhost:{port}/ipp/print"
        self.relay = Relay(port)
        self.relayed_uri = f"ipp://localhost:{self.relay.port}/ipp/print"


def sheet(dpi):
    """The dots of an A4 sheet: hundredths of a millimetre, rounded down."""
    return 21_000 * dpi // 2540, 29_700 * dpi // 2540


def through_filters(ppd, path, dpi):
    """Milliseconds from the start of cupsfilter to the first bytes of the raster and to the last."""
    quality = {300: "Draft", 600: "Normal"}[dpi]  # By the PPD that CUPS made for the printer.
    start = time.monotonic_ns()
    child = subprocess.Popen(
        ["cupsfilter", "-p", ppd, "-m", "image/pwg-raster", "-o", f"cupsPrintQuality={quality}", "-o", "ColorModel=Gray",
         "-o", "media=A4", path],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    count, first, last, head = 0, None, None, b""
    while data := child.stdout.read1(262_144):
        count, last = count + len(data), time.monotonic_ns()
        if first is None:
            head += data
            if count >= HEAD:
                first = last
    # HWResolution and cupsBitsPerPixel of the first page (PWG 5102.4).
    if child.wait() or not first or struct.unpack_from(">I", head, 4 + 276)[0] != dpi or head[4 + 391] != 8:
        raise RuntimeError(f"cupsfilter ended with {child.returncode} after {count} bytes, of another resolution perhaps")
    return (first - start) / MILLISECOND, (last - start) / MILLISECOND


def through_renderer(binaries, path, pages, dpi):
    """The same for `kiosk-render`, with all that the daemon says to it. As in the daemon, its process waits as a spare."""
    width, height = sheet(dpi)
    scale = dpi / 72
    zero = b"\0"
    header = struct.pack(">IIIB", width, height, dpi, GRAY) + zero
    header += struct.pack(">IIBBBBB", 21_000, 29_700, 0, 0, 0, 0, 0) + struct.pack(">I", pages) + zero * 7
    count, first = 0, None
    with Renderer(f"{binaries}/kiosk-render") as renderer:
        start = time.monotonic_ns()
        renderer.open(path, looks_through=False)
        # One document of PWG raster.
        renderer.send(struct.pack(">BBIIBBBB", 2, 0, pages, 1, 1, 0, 0, 0))
        for page in range(pages):
            cell = struct.pack(">I6d4i", page, scale, 0, 0, scale, 0, 0, 0, 0, width, height)
            renderer.send(struct.pack(">B", 3) + header + struct.pack(">I", 1) + cell + struct.pack(">IBBB", 0, 0, 0, 3))
            while True:
                kind, body = renderer.receive()
                if kind == 4:
                    break
                if kind != 3:
                    raise RuntimeError(f"kiosk-render: {body!r}")
                count += len(body)
                if first is None and count >= HEAD:
                    first = time.monotonic_ns()
        last = time.monotonic_ns()
    return (first - start) / MILLISECOND, (last - start) / MILLISECOND


def through_cups(cups, printer, path, dpi):
    """Milliseconds from the start of `lp` to the first bytes of the raster at the printer and to the last."""
    printer.relay.reset()
    start = time.monotonic_ns()
    cups.run("lp", "-d", "pages", "-o", f"print-quality={ {300: 3, 600: 4}[dpi]}", "-o", "media=A4", path)
    processes.wait_until(lambda: printer.relay.is_over, "the document of CUPS", seconds=120)
    return (printer.relay.first - start) / MILLISECOND, (printer.relay.last - start) / MILLISECOND


def through_kioskd(daemon, printer, path, dpi):
    """Milliseconds from the start of `kioskctl print` to the first bytes of the raster at the printer and to the last."""
    printer.relay.reset()
    start = time.monotonic_ns()
    daemon.control("print", path, "--role", "document", "--resolution", str(dpi), "--color", "monochrome", "--wait",
                   "--timeout", "300")
    relay = printer.relay
    if not relay.first:
        raise RuntimeError("no raster came to the printer")
    return (relay.first - start) / MILLISECOND, (relay.last - start) / MILLISECOND


def children(pid, name):
    found = []
    for word in os.listdir("/proc"):
        if not word.isdigit():
            continue
        try:
            with open(f"/proc/{word}/stat") as file:
                text = file.read()
        except OSError:
            continue
        if f"({name[:15]})" in text and int(text.rsplit(")", 1)[1].split()[1]) == pid:
            found.append(int(word))
    return found


def status(pid, key):
    """A value of /proc/PID/status in megabytes; nil where the process is gone."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return int(re.search(rf"^{key}:\s+(\d+) kB", file.read(), re.M).group(1)) / 1024
    except (OSError, AttributeError):
        return None


class Peaks:
    """The largest memory that kioskd and its rendering processes had while something was printed."""

    def __init__(self, pid):
        self.pid, self.daemon, self.helper, self.is_over = pid, 0, 0, False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.is_over:
            self.daemon = max(self.daemon, status(self.pid, "RssAnon") or 0)
            for child in children(self.pid, "kiosk-render"):
                self.helper = max(self.helper, status(child, "VmHWM") or 0)
            time.sleep(0.02)

    def end(self):
        self.is_over = True
        self.thread.join()
        return self.daemon, self.helper


def cancelled(daemon, printer, path):
    """Milliseconds from a cancel in the midst of a document until the process that drew it is gone."""
    printer.relay.reset()
    job = daemon.job_id(daemon.control("print", path, "--role", "document", "--resolution", "600", "--json"))
    processes.wait_until(lambda: printer.relay.first, "the first page", poll=0.001)
    drawing = children(daemon.pid, "kiosk-render")
    start = time.monotonic_ns()
    daemon.control("cancel", str(job))
    while True:
        left = [pid for pid in drawing if pid in children(daemon.pid, "kiosk-render")]
        if len(left) < len(drawing) or time.monotonic_ns() - start > 10_000 * MILLISECOND:
            break
        time.sleep(0.0005)
    return (time.monotonic_ns() - start) / MILLISECOND


def measure(options, folder, bus, note):
    folder = f"{folder}/documents"
    os.makedirs(folder)
    printer = PagePrinter(f"{folder}/printer", bus)
    cups = PrivateCUPS(f"{folder}/cups", None)
    cups.run("lpadmin", "-p", "pages", "-E", "-v", printer.relayed_uri, "-m", "everywhere")
    ppd = f"{folder}/cups/etc/ppd/pages.ppd"
    processes.wait_until(lambda: os.path.exists(ppd), "the PPD of CUPS")
    daemon = KioskDaemon(f"{folder}/kioskd", None, options.binaries)
    daemon.control("printers", "add", "pages", printer.relayed_uri, "--job-types", "document")
    daemon.control("roles", "assign", "document", "pages")
    results = {}

    def add(key, name, value):
        results.setdefault(key, {}).setdefault(name, []).append(value)

    book = manual(folder)
    for turn in range(options.rounds):
        for title, what, pages, dpi in CASES:
            path = f"{folder}/{pages} of {what}.pdf"
            if not os.path.exists(path):
                if what == "a manual":
                    beginning(book, pages, path)
                else:
                    pdf(path, pages)
            note(f"documents: {title}, round {turn + 1}")
            ways = {
                ("alone", "cups"): lambda: through_filters(ppd, path, dpi),
                ("alone", "kioskd"): lambda: through_renderer(options.binaries, path, pages, dpi),
                ("whole", "cups"): lambda: through_cups(cups, printer, path, dpi),
                ("whole", "kioskd"): lambda: through_kioskd(daemon, printer, path, dpi),
            }
            for (way, name), measured in ways.items():
                first, last = measured()
                add(f"{title}: {way}, first", name, first)
                add(f"{title}: {way}, all", name, last)
    long = pdf(f"{folder}/1000.pdf", 1000)
    for turn in range(options.rounds):
        add("cancel", "kioskd", cancelled(daemon, printer, long))
    note("documents: memory")
    for key, path in (("memory-long", long), ("memory-big", pdf(f"{folder}/big.pdf", 10, BIG))):
        before = status(daemon.pid, "RssAnon")
        peaks = Peaks(daemon.pid)
        daemon.control("print", path, "--role", "document", "--resolution", "300", "--wait", "--timeout", "600")
        daemon_peak, helper_peak = peaks.end()
        add(f"{key}: growth", "kioskd", daemon_peak - before)
        add(f"{key}: helper", "kioskd", helper_peak)
    shutil.rmtree(folder, ignore_errors=True)
    return results
