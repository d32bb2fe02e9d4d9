"""The admin page at work: printers that stop and go on, roles ordered by keyboard and without script, two admins at
once, an undone change, and a daemon that restarts under an open page.

Settings: `kiosk` (the daemon's URL) and `code`, a one-time code. The role receipt has the printers till-1 and till-2.
"""

from urllib.parse import urlsplit

from browser import Record, ask, chromium, log_in, settings

given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
TIMEOUT = 60_000  # Milliseconds.


def order(page, role="receipt"):
    return page.locator(f"#role-{role} ol.order > li").evaluate_all("(items) => items.map((item) => item.dataset.id)")


def wait_for_order(page, expected):
    page.wait_for_function(
        "(expected) => [...document.querySelectorAll('#role-receipt ol.order > li')]"
        ".map((item) => item.dataset.id).join() === expected", arg=",".join(expected), timeout=TIMEOUT)


def saved_order(page):
    return page.evaluate("fetch('/v1/roles/receipt').then((response) => response.json())")["printers"]


def wait_for_saved_order(page, expected):
    """The page shows a move at once; the daemon has it a moment later."""
    page.wait_for_function(
        "async (expected) => (await (await fetch('/v1/roles/receipt')).json()).printers.join() === expected",
        arg=",".join(expected), timeout=TIMEOUT)


def wait_for_focus(page, control):
    page.wait_for_function("(id) => document.activeElement.id === id", arg=control, timeout=TIMEOUT)


def test_order_by_keyboard(open_page):
    page = open_page("/roles")
    assert order(page) == ["till-1", "till-2"]
    button = page.locator("#down-receipt-till-1")
    for _ in range(60):
        page.keyboard.press("Tab")
        if button.evaluate("(button) => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    wait_for_order(page, ["till-2", "till-1"])
    wait_for_saved_order(page, ["till-2", "till-1"])
    # The focus stays with the printer that was moved: it is the last now, and can only go up again.
    wait_for_focus(page, "up-receipt-till-1")
    page.keyboard.press("Alt+ArrowUp")
    wait_for_saved_order(page, ["till-1", "till-2"])
    wait_for_focus(page, "down-receipt-till-1")
    page.keyboard.press("Enter")
    wait_for_saved_order(page, ["till-2", "till-1"])
    wait_for_focus(page, "up-receipt-till-1")


def test_undo(open_page):
    page = open_page("/changes")
    page.locator("a[href^='/changes/']").first.click()
    page.wait_for_url("**/changes/*")
    page.locator("form[action$='/restore'] button").click()
    page.wait_for_url(lambda url: not url.endswith("/restore"))
    page = open_page("/roles")
    assert order(page) == ["till-1", "till-2"] == saved_order(page)


def test_without_script(open_page):
    page = open_page("/roles", java_script_enabled=False)
    page.locator("#down-receipt-till-1").click()
    assert urlsplit(page.url).path == "/roles"
    assert order(page) == ["till-2", "till-1"]
    page.locator("#up-receipt-till-1").click()
    assert order(page) == ["till-1", "till-2"]


def test_two_admins(open_page):
    first, second = open_page("/printers/till-2"), open_page("/printers/till-2")
    first.locator("input[name=location]").fill("Counter")
    second.locator("input[name=location]").fill("Cellar")
    for page in (first, second):
        page.locator("form[action='/printers/till-2'] button[type=submit]").click()
        page.wait_for_load_state()
    second.get_by_text("Counter").first.wait_for(timeout=TIMEOUT)
    saved = first.evaluate("fetch('/v1/printers/till-2').then((response) => response.json())")
    assert saved.get("printer", saved).get("location") == "Counter", saved
    # What the second has typed is not lost.
    assert second.locator("input[name=location]").input_value() == "Cellar"


def test_hostile_names(open_page):
    name = "<img src=x onerror='fetch(`https://elsewhere.example`)'>&amp;"
    page = open_page("/printers/till-2")
    page.locator("input[name=name]").fill(name)
    page.locator("form[action='/printers/till-2'] button[type=submit]").click()
    page.locator("h1").get_by_text("<img").wait_for(timeout=TIMEOUT)
    for path in ("/", "/roles", "/changes", "/health"):
        page = open_page(path)
        assert page.locator("main img").count() == 0, path


def test_paper_out(open_page):
    page = open_page("/")
    ask("paper out")
    page.locator("#printer-till-1").get_by_text("Stopped", exact=True).wait_for(timeout=TIMEOUT)
    assert "Stopped" in page.locator("#announcement").text_content()
    ask("paper in")
    page.locator("#printer-till-1").get_by_text("Ready", exact=True).wait_for(timeout=TIMEOUT)


def test_restart(open_page):
    """A restart ends all sessions; a page that is open shows the login by itself."""
    page = open_page("/", silent=False)
    ask("restart")
    page.wait_for_url("**/login", timeout=TIMEOUT)
    assert page.locator("input[name=code]").count() == 1


with chromium() as browser:
    administrator = browser.new_context()
    log_in(administrator, kiosk, given["code"]).close()
    state = administrator.storage_state()
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        records, contexts = [], []

        def open_page(path, silent=True, **options):
            context = browser.new_context(storage_state=state, locale="en-GB", **options)
            contexts.append(context)
            if silent and options.get("java_script_enabled", True):
                records.append(Record(context, [host]))
            page = context.new_page()
            assert page.goto(kiosk + path).status == 200, path
            return page

        test(open_page)
        for record in records:
            record.check()
        for context in contexts:
            context.close()
        print("passed", name, flush=True)
