"""A printer that shows another certificate: before it is saved, and once it is. The page says so, says what to do, sends
nothing, and goes on when a person has compared the new fingerprint and accepted it.

Settings: `kiosk` (the daemon's URL), `code` (a one-time code) and `printer` (the ipps URL of a receipt printer, which
takes another certificate when it is asked to).
"""

import hashlib
import ssl
import subprocess
from urllib.parse import urlsplit

from browser import Record, ask, chromium, log_in, settings

given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
TIMEOUT = 60_000  # Milliseconds.


def shown_key():
    """The fingerprint of the key that the printer shows, as its own panel would tell it: read without the daemon."""
    parts = urlsplit(given["printer"])
    certificate = ssl.get_server_certificate((parts.hostname, parts.port))
    key = subprocess.run(
        ["openssl", "x509", "-pubkey", "-noout"], input=certificate.encode(), check=True, capture_output=True).stdout
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-outform", "DER"], input=key, check=True, capture_output=True).stdout
    return "sha256:" + hashlib.sha256(der).hexdigest()


def saved_trust(page):
    return page.evaluate("fetch('/v1/printers/till').then((response) => response.json())")["printer"]["trust"]


def type_url(page):
    page.goto(kiosk + "/printers/new")
    page.locator("#field-url").fill(given["printer"])
    page.locator("#probe input[name=accept]").wait_for(timeout=TIMEOUT)


def accept(page):
    """Accepts the fingerprint on the form, which must be the printer's own."""
    box = page.locator("#probe input[name=accept]")
    assert box.get_attribute("value") == shown_key()
    assert shown_key() in page.locator("#probe fieldset").first.text_content()
    assert not box.is_checked()
    box.check()
    page.locator("#probe fieldset button[value=probe]").first.click()


def test_changed_while_it_is_added(page):
    type_url(page)
    first = shown_key()
    accept(page)
    page.locator("#probe button[value=save]:enabled").wait_for(timeout=TIMEOUT)
    ask("new certificate")
    assert shown_key() != first
    # Looked at again, it is another one than the one that was accepted.
    page.locator("#look").click()
    trust = page.locator("#probe ol.checks > li.bad").filter(has_text="Identity")
    trust.wait_for(timeout=TIMEOUT)
    told = trust.text_content()
    assert "ind out why it is another one" in told, told
    assert page.locator("#probe button[value=save]:enabled").count() == 0
    accept(page)
    page.locator("#probe button[value=save]:enabled").wait_for(timeout=TIMEOUT)
    page.locator("#probe [name=id]").fill("till")
    page.locator("#probe [name=role][value=receipt]").check()
    page.locator("#probe button[value=save]").click()
    page.wait_for_url("**/printers/till*", timeout=TIMEOUT)
    assert saved_trust(page) == shown_key()


def test_changed_once_it_is_saved(page):
    old = shown_key()
    ask("new certificate")
    page.goto(kiosk + "/")
    card = page.locator("#printer-till")
    card.get_by_text("Its certificate has changed").wait_for(timeout=TIMEOUT)
    assert "Compare the fingerprint" in card.text_content(), card.text_content()
    # What is sent now waits.
    job = page.evaluate("""() => fetch("/v1/jobs?role=receipt", {
        method: "POST", body: "AFTER THE CHANGE\\n=", headers: {"Content-Type": "text/receiptline"},
    }).then((response) => response.json())""")["id"]
    # The probe of a printer that is saved says both.
    type_url(page)
    told = page.locator("#probe ol.checks").text_content()
    assert "saved already" in told and "certificate" in told, told
    page.goto(kiosk + "/trust")
    page.locator("#trust-till").get_by_text("Refused").wait_for(timeout=TIMEOUT)
    page.locator("#trust-till a").click()
    page.get_by_text("Not trusted").wait_for(timeout=TIMEOUT)
    text, new = page.locator("main").text_content(), shown_key()
    assert new != old and new in text, text
    assert page.locator("input[name=key]").get_attribute("value") == new
    state = page.evaluate("(job) => fetch(`/v1/jobs/${job}`).then((response) => response.json())", job)
    assert state["job-state"] == "pending", state
    # Not without a look at it.
    form = page.locator("form[action='/trust/till']")
    form.locator("button").click()
    assert urlsplit(page.url).path == "/trust/till" and page.get_by_text("Not trusted").count() == 1
    form.locator("input[name=compared]").check()
    form.locator("button").click()
    page.get_by_text("Its key is accepted").wait_for(timeout=TIMEOUT)
    page.get_by_text("Trusted", exact=True).wait_for(timeout=TIMEOUT)
    assert saved_trust(page) == new
    page.goto(f"{kiosk}/jobs/{job}")
    page.locator("#state").get_by_text("Completed", exact=True).first.wait_for(timeout=TIMEOUT)


with chromium() as browser:
    context = browser.new_context(locale="en-GB")
    record = Record(context, [host])
    page = log_in(context, kiosk, given["code"])
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(page)
            record.check()
            print("passed", name, flush=True)
