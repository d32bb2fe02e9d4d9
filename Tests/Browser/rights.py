"""The rights of access tokens, cell by cell, as programs on another machine find them: a client of twenty lines of
Python, curl, and openssl s_client, over TLS, each with the certificate that it knows. First the statuses of many requests,
then the table of docs/security.md, row by row.

Settings: `host`, `port`, `certificate` (a file), `folder` (for files), and a token for each column but the first; `drawer alone` and `raw alone`
have no scope to print beside.
"""

import http.client
import json
import ssl
import subprocess
import sys
from pathlib import Path

given = json.loads(sys.stdin.readline())
host, port, certificate = given["host"], int(given["port"]), given["certificate"]


def python(method, path, body, headers):
    trust = ssl.create_default_context(cafile=certificate)
    connection = http.client.HTTPSConnection(host, port, context=trust, timeout=60)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    content = b"" if response.getheader("Content-Type") == "text/event-stream" else response.read()
    connection.close()
    return response.status, content


def split(answer):
    """The status and the body of an HTTP response."""
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), content


def answer_of(command, request, is_stream):
    """The answer that a program writes. Of an event stream, which has no end, the head."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child.stdin.write(request)
    child.stdin.flush()
    answer = b""
    while more := child.stdout.read1(1 << 16):
        answer += more
        if is_stream and b"\r\n\r\n" in answer:
            break
    child.kill()
    child.wait()
    return split(answer)


def curl(method, path, body, headers):
    fields = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    command = ["curl", "-sSN", "-i", "--max-time", "60", "--cacert", certificate, "-X", method, *fields]
    if body:
        Path(given["folder"], "body").write_text(body)
        command += ["--data-binary", f"@{given['folder']}/body"]
    return answer_of([*command, f"https://{host}:{port}{path}"], b"", path == "/v1/events")


def openssl(method, path, body, headers):
    data = (body or "").encode()
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{fields}"
        f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n")
    command = [
        "openssl", "s_client", "-quiet", "-no_ign_eof", "-verify_return_error", "-CAfile", certificate,
        "-verify_ip", host, "-connect", f"{host}:{port}"]
    return answer_of(command, head.encode() + data, path == "/v1/events")


def request(token, method, path, body=None, kind="text/plain", client=python):
    """The status, and the response's JSON object where it has one."""
    headers = {"Content-Type": kind} if body else {}
    if token:
        headers["Authorization"] = "Bearer " + token
    status, content = client(method, path, body, headers)
    return status, json.loads(content) if content[:1] == b"{" else {}


columns = ["nobody", "read", "print:receipt", "print", "drawer", "raw", "admin"]
# The columns drawer and raw are tokens that print to the role receipt besides. A number is an HTTP status.
table = {
    # The role receipt is the token's own in three columns, the role kitchen is not.
    ("POST", "/v1/jobs?role=receipt", "text"): [401, 403, 202, 202, 202, 202, 202],
    ("POST", "/v1/jobs?role=kitchen", "receipt"): [401, 403, 403, 202, 403, 403, 202],
    ("POST", "/v1/jobs?printer=till-1", "receipt"): [401, 403, 403, 202, 403, 403, 202],
    ("POST", "/v1/jobs?role=receipt", "drawer"): [401, 403, 403, 403, 202, 202, 202],
    ("POST", "/v1/jobs?role=receipt&drawer=true", "receipt"): [401, 403, 403, 403, 202, 202, 202],
    ("POST", "/v1/jobs?role=receipt", "raw"): [401, 403, 403, 403, 403, 202, 202],
    ("POST", "/v1/jobs?role=receipt", "command"): [401, 403, 403, 403, 403, 202, 202],
    ("POST", "/v1/preview", "receipt"): [401, 200, 200, 200, 200, 200, 200],
    ("GET", "/v1/jobs", None): [401, 200, 200, 200, 200, 200, 200],
    ("GET", "/v1/events", None): [401, 200, 200, 200, 200, 200, 200],
    ("GET", "/v1/health", None): [401, 200, 403, 403, 403, 403, 200],
    # The kiosk belongs to no fleet.
    ("GET", "/v1/fleet", None): [401, 404, 403, 403, 403, 403, 404],
    ("GET", "/metrics", None): [401, 200, 403, 403, 403, 403, 200],
    ("GET", "/v1/printers", None): [401, 200, 403, 403, 403, 403, 200],
    ("GET", "/v1/printers/till-1", None): [401, 200, 403, 403, 403, 403, 200],
    ("POST", "/v1/printers/till-1/contact", None): [401, 200, 403, 403, 403, 403, 200],
    ("GET", "/v1/roles", None): [401, 200, 403, 403, 403, 403, 200],
    ("GET", "/v1/profiles", None): [401, 200, 403, 403, 403, 403, 200],
    ("POST", "/v1/printers/till-1/identify", None): [401, 403, 403, 403, 403, 403, 422],
    ("PUT", "/v1/roles/spare", "role"): [401, 403, 403, 403, 403, 403, 201],
    ("DELETE", "/v1/roles/spare", None): [401, 403, 403, 403, 403, 403, 204],
    ("PUT", "/v1/printers/till-9", "printer"): [401, 403, 403, 403, 403, 403, 201],
    ("DELETE", "/v1/printers/till-9", None): [401, 403, 403, 403, 403, 403, 204],
    ("POST", "/v1/registry/reload", None): [401, 403, 403, 403, 403, 403, 204],
    ("GET", "/v1/tokens", None): [401, 403, 403, 403, 403, 403, 200],
    # Only for callers on the Unix socket, whom the kernel names.
    ("POST", "/v1/login-codes", None): [401] + [403] * 6,
    ("GET", "/v1/audit", None): [401, 403, 403, 403, 403, 403, 200],
    ("GET", "/v1/export", None): [401, 403, 403, 403, 403, 403, 200],
    ("POST", "/v1/export", "passphrase"): [401] + [403] * 6,
    ("POST", "/v1/import", "no export"): [401, 403, 403, 403, 403, 403, 422],
    ("GET", "/v1/openapi.json", None): [200] * 7,
    ("GET", "/kiosk.js", None): [200] * 7,
    # What there is is told to those who have shown something.
    ("GET", "/v1/nothing", None): [401, 404, 404, 404, 404, 404, 404],
}
bodies = {
    None: (None, None),
    "text": ("plain\n", "text/receiptline"),
    "receipt": ("Coffee | 2.50\n=", "text/receiptline"),
    "drawer": ("{drawer: 1}\n", "text/receiptline"),
    "command": ('{command: \\x1bp0}\n', "text/receiptline"),
    "raw": ("\x1bp0\x20\x20", "application/vnd.escpos"),
    "role": ('{"printers": ["till-1"]}', "application/json"),
    "passphrase": ('{"passphrase": "correct horse battery"}', "application/json"),
    "no export": ('{"export": "nothing"}', "application/json"),
    "printer": ('{"url": "socket://127.0.0.1:9"}', "application/json"),
}

wrong = []
for client in (python, curl, openssl):
    for (method, path, body), expected in table.items():
        for column, status in zip(columns, expected):
            seen, answer = request(given.get(column), method, path, *bodies[body], client=client)
            if seen != status:
                wrong.append(
                    f"{client.__name__}: {method} {path} {body or ''} as {column}: {seen}, not {status}: {answer.get('detail')}")
    assert not wrong, "\n".join(wrong)
    print("passed table by", client.__name__, flush=True)

# The table that people read: its rows are these, and each cell holds.


def documented():
    """The cells of docs/security.md by row and column."""
    lines = (Path(__file__).resolve().parents[2] / "docs/security.md").read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| | `print:ROLE`"))
    split = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    names = [name.strip("`") for name in split(lines[start])[1:]]
    rows = {}
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        row, *cells = split(line)
        rows[row] = dict(zip(names, cells))
    return rows


def allows(token, *calls):
    """Whether a token may do these, all or none of them."""
    seen = {request(token, method, path, *bodies[body])[0] for method, path, body in calls}
    assert 401 not in seen and (seen == {403} or 403 not in seen), (calls, seen)
    assert all(status < 500 or status in (503, 507) for status in seen), (calls, seen)
    return seen != {403}


def submit(token):
    status, job = request(token, "POST", "/v1/jobs?role=receipt&name=mine", *bodies["text"])
    assert status == 202, (status, job)
    return f"/v1/jobs/{job['id']}"


def shows_all(token, path):
    status, job = request(token, "GET", path)
    return status == 200 and not job.get("withheld") and job["name"] == "mine"


def acts_on(token, path):
    return allows(token, ("DELETE", path, None), ("POST", path + "/reprint", None))


def prints_as_another(token):
    """Whether the name that a request brings is taken; that of who may not is the caller's own, or nobody's."""
    status, job = request(token, "POST", "/v1/jobs?role=receipt&user=ann", *bodies["text"])
    return status == 202 and job["user"] == "ann"


def both(first, second):
    assert first == second, (first, second)
    return first


others = submit(given["print"])
administered = submit(given["admin"])
other_than = lambda token: administered if token == given["print"] else others
rights = {
    "print text, receipts, PDFs, pictures to a role": lambda token: allows(token, ("POST", "/v1/jobs?role=receipt", "text")),
    "print to a printer by its name": lambda token: allows(token, ("POST", "/v1/jobs?printer=till-1", "text")),
    "preview receipts and documents": lambda token: allows(token, ("POST", "/v1/preview", "receipt")),
    "send raw documents, put raw commands into a receipt; with a scope to print": lambda token: allows(
        token, ("POST", "/v1/jobs?role=receipt", "raw"), ("POST", "/v1/jobs?role=receipt", "command")),
    "open a drawer, or sound a buzzer, with a receipt; with a scope to print": lambda token: allows(
        token, ("POST", "/v1/jobs?role=receipt", "drawer"), ("POST", "/v1/jobs?role=receipt&drawer=true", "receipt")),
    "see printers, roles, profiles, health, the kiosk's part in a fleet and metrics; have a printer contacted": lambda token: allows(
        token, ("GET", "/v1/printers", None), ("GET", "/v1/printers/till-1", None), ("GET", "/v1/roles", None),
        ("GET", "/v1/profiles", None), ("GET", "/v1/health", None), ("GET", "/v1/fleet", None),
        ("GET", "/metrics", None), ("POST", "/v1/printers/till-1/contact", None)),
    "see a job's number, role, printer, state and times, also in events; wait for its end": lambda token: allows(
        token, ("GET", "/v1/jobs", None), ("GET", other_than(token), None), ("GET", other_than(token) + "?wait=1", None),
        ("GET", "/v1/events", None)),
    "see the rest of the jobs that this token sent": lambda token: shows_all(token, submit(token)),
    "see the rest of others' jobs": lambda token: shows_all(token, other_than(token)),
    "cancel, release or reprint the jobs that this token sent": lambda token: acts_on(
        token, submit(token) if token in printing else others),
    "cancel, release or reprint others' jobs": lambda token: acts_on(token, other_than(token)),
    "have a printer show which one it is, print in another user's name": lambda token: both(
        allows(token, ("POST", "/v1/printers/till-1/identify", None)), prints_as_another(token)),
    "save and remove printers and roles, trust, trace, reload; tokens; the audit; export without secrets, import": lambda token: allows(
        token, ("PUT", "/v1/printers/till-9", "printer"), ("PUT", "/v1/roles/spare", "role"),
        ("DELETE", "/v1/roles/spare", None), ("GET", "/v1/printers/till-9/trace?for=1", None),
        ("POST", "/v1/printers/till-9/trust", "key"), ("DELETE", "/v1/printers/till-9", None),
        ("POST", "/v1/registry/reload", None), ("GET", "/v1/tokens", None), ("GET", "/v1/audit", None),
        ("GET", "/v1/export", None), ("POST", "/v1/import", "no export")),
    "export secrets; import the certificate's key and logins by an SSH agent": lambda token: allows(
        token, ("POST", "/v1/export", "passphrase")),
}
bodies["key"] = ('{"key-fingerprint": "sha256:' + 64 * "0" + '"}', "application/json")
tokens = {"print:ROLE": given["print:receipt"], **{name: given[name] for name in ("print", "read", "admin")}}
printing = [given[name] for name in ("print:receipt", "print", "admin")]
rows = documented()
assert rows.keys() == rights.keys(), rows.keys() ^ rights.keys()
for row, may in rights.items():
    for column, cell in rows[row].items():
        with_printing = row.endswith("with a scope to print")
        token = tokens.get(column) or given[column if with_printing else f"{column} alone"]
        if cell == "":
            continue
        elif cell == "to this one":
            assert may(token) and not allows(token, ("POST", "/v1/jobs?role=kitchen", "text")), (row, column)
        else:
            # Without --shared-queue, what needs it is not allowed.
            assert cell == "yes" or cell.startswith("no") or cell.startswith("with `--shared-queue`"), cell
            assert may(token) == (cell == "yes"), f"{row} as {column}: not {cell}"
print("passed documented table", flush=True)

# Jobs belong to the token that sent them.
_, job = request(given["print:receipt"], "POST", "/v1/jobs?role=receipt&name=mine", *bodies["text"])
path = f"/v1/jobs/{job['id']}"
assert request(given["print:receipt"], "GET", path)[1]["name"] == "mine"
for other in ("print", "drawer"):
    status, seen = request(given[other], "GET", path)
    assert status == 200 and seen["withheld"] and seen["name"] == "", (other, status, seen)
    assert request(given[other], "DELETE", path)[0] == 403
    assert request(given[other], "POST", path + "/reprint")[0] == 403
assert request(given["read"], "GET", path)[1]["withheld"]
assert request(given["read"], "DELETE", path)[0] == 403
assert request(given["admin"], "GET", path)[1]["name"] == "mine"
print("passed owners", flush=True)

admin = given["admin"]
for token in ("kiosk_", admin[:-1], admin + "x", admin[:-1] + "~", "kiosk_" + "A" * 49, "\u00e4"):
    assert request(token, "GET", "/v1/health")[0] == 401, token
print("passed wrong tokens", flush=True)
