"""A printer that Avahi announces: found on the page, looked at, its certificate accepted, saved for a role, and tested.

Settings: `kiosk` (the daemon's URL), `code` (a one-time code) and `model` (what the printer says that it is). The role document has no printer.
"""

from urllib.parse import urlsplit

from browser import Record, chromium, log_in, settings

given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
TIMEOUT = 60_000  # Milliseconds.

with chromium() as browser:
    context = browser.new_context(locale="en-GB")
    record = Record(context, [host])
    page = log_in(context, kiosk, given["code"])
    page.goto(kiosk + "/printers/new")
    found = page.locator("#found > li").filter(has_text=given["model"]).first
    # Avahi may not have heard of it yet: whoever looks for it looks again.
    for _ in range(12):
        try:
            found.wait_for(timeout=8000)
            break
        except Exception:
            page.locator("#discovery button[name=search]").click()
    found.locator("button").click()
    accept = page.locator("#probe input[name=accept]")
    accept.wait_for(timeout=TIMEOUT)
    assert accept.input_value().startswith("sha256:"), accept.input_value()
    print("passed found", flush=True)
    accept.check()
    page.locator("#probe button[value=probe]").first.click()
    page.locator("#probe button[value=save]:not([disabled])").wait_for(timeout=TIMEOUT)
    page.locator("#probe [name=id]").fill("office")
    page.locator("#probe [name=role][value=document]").check()
    page.locator("#probe [name=test]").check()
    page.locator("#probe button[value=save]").click()
    page.wait_for_url("**/printers/office*", timeout=TIMEOUT)
    page.goto(kiosk + "/jobs/1")
    page.locator("#state").get_by_text("Completed", exact=True).first.wait_for(timeout=TIMEOUT)
    print("passed printed", flush=True)
    record.check()
