"""Tokens from the page to the till: made there, shown once, good for the listed origin alone, and worth nothing once they
are revoked there.

Settings: `kiosk` (the daemon's URL) and `code` (a one-time code). There is a role receipt.
"""

from urllib.parse import urlsplit

from browser import ROOT, Pages, Record, chromium, log_in, settings

TILL, OTHER = "https://till.example", "https://other.example"
given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
pages = Pages(["till.example", "other.example"])
pages.files["/kiosk.js"] = ("text/javascript", (ROOT / "Sources/kioskd/Browser/kiosk.js").read_text())
TIMEOUT = 60_000  # Milliseconds.


def make(admin, name, origin):
    """Makes a token by the page's form. Returns its secret."""
    admin.goto(kiosk + "/tokens")
    form = admin.locator("form[action='/tokens']")
    form.locator("input[name=name]").fill(name)
    form.locator("input[name=scope][value='print:receipt']").check()
    form.locator("textarea[name=origins]").fill(origin)
    form.locator("button[type=submit]").click()
    secret = admin.locator("#secret").input_value()
    assert secret.startswith("kiosk_") and len(secret) > 40
    # It is shown once.
    admin.goto(kiosk + "/tokens")
    assert admin.locator("#secret").count() == 0 and secret not in admin.content()
    row = row_of(admin, name).text_content()
    assert "print:receipt" in row and origin in row, row
    return secret


def row_of(admin, name):
    return admin.locator("tr[id^=token-]").filter(has=admin.get_by_text(name, exact=True))


def revoke(admin, name):
    admin.goto(kiosk + "/tokens")
    row = row_of(admin, name)
    row.locator("summary").click()
    row.locator("form[action$='/revoke'] button").click()
    admin.get_by_text("The token is revoked").wait_for(timeout=TIMEOUT)
    assert row_of(admin, name).count() == 0


def till(browser, origin, token):
    """A page of this origin with the JavaScript client, which has this token."""
    context = browser.new_context(ignore_https_errors=True)
    context.grant_permissions(["local-network-access"], origin=origin)
    page = context.new_page()
    page.goto(origin + "/")
    page.evaluate("""async ([url, token]) => {
        const {Kiosk} = await import("/kiosk.js");
        globalThis.kiosk = new Kiosk(token, url);
        globalThis.refusal = (promise) => promise.then(
            (job) => ({job}), ({name, code, status, detail}) => ({name, code, status, detail}));
    }""", [kiosk, token])
    return page


def prints(page, text):
    return page.evaluate("""async (text) => {
        const {id} = await kiosk.print("receipt", `${text}\\n=`);
        return (await kiosk.follow(id, () => {}))["job-state"];
    }""", text) == "completed"


def refused(page, text, deadline=60):
    """How `print` was refused, and what `diagnose` says of it. Where no answer is let through, after the deadline."""
    return page.evaluate("""async ([text, deadline]) => [
        await refusal(kiosk.print("receipt", `${text}\\n=`, {deadline})), (await kiosk.diagnose()).reason,
    ]""", [text, deadline])


def test_tokens_of_the_page(browser, admin):
    secret, second = make(admin, "till one", TILL), make(admin, "till two", TILL)
    assert secret != second
    first = till(browser, TILL, secret)
    assert prints(first, "BY A TOKEN OF THE PAGE")
    # No token lists the other origin; once one does, this one still does not.
    stranger = till(browser, OTHER, secret)
    refusal, reason = refused(stranger, "BY ANOTHER ORIGIN", deadline=2)
    assert refusal["name"] == "TimeoutError" and reason == "origin", (refusal, reason)
    make(admin, "others", OTHER)
    refusal, reason = refused(stranger, "BY ANOTHER ORIGIN")
    assert (refusal["status"], refusal["code"], reason) == (403, "origin-not-allowed", "origin"), (refusal, reason)
    # A revoked token is told so while another lists the origin; the other goes on.
    revoke(admin, "till one")
    refusal, reason = refused(first, "BY A REVOKED TOKEN")
    assert (refusal["status"], reason) == (401, "token"), (refusal, reason)
    assert prints(till(browser, TILL, second), "BY THE SECOND TOKEN")
    # With the last one goes the origin.
    revoke(admin, "till two")
    refusal, reason = refused(first, "BY A REVOKED TOKEN", deadline=2)
    assert refusal["name"] == "TimeoutError" and reason == "origin", (refusal, reason)


with chromium(*pages.arguments) as browser:
    context = browser.new_context(locale="en-GB")
    record = Record(context, [host])
    test_tokens_of_the_page(browser, log_in(context, kiosk, given["code"]))
    record.check()
    print("passed test_tokens_of_the_page", flush=True)
