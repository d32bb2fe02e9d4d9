"""What pages of others and strangers try against a daemon with a logged-in administrator: cross-site forms and fetches,
frames, DNS rebinding, guessed codes, a session after its end, and script in the page itself.

Settings: `kiosk` (the daemon's URL on loopback) and `code` (a one-time code).
"""

import http.server
import threading
from urllib.parse import urlsplit

from browser import chromium, log_in, settings

given = settings()
kiosk, port = given["kiosk"], urlsplit(given["kiosk"]).port


class Evil(http.server.BaseHTTPRequestHandler):
    """A page on another port of the same host, which browsers count as the same site."""

    def do_GET(self):
        body = f"""<!doctype html><title>evil</title>
            <form id="form" method="post" action="{kiosk}/v1/jobs?role=receipt" enctype="text/plain">
            <input name="FORGED" value="RECEIPT"></form>
            <form id="out" method="post" action="{kiosk}/logout"></form>
            <iframe src="{kiosk}/"></iframe>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
threading.Thread(target=server.serve_forever, daemon=True).start()
evil = f"http://127.0.0.1:{server.server_port}/"


def test_cross_site_forms(context, page):
    for form in ("form", "out"):
        page.goto(evil)
        with page.expect_navigation() as navigation:
            page.evaluate("(id) => document.getElementById(id).submit()", form)
        assert navigation.value.status == 403, (form, navigation.value.status)
    assert page.goto(kiosk + "/").status == 200 and urlsplit(page.url).path == "/"


def test_cross_site_fetches(context, page):
    page.goto(evil)
    outcome = page.evaluate("""async (kiosk) => {
        const outcome = [];
        for (const [path, method] of [["/v1/jobs?role=receipt", "POST"], ["/v1/registry/reload", "POST"], ["/", "GET"],
            ["/v1/printers", "GET"]]) {
            for (const mode of ["cors", "no-cors"]) {
                const body = method === "POST" ? "FORGED\\n=" : undefined;
                outcome.push(await fetch(kiosk + path, {method, mode, body, credentials: "include"})
                    .then(async (response) => `${response.type} ${(await response.text()).length}`, () => "refused"));
            }
        }
        return outcome;
    }""", kiosk)
    assert set(outcome) <= {"refused", "opaque 0"}, outcome


def test_frames(context, page):
    page.goto(evil)
    page.wait_for_function("frames.length === 1")
    assert page.frames[1].url.startswith("chrome-error:"), "the page is shown in another page's frame"


def test_rebinding(context, page):
    for path in ("/", "/v1/printers", "/kiosk.js"):
        response = page.goto(f"http://rebound.example:{port}{path}")
        assert response.status == 421, (path, response.status)


def test_script_in_the_page(context, page):
    page.goto(kiosk + "/")
    violations = page.evaluate("""async () => {
        const seen = [];
        addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
        const script = document.createElement("script");
        try { script.textContent = "globalThis.injected = true"; document.body.append(script); } catch { }
        try { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='injected = true'>"); } catch { }
        const picture = document.createElement("img");
        picture.src = "https://elsewhere.example/picture.png";
        document.body.append(picture);
        await new Promise((resolve) => setTimeout(resolve, 200));
        return [globalThis.injected === true, seen];
    }""")
    assert violations[0] is False and "img-src" in violations[1], violations


def test_session_after_its_end(context, page):
    cookies = context.cookies(kiosk)
    assert all(cookie["httpOnly"] and cookie["sameSite"] == "Strict" for cookie in cookies), cookies
    assert cookies and page.evaluate("document.cookie") == "", cookies
    page.goto(kiosk + "/")
    # The form and the end of the events each lead to the login; whichever comes first, nothing is under way after it.
    page.locator("form[action='/logout'] button").click()
    page.wait_for_url("**/login", timeout=60_000)
    context.clear_cookies()
    context.add_cookies(cookies)
    page.goto(kiosk + "/")
    assert urlsplit(page.url).path == "/login", page.url


def guess(browser):
    """Wrong codes, typed without script: after a few of them the page asks to wait."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    statuses = []
    for letter in "ABCDEFGH":
        page.goto(kiosk + "/login")
        page.locator("input[name=code]").fill(letter * 8)
        with page.expect_navigation() as navigation:
            page.locator("#login button").click()
        statuses.append(navigation.value.status)
    assert statuses[0] == 403 and 429 in statuses, statuses
    assert not context.cookies(), "a cookie for a wrong code"


with chromium("--host-resolver-rules=MAP rebound.example 127.0.0.1") as browser:
    context = browser.new_context()
    page = log_in(context, kiosk, given["code"])
    # A code is good once.
    assert browser.new_context().request.post(
        kiosk + "/login", data={"code": given["code"]}).status in (400, 401, 403)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(context, page)
            print("passed", name, flush=True)
    guess(browser)
    print("passed guess", flush=True)
