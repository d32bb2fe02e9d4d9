"""A printer that runs out of paper while the page is open, and gets new paper: both show without a touch.

Settings: `kiosk` (the daemon's URL), and `code`, a one-time code. The printer is `office`; its reason for an empty tray
shows as "Paper is empty".
"""

from urllib.parse import urlsplit

from browser import Record, ask, chromium, log_in, settings

given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
TIMEOUT = 60_000  # Milliseconds.

with chromium() as browser:
    context = browser.new_context(locale="en-GB")
    record = Record(context, [host])
    page = log_in(context, kiosk, given["code"])
    page.goto(kiosk + "/")
    office = page.locator("#printer-office")
    office.get_by_text("Ready").first.wait_for(timeout=TIMEOUT)
    empty = office.get_by_text("Paper is empty").first
    assert empty.count() == 0
    ask("empty")
    empty.wait_for(timeout=TIMEOUT)
    print("passed seen", flush=True)
    ask("fill")
    empty.wait_for(state="hidden", timeout=TIMEOUT)
    print("passed gone", flush=True)
    record.check()
