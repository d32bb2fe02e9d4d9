"""From a new kiosk to the first printed receipt, by the page alone: the one-time code, a role, a printer that is probed
while its URL is typed, a test receipt, the receipt editor and a reprint; and printers that cannot be added so.

Settings: `kiosk` (the daemon's URL), `code` (a one-time code), `printer` (the URL of a receipt printer that takes raw
data), `away` (one where nobody answers), `office` (the URL of a laser printer), `locked` (one that wants a login).
"""

from urllib.parse import urlsplit

from browser import Record, chromium, log_in, settings

given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
TIMEOUT = 60_000  # Milliseconds.


def wait_for_job(page, word):
    page.locator("#state").get_by_text(word, exact=True).first.wait_for(timeout=TIMEOUT)


def type_url(page, url):
    page.goto(kiosk + "/printers/new")
    page.locator("#field-url").press_sequentially(url, delay=5)


def test_first_receipt(page):
    page.goto(kiosk + "/")
    page.locator("a[href='/printers/new']").first.wait_for()
    page.goto(kiosk + "/roles")
    page.locator("form[action='/roles'] input[name=name]").fill("receipt")
    page.locator("form[action='/roles'] button").click()
    page.locator("#role-receipt").wait_for(timeout=TIMEOUT)
    type_url(page, given["printer"])
    page.locator("#probe").get_by_text("It can be added").wait_for(timeout=TIMEOUT)
    # Nothing is saved by looking.
    assert page.evaluate("fetch('/v1/printers').then((response) => response.json())")["printers"] == []
    page.locator("#probe [name=id]").fill("till")
    page.locator("#probe [name=name]").fill("Till at the door")
    page.locator("#probe [name=profile]").select_option("epson-tm")
    page.locator("#probe [name=role][value=receipt]").check()
    page.locator("#probe [name=test]").check()
    page.locator("#probe button[value=save]").click()
    page.wait_for_url("**/printers/till*", timeout=TIMEOUT)
    assert "Till at the door" in page.locator("h1").text_content()
    page.goto(kiosk + "/jobs/1")
    wait_for_job(page, "Completed")
    picture = page.locator("img[src='/v1/jobs/1/preview']")
    assert picture.evaluate("async (picture) => (await picture.decode(), picture.naturalWidth)") > 100


def test_reprint(page):
    page.goto(kiosk + "/jobs/1")
    page.locator("form[action='/jobs/1/reprint'] button").click()
    page.wait_for_url("**/jobs/2*", timeout=TIMEOUT)
    wait_for_job(page, "Completed")
    # Each names the other.
    assert page.locator("#job dl.facts a[href='/jobs/1']").count() == 1
    page.goto(kiosk + "/jobs/1")
    assert "Printed again" in page.locator("ol.steps").text_content()
    assert page.locator("ol.steps a[href='/jobs/2']").count() == 1


def test_receipt_editor(page):
    page.goto(kiosk + "/receipt")
    page.locator("#field-markup").fill('^^"BY THE EDITOR"\n=\n')
    page.locator("#preview img").wait_for(timeout=TIMEOUT)
    page.locator("#field-target").select_option("role:receipt")
    page.locator("#receipt button[value=print]").click()
    page.wait_for_url("**/jobs/3*", timeout=TIMEOUT)
    wait_for_job(page, "Completed")


def test_away(page):
    type_url(page, given["away"])
    page.locator("#probe").get_by_text("Not ready to be added").wait_for(timeout=TIMEOUT)
    assert page.locator("#probe ol.checks > li.bad").count() >= 1


def test_wrong_type(page):
    type_url(page, given["office"])
    page.locator("#probe [name=role][value=receipt]").wait_for(timeout=TIMEOUT)
    assert "it does not say that it does this" in page.locator("#probe fieldset").last.text_content()


def test_login(page):
    type_url(page, given["locked"])
    page.locator("#probe input[name=credentials]").wait_for(timeout=TIMEOUT)


def test_overtaken(page):
    """What was typed last counts, however long the first probe takes."""
    type_url(page, given["away"])
    page.locator("#field-url").fill(given["printer"])
    page.locator("#probe").get_by_text("Saved already").first.wait_for(timeout=TIMEOUT)


with chromium() as browser:
    context = browser.new_context(locale="en-GB")
    record = Record(context, [host])
    page = log_in(context, kiosk, given["code"])
    for name, test in list(globals().items()):
        if name.startswith("test_") and all(given.get(key) for key in {
                "test_wrong_type": ["office"], "test_login": ["locked"]}.get(name, [])):
            test(page)
            record.check()
            print("passed", name, flush=True)
