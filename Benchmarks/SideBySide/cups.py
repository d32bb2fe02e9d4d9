"""A private CUPS on loopback: its own folders, port and configuration; nothing of the system's is touched."""

import os
import subprocess

from . import processes

CUPSD = """Listen 127.0.0.1:{port}
Browsing Off
DefaultAuthType None
WebInterface No
LogLevel warn
MaxJobs 0
PreserveJobHistory Yes
{more}
<Location />
  Order allow,deny
  Allow all
</Location>
<Policy default>
  JobPrivateAccess all
  JobPrivateValues none
  SubscriptionPrivateAccess all
  SubscriptionPrivateValues none
  <Limit All>
    Order deny,allow
  </Limit>
</Policy>
"""

FILES = """ServerRoot {folder}/etc
RequestRoot {folder}/spool
CacheDir {folder}/cache
StateDir {folder}/state
TempDir {folder}/spool/tmp
AccessLog {folder}/log/access_log
ErrorLog {folder}/log/error_log
PageLog {folder}/log/page_log
FileDevice Yes
SystemGroup root lpadmin
{more}
"""

DURABLE = "DirtyCleanInterval 0", "SyncOnClose Yes"


class PrivateCUPS:
    """`device`: where its queue `receipt` prints to; None makes no queue. `settings`: more lines for cupsd.conf."""

    queue = "receipt"

    def __init__(self, folder, device, durable=False, settings=()):
        for name in ("etc/ppd", "spool/tmp", "cache", "state", "log"):
            os.makedirs(f"{folder}/{name}")
        os.chmod(folder, 0o755)
        more, more_files = DURABLE if durable else ("", "")
        self.folder = folder
        self.port = processes.free_port()
        for name, text in (("cupsd.conf", CUPSD), ("cups-files.conf", FILES)):
            with open(f"{folder}/etc/{name}", "w") as file:
                lines = "\n".join((more, *settings)) if text is CUPSD else more_files
                file.write(text.format(port=self.port, folder=folder, more=lines))
        self.start()
        self.environment = {**os.environ, "CUPS_SERVER": f"127.0.0.1:{self.port}"}
        if device:
            self.add(self.queue, device)

    def add(self, queue, device, *options):
        self.run("lpadmin", "-p", queue, "-E", "-v", device, "-m", "raw", *options)
        processes.wait_until(lambda: "enabled" in self.run("lpstat", "-p", queue), "the queue of CUPS")

    def launch(self):
        self.child = processes.start(
            ["cupsd", "-f", "-c", f"{self.folder}/etc/cupsd.conf", "-s", f"{self.folder}/etc/cups-files.conf"],
            f"{self.folder}/log/cupsd.out",
        )

    def start(self):
        self.launch()
        processes.wait_until(lambda: processes.accepts_connections(self.port), "cupsd", self.child)

    @property
    def pid(self):
        return self.child.pid

    @property
    def uri(self):
        return self.uri_of(self.queue)

    def uri_of(self, queue):
        return f"ipp://127.0.0.1:{self.port}/printers/{queue}"

    def run(self, *command):
        return subprocess.run(
            command, env=self.environment, stdin=subprocess.DEVNULL, check=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ).stdout

    def print_command(self, path):
        """What a till runs to print a receipt, and the environment to run it in."""
        return ["lp", "-d", self.queue, "-o", "raw", path], self.environment
