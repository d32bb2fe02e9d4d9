"""Every screen of the admin page: on a phone and on a desk, light and dark. Nothing breaks the page's policy, speaks to
another host, writes to the console or lies wider than the window, and axe-core finds nothing serious.

Settings: `kiosk` (the daemon's URL), `code` (a one-time code), `paths` (with commas between), and `pictures`, a folder
for screenshots (none: none are kept).
"""

from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

from browser import Record, chromium, settings

given = settings()
host = urlsplit(given["kiosk"]).netloc
paths = given["paths"].split(",")
WIDTHS = {"phone": (390, 844), "desktop": (1280, 800)}


def log_in(context):
    """Opens the link that `kioskctl admin` prints; nobody logs in where the Unix socket itself is asked."""
    if not given["code"]:
        return context.storage_state()
    page = context.new_page()
    page.goto(f"{given['kiosk']}/login#{given['code']}")
    page.wait_for_url(lambda url: urlsplit(url).path != "/login")
    page.close()
    return context.storage_state()


def name(path):
    return path.strip("/").replace("/", "-") or "printers"


def visit(context, path):
    page = context.new_page()
    response = page.goto(given["kiosk"] + path)
    assert response.status == 200, (path, response.status)
    page.wait_for_load_state("load")
    return page


def look(browser, state, scheme, width):
    context = browser.new_context(
        storage_state=state, color_scheme=scheme, reduced_motion="reduce", ignore_https_errors=True,
        viewport=dict(zip(("width", "height"), WIDTHS[width])))
    record = Record(context, [host])
    for path in paths:
        page = visit(context, path)
        record.check()
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is {wide} pixels wider than a {width}"
        assert page.locator("h1").count() == 1, path
        if given.get("pictures"):
            page.screenshot(path=Path(given["pictures"]) / f"{name(path)}-{width}-{scheme}.png", full_page=True)
        page.close()
    context.close()


def check_accessibility(browser, state, scheme):
    # axe-core writes into the page, which the page's policy forbids.
    context = browser.new_context(
        storage_state=state, color_scheme=scheme, bypass_csp=True, ignore_https_errors=True)
    found = []
    for path in paths:
        page = visit(context, path)
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
                found.append(f"{path} ({scheme}): {violation['id']}: {violation['help']}: {nodes}")
        page.close()
    context.close()
    assert not found, "\n".join(found)


with chromium() as browser:
    context = browser.new_context(ignore_https_errors=True)
    record = Record(context, [host])
    state = log_in(context)
    record.check()
    print("passed login", flush=True)
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            look(browser, state, scheme, width)
        check_accessibility(browser, state, scheme)
        print("passed", scheme, flush=True)
