"""Every screen of the admin page: on a phone, on a narrow phone and on a desk, light and dark, in German, in forced
colours, and with text of twice the size. Nothing breaks the page's policy, speaks to another host, writes to the
console or lies wider than the window; axe-core finds nothing serious, and every text is in the reader's language.

Settings: `kiosk` (the daemon's URL), `code` (a one-time code), `paths` (with commas between), `add` (the URL of a
printer that is looked at on the screen that adds one), `words` (what people have named things, with line feeds
between), `pictures`, a folder for screenshots (none: none are kept), and `long`, to look at each screen in every width and
colour scheme, and not in each of both.
"""

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

from browser import ROOT, Record, chromium, log_in, settings

given = settings()
host = urlsplit(given["kiosk"]).netloc
paths = given["paths"].split(",")
WIDTHS = {"phone": (390, 844), "desktop": (1280, 800)}
# The width that WCAG 2.2 §1.4.10 demands, and the others in which a screen is looked at but not kept.
NARROW = (320, 640)
ASSETS = 150_000

# Every text that a screen reader or an eye meets: text nodes, and the attributes that are read out or shown.
TEXTS = """() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        // What people have typed, and what the daemon has drawn or said, is in nobody's language.
        if (!walker.currentNode.parentElement.closest("bdi, code, pre, textarea, script")) found.push(walker.currentNode.data);
    }
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt], [data-say]"))
        for (const name of ["aria-label", "title", "placeholder", "alt", "data-say"])
            if (element.hasAttribute(name)) found.push(element.getAttribute(name));
    return found.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""


def name(path):
    return path.strip("/").replace("/", "-") or "printers"


def visit(page, path):
    response = page.goto(given["kiosk"] + path)
    assert response.status == 200, (path, response.status)
    page.wait_for_load_state("load")
    if path == "/printers/new":
        page.fill("#field-url", given["add"])
        page.locator("#field-id").wait_for()
        page.evaluate("document.activeElement.blur()")


def options(size, **more):
    return dict(
        reduced_motion="reduce", ignore_https_errors=True, viewport=dict(zip(("width", "height"), size)), **more)


def check_width(page, path, what):
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{path} is {wide} pixels wider than {what}"


def look(browser, state, scheme, width):
    """Visits every screen. Returns the assets that they loaded, with the bytes of each."""
    context = browser.new_context(storage_state=state, color_scheme=scheme, **options(WIDTHS[width]))
    record = Record(context, [host])
    page = context.new_page()
    sizes = {}

    def note(response):
        if urlsplit(response.url).path.startswith("/assets/"):
            sizes[urlsplit(response.url).path] = len(response.body())

    context.on("response", note)
    for path in paths:
        visit(page, path)
        record.check()
        check_width(page, path, f"a {width}")
        assert page.locator("h1").count() == 1, path
        if given.get("pictures"):
            page.screenshot(path=Path(given["pictures"]) / f"{name(path)}-{width}-{scheme}.png", full_page=True)
    visit(page, "/login")
    context.close()
    return sizes


def look_at_width(browser, state, what, sizes, check=None, **more):
    """Visits every screen as a reader with other needs does."""
    for size in sizes:
        context = browser.new_context(storage_state=state, **options(size, **more))
        record = Record(context, [host])
        page = context.new_page()
        for path in paths:
            visit(page, path)
            record.check()
            check_width(page, path, f"{size[0]} pixels, {what}")
            if check:
                check(page, path)
        context.close()


def check_buttons(page, path):
    """Whoever sees forced colours still sees where a button or a field ends."""
    bare = page.evaluate("""() => [...document.querySelectorAll("button:not(.quiet), .button, select, input:not([type=hidden])")]
        .filter((it) => it.checkVisibility() && getComputedStyle(it).borderStyle === "none" && !/checkbox|radio/.test(it.type))
        .map((it) => it.outerHTML.slice(0, 80))""")
    assert not bare, (path, bare)


class Translation:
    """Finds what a German reader should not see: keys, and the page's own texts in English."""

    def __init__(self):
        folder = ROOT / "Sources/AdminPage/Texts"
        english, german = (json.loads((folder / f"{it}.json").read_text()) for it in ("en", "de"))
        self.keys = {key for key in english if "." in key}
        # The pieces of a text between its values, which are text nodes of their own where the values are markup.
        pieces = lambda text: {piece.strip(" .,:·()") for piece in re.split(r"\{[^}]*\}", text)}
        spoken = set().union(*map(pieces, german.values())) | set(given["words"].split("\n"))
        self.pieces = {
            piece for key, text in english.items() if text != german[key] for piece in pieces(text)
            if len(piece) > 2 and piece not in spoken
        }

    def check(self, page, path):
        assert page.evaluate("document.documentElement.lang") == "de", path
        for text in page.evaluate(TEXTS):
            assert text not in self.keys, f"{path} shows the key {text}"
            assert text.strip(" .,:·()") not in self.pieces, f"{path} says in English: {text}"
            for piece in self.pieces:
                if piece.count(" ") > 1 and piece in text:
                    raise AssertionError(f"{path} says in English: {piece}")


def check_accessibility(browser, state, scheme):
    # axe-core writes into the page, which the page's policy forbids.
    context = browser.new_context(
        storage_state=state, color_scheme=scheme, bypass_csp=True, ignore_https_errors=True)
    found = []
    page = context.new_page()
    for path in paths:
        visit(page, path)
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
                found.append(f"{path} ({scheme}): {violation['id']}: {violation['help']}: {nodes}")
    context.close()
    assert not found, "\n".join(found)


with chromium() as browser:
    context = browser.new_context(ignore_https_errors=True)
    record = Record(context, [host])
    # Nobody logs in where the Unix socket itself is asked.
    if given["code"]:
        log_in(context, given["kiosk"], given["code"]).close()
    state = context.storage_state()
    record.check()
    print("passed login", flush=True)
    assets = {}
    for scheme, usual in (("light", "phone"), ("dark", "desktop")):
        for width in WIDTHS if given["long"] or given["pictures"] else [usual]:
            assets |= look(browser, state, scheme, width)
        check_accessibility(browser, state, scheme)
        print("passed", scheme, flush=True)
    if given["long"]:
        # German is the longer language.
        look_at_width(browser, state, "narrow", [NARROW])
    look_at_width(
        browser, state, "German", [NARROW], Translation().check, locale="de-DE")
    print("passed german", flush=True)
    look_at_width(
        browser, state, "forced colours", [WIDTHS["phone"]], check_buttons, forced_colors="active")
    print("passed forced colours", flush=True)
    assert assets and sum(assets.values()) < ASSETS, assets
    print("note assets", sum(assets.values()), json.dumps(assets), flush=True)
    print("passed assets", flush=True)

# The browser's own setting for larger text, to which media queries in rem answer too.
with chromium("--blink-settings=defaultFontSize=32,defaultFixedFontSize=26") as browser:
    sizes = WIDTHS.values() if given["long"] else [WIDTHS["phone"]]
    look_at_width(browser, state, "text of twice the size", sizes)
    print("passed large text", flush=True)
