"""Jobs of which nobody can know whether they were printed, because the printer lost its power in the middle: the page
asks a person, and the record says what the person decided.

Settings: `kiosk` (the daemon's URL) and `code` (a one-time code that this user made). The role receipt holds jobs in
doubt, and its printer takes raw data.
"""

import os
import pwd
from urllib.parse import urlsplit

from browser import Record, ask, chromium, log_in, settings

given = settings()
kiosk, host = given["kiosk"], urlsplit(given["kiosk"]).netloc
USER = pwd.getpwuid(os.getuid()).pw_name
TIMEOUT = 60_000  # Milliseconds.


def call(page, path):
    return page.evaluate("(path) => fetch(path).then((response) => response.json())", path)


def lose(page, name):
    """Has the printer lose its power in the middle of a long receipt, under the open list of jobs. Returns its id."""
    page.goto(kiosk + "/jobs")
    ask("lose power")
    markup = f"BEGIN {name}\n" + "one coffee, one tea, two cakes\n" * 150 + f"END {name}\n="
    job = page.evaluate("""(body) => fetch("/v1/jobs?role=receipt", {
        method: "POST", body, headers: {"Content-Type": "text/receiptline"},
    }).then((response) => response.json())""", markup)
    # It comes up by itself.
    page.locator(f"#decide-{job['id']}").wait_for(timeout=TIMEOUT)
    # The list and what is to be decided are of one moment.
    state = page.locator(f"#job-{job['id']} td").first.text_content()
    assert "Unconfirmed" in state, state
    ask("power on")
    return job["id"]


def decision(page, action, job):
    """What the audit says of it, which is written after the answer."""
    page.wait_for_function("""async ([action, job]) => {
        const {entries} = await (await fetch("/v1/audit?limit=100")).json();
        globalThis.entry = entries.find((entry) => entry.action === action && entry.object === `${job}`);
        return globalThis.entry;
    }""", arg=[action, job], timeout=TIMEOUT)
    return page.evaluate("entry")


def look(page, job):
    """The job's screen, once it is completed."""
    page.goto(f"{kiosk}/jobs/{job}")
    page.locator("#state").get_by_text("Completed", exact=True).first.wait_for(timeout=TIMEOUT)


def test_print_again(page):
    job = lose(page, "FIRST")
    page.locator(f"#again-{job}").click()
    page.locator(f"#decide-{job}").wait_for(state="detached", timeout=TIMEOUT)
    look(page, job)
    words = f"{USER} had it printed again."
    assert words in page.locator("ol.steps").text_content()
    steps = call(page, f"/v1/jobs/{job}/timeline")["steps"]
    assert [step["message"] for step in steps if step["step"] == "released"] == [words], steps
    assert [step["step"] for step in steps].count("sending") == 2, steps
    assert "it is printed again" in decision(page, "job.release", job)["message"]


def test_it_came_out(page):
    job = lose(page, "SECOND")
    page.goto(f"{kiosk}/jobs/{job}")
    page.get_by_text("Did it come out?").wait_for(timeout=TIMEOUT)
    page.locator(f"#out-{job}").click()
    page.locator(f"#out-{job}").wait_for(state="detached", timeout=TIMEOUT)
    look(page, job)
    words = f"{USER} said that it came out; the printer never confirmed it."
    assert words in page.locator("#state").text_content()
    assert words in page.locator("ol.steps li").last.text_content()
    record = call(page, f"/v1/jobs/{job}")
    # A person's word makes nothing of what the printer told.
    assert record["unconfirmed"] and record["message"] == words, record
    assert record.get("evidence") in (None, "sent"), record
    steps = call(page, f"/v1/jobs/{job}/timeline")["steps"]
    assert [step["step"] for step in steps].count("sending") == 1, steps
    entry = decision(page, "job.confirm", job)
    assert "it came out" in entry["message"] and entry["actor"].startswith(f"uid:{os.getuid()}"), entry
    # It is decided once.
    status = page.evaluate("""(job) => fetch(`/jobs/${job}/confirm`, {
        method: "POST", headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: "back=/jobs",
    }).then((response) => response.status)""", job)
    assert status == 409, status


with chromium() as browser:
    context = browser.new_context(locale="en-GB")
    record = Record(context, [host])
    page = log_in(context, kiosk, given["code"])
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(page)
            # The last form is refused, as it should be.
            record.console = [text for text in record.console if "status of 409" not in text]
            record.check()
            print("passed", name, flush=True)
