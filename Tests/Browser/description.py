"""Tries the API by its own description, with schemathesis: requests that keep to it and requests that do not.

Settings: `kiosk` (the daemon's URL), `token` (none: as nobody) and `examples` (the most of one operation).
"""

import os
import subprocess
import sys
import tempfile

from browser import ROOT, settings

given = settings()
arguments = [
    "run", given["kiosk"] + "/v1/openapi.json", "--seed", "21", "--max-examples", str(given["examples"]),
    "--phases", "examples,coverage,fuzzing,stateful", "--continue-on-failure", "--no-color", "--request-timeout", "30",
    # They answer for as long as one listens.
    "--exclude-operation-id", "streamEvents", "--exclude-operation-id", "tracePrinter",
    "--exclude-operation-id", "streamDiscovery",
]
if given.get("token"):
    arguments += ["--header", "Authorization: Bearer " + given["token"]]
else:
    # Whoever shows nothing is not told which methods there are.
    arguments += ["--exclude-checks", "unsupported_method"]
if given.get("certificate"):
    arguments += ["--tls-verify", given["certificate"]]

# Its own files go into the folder where it runs.
os.chdir(tempfile.mkdtemp(prefix="schemathesis"))
program = "from schemathesis.cli import schemathesis; schemathesis()"
configuration = ["--config-file", str(ROOT / "Tests/Browser/schemathesis.toml")]
outcome = subprocess.run(
    [sys.executable, "-c", program, *configuration, *arguments],
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
assert outcome.returncode == 0, outcome.stdout
print("passed description", flush=True)
