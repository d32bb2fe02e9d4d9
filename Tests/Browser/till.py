"""Tills in a browser: pages of a listed origin print with kiosk.js and with the twenty lines of the documentation, and
pages of others do not.

Settings: `kiosk` (the daemon's URL), `absent` (a URL where nobody answers), `token` (lists https://till.example; prints
to the role receipt and opens the drawer), `plain` (the same without the drawer), `other` (lists another origin).
"""

import re

from browser import ROOT, Pages, ask, chromium, settings

TILL, OTHER, STRANGER = "https://till.example", "https://other.example", "https://stranger.example"
given = settings()
pages = Pages(["till.example", "other.example", "stranger.example"])
pages.files["/kiosk.js"] = ("text/javascript", (ROOT / "Sources/kioskd/Browser/kiosk.js").read_text())
twenty_lines = re.search(r"```js\n(.*?)```", (ROOT / "docs/browser-tills.md").read_text(), re.DOTALL)[1]
pages.files["/twenty-lines.js"] = (
    "text/javascript",
    twenty_lines.replace("http://127.0.0.1:8631", given["kiosk"]).replace("kiosk_…", given["token"])
    + "\nexport {print, openDrawer, events};\n")


def till(browser, origin=TILL, allowed=True):
    context = browser.new_context(ignore_https_errors=True)
    if allowed:
        context.grant_permissions(["local-network-access"], origin=origin)
    page = context.new_page()
    page.goto(origin + "/")
    page.evaluate("""async ([url, token]) => {
        const {Kiosk} = await import("/kiosk.js");
        globalThis.Kiosk = Kiosk;
        globalThis.kiosk = new Kiosk(token, url);
        globalThis.refusal = (promise) => promise.then(
            (job) => `no refusal but job ${job.id}`,
            ({name, code, status, detail}) => ({name, code, status, detail}));
    }""", [given["kiosk"], given["token"]])
    return page


def test_print_and_follow(browser):
    page = till(browser)
    job, states = page.evaluate("""async () => {
        const states = [];
        const job = await kiosk.print("receipt", "BY KIOSK.JS | 2.50\\n=");
        return [await kiosk.follow(job.id, (job) => states.push(job["job-state"])), states];
    }""")
    assert job["job-state"] == "completed" and job["evidence"] in ("processed", "printed"), job
    assert states[-1] == "completed", states


def test_module_of_the_daemon(browser):
    page = till(browser)
    length = page.evaluate("(url) => fetch(url).then((r) => r.arrayBuffer()).then((bytes) => bytes.byteLength)",
        given["kiosk"] + "/kiosk.js")
    assert 0 < length <= 3072, f"kiosk.js has {length} bytes, more than the 3 KB that docs/browser-tills.md promises"
    job = page.evaluate("""async ([url, token]) => {
        const {Kiosk} = await import(url + "/kiosk.js");
        return new Kiosk(token).print("receipt", "BY THE DAEMON'S MODULE\\n=", {wait: 60, copies: 2});
    }""", [given["kiosk"], given["token"]])
    assert job["job-state"] == "completed" and job["ticket"] == {"copies": 2}, job


def test_twenty_lines(browser):
    assert len([line for line in twenty_lines.splitlines() if line.strip()]) <= 24
    page = till(browser)
    first, second, job, event = page.evaluate("""async () => {
        const {print, openDrawer, events} = await import("/twenty-lines.js");
        const stream = events();
        const coming = stream.next();
        const first = await print("receipt", "BY TWENTY LINES\\n=", "the-same-key");
        const second = await print("receipt", "BY TWENTY LINES\\n=", "the-same-key");
        const job = await openDrawer("receipt");
        return [first, second, job, (await coming).value];
    }""")
    assert first["job-state"] == "completed" and first["id"] == second["id"], (first, second)
    assert job["job-state"] == "completed", job
    assert event["kind"] in ("job-created", "job-changed", "job-progress"), event


def test_lost_answer(browser):
    page = till(browser)
    ids, sent = page.evaluate("""async () => {
        const real = fetch, ids = [];
        globalThis.fetch = async (...request) => {
            const response = await real(...request);
            ids.push((await response.clone().json()).id);
            if (ids.length < 3) throw new TypeError("Failed to fetch");
            return response;
        };
        const job = await kiosk.print("receipt", "ANSWER LOST\\n=");
        return [ids, job.id];
    }""")
    assert len(ids) == 3 and set(ids) == {sent}, (ids, sent)


def test_drawer_by_right(browser):
    page = till(browser)
    job = page.evaluate("""() => kiosk.openDrawer("receipt", {wait: 60})""")
    assert job["job-state"] == "completed", job
    refusal = page.evaluate(
        """([url, token]) => refusal(new Kiosk(token, url).openDrawer("receipt"))""", [given["kiosk"], given["plain"]])
    assert refusal["status"] == 403, refusal


def test_rights_of_a_till(browser):
    page = till(browser)
    refusal = page.evaluate("""() => refusal(kiosk.print("document", "text\\n"))""")
    assert refusal["status"] in (403, 404), refusal
    for method, path in [("PUT", "/v1/roles/receipt"), ("POST", "/v1/registry/reload"), ("GET", "/v1/tokens")]:
        outcome = page.evaluate("""([url, token, method]) =>
            fetch(url, {method, headers: {Authorization: `Bearer ${token}`}}).then((r) => r.status, () => 0)""",
            [given["kiosk"] + path, given["token"], method])
        assert outcome in (0, 401, 403), (method, path, outcome)


def test_other_origins(browser):
    page = till(browser, STRANGER)
    outcome = page.evaluate("""async ([url]) => [
        await refusal(kiosk.print("receipt", "BY A STRANGER\\n=", {deadline: 2})),
        await kiosk.diagnose(),
        await fetch(url + "/v1/health").then(() => "read", () => "hidden"),
        await fetch(url + "/v1/jobs?role=receipt", {method: "POST", body: "BY A STRANGER\\n=", mode: "no-cors",
            credentials: "include"}).then((response) => response.type, () => "refused"),
    ]""", [given["kiosk"]])
    assert outcome[0]["name"] == "TimeoutError", outcome
    assert outcome[1]["reason"] == "origin", outcome
    assert outcome[2] == "hidden", outcome
    # A listed origin with another origin's token is told so.
    page = till(browser)
    refusal, diagnosis = page.evaluate("""async ([url, token]) => {
        const kiosk = new Kiosk(token, url);
        return [await refusal(kiosk.print("receipt", "BY ANOTHER TOKEN\\n=")), await kiosk.diagnose()];
    }""", [given["kiosk"], given["other"]])
    assert (refusal["status"], refusal["code"]) == (403, "origin-not-allowed"), refusal
    assert diagnosis["reason"] == "origin", diagnosis


def test_diagnosis(browser):
    page = till(browser)
    reasons = page.evaluate("""async ([url, absent, token]) => [
        await kiosk.diagnose(), await new Kiosk(token, absent).diagnose(),
        await new Kiosk("kiosk_wrong", url).diagnose(),
    ]""", [given["kiosk"], given["absent"], given["token"]])
    assert [reason["reason"] for reason in reasons] == ["ready", "absent", "token"], reasons
    page = till(browser, allowed=False)
    assert page.evaluate("kiosk.diagnose()") == {"reason": "permission", "permission": "denied"}


def test_restart(browser):
    page = till(browser)
    ask("paper out")
    page.evaluate("""async () => {
        globalThis.states = [];
        const job = await kiosk.print("receipt", "ACROSS A RESTART\\n=");
        globalThis.end = kiosk.follow(job.id, (job) => states.push(job["job-state"]));
    }""")
    page.wait_for_function("states.length > 0")
    ask("restart")
    ask("paper in")
    job = page.evaluate("end")
    assert job["job-state"] == "completed", job


with chromium(*pages.arguments) as browser:
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(browser)
            print("passed", name, flush=True)
