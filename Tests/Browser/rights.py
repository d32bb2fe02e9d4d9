"""The rights of access tokens, cell by cell, as a program on another machine finds them: a client of twenty lines over
TLS, whose certificate it knows.

Settings: `host`, `port`, `certificate` (a file), and a token for each column but the first.
"""

import http.client
import json
import ssl
import sys

given = json.loads(sys.stdin.readline())


def request(token, method, path, body=None, kind="text/plain"):
    """The status, and the problem's code where there is one."""
    trust = ssl.create_default_context(cafile=given["certificate"])
    connection = http.client.HTTPSConnection(given["host"], int(given["port"]), context=trust, timeout=60)
    headers = {"Content-Type": kind} if body else {}
    if token:
        headers["Authorization"] = "Bearer " + token
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    content = b"" if response.getheader("Content-Type") == "text/event-stream" else response.read()
    connection.close()
    answer = json.loads(content) if content[:1] == b"{" else {}
    return response.status, answer


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
    ("GET", "/v1/audit", None): [401, 403, 403, 403, 403, 403, 200],
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
    "printer": ('{"url": "socket://127.0.0.1:9"}', "application/json"),
}

wrong = []
for (method, path, body), expected in table.items():
    for column, status in zip(columns, expected):
        seen, answer = request(given.get(column), method, path, *bodies[body])
        if seen != status:
            wrong.append(f"{method} {path} {body or ''} as {column}: {seen}, not {status}: {answer.get('detail')}")
assert not wrong, "\n".join(wrong)
print("passed table", flush=True)

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
