"""What the scenarios in a browser share: Debian's Chromium, pages of other origins, and a record of what went wrong.

A test starts a scenario and writes its settings, one line of JSON, to its standard input. A scenario that finds
something wrong ends with a traceback.
"""

import http.server
import json
import re
import ssl
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]


def settings():
    """The settings that the test wrote."""
    return json.loads(sys.stdin.readline())


def ask(what):
    """Has the test do something, and waits until it has."""
    print(what, flush=True)
    answer = sys.stdin.readline().strip()
    assert answer == "done", f"the test answered {answer!r} to {what!r}"


def log_in(context, kiosk, code):
    """A page of the administrator who has opened the link of `kioskctl admin`."""
    page = context.new_page()
    # The login screen sends the code by itself, perhaps before all of it is loaded.
    page.goto(f"{kiosk}/login#{code}", wait_until="commit")
    page.wait_for_url(lambda url: urlsplit(url).path != "/login", timeout=60_000)
    return page


class Pages:
    """Pages of any name under https://, as if they came from the public web: an HTTPS server on loopback that
    Chromium is told to be elsewhere."""

    def __init__(self, names):
        self.names = names
        self.files = {}
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                kind, body = pages.files.get(self.path, ("text/html", "<!doctype html><title>till</title>"))
                self.send_response(200)
                self.send_header("Content-Type", kind + "; charset=utf-8")
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        with tempfile.TemporaryDirectory() as folder:
            files = ["-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"]
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-subj", "/CN=pages", *files], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def arguments(self):
        """What Chromium is started with to find them."""
        place = f"127.0.0.1:{self.server.server_port}"
        rules = ",".join(f"MAP {name}:443 {place}" for name in self.names)
        return [f"--host-resolver-rules={rules}", f"--ip-address-space-overrides={place}=public"]


@contextmanager
def chromium(*arguments):
    """Debian's Chromium, without a window."""
    with sync_playwright() as playwright:
        # Its sandbox needs a user other than root.
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments])
        try:
            yield browser
        finally:
            browser.close()


class Record:
    """What pages of a context said and asked for that they should not."""

    def __init__(self, context, hosts):
        self.console = []
        self.violations = []
        self.foreign = []
        context.expose_function("noteViolation", lambda text: self.violations.append(text))
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => noteViolation("
            "`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`))")
        context.on("console", self.note_message)
        context.on("weberror", lambda error: self.console.append(f"error: {error.error}"))

        def note(request):
            parts = urlsplit(request.url)
            if parts.scheme not in ("data", "blob") and parts.netloc not in hosts:
                self.foreign.append(request.url)

        context.on("request", note)

    def note_message(self, message):
        # A form that is refused (412, 422) shows a page that says so; Chromium calls that an error all the same.
        if not re.search(r"responded with a status of (412|422) ", message.text):
            self.console.append(f"{message.type}: {message.text}")

    def check(self):
        """Fails unless the pages were silent, kept to their policy, and spoke to their own host alone."""
        assert not self.violations, f"violations of the policy: {self.violations}"
        assert not self.foreign, f"requests to others: {self.foreign}"
        assert not self.console, f"console: {self.console}"
