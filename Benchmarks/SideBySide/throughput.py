"""Receipts per second to one printer and to ten, with printers that cost nothing."""

import os

from .candidates import FORMAT, RAW
from .cups import PrivateCUPS
from .daemon import KioskDaemon
from .null_printer import NullPrinters
from .processes import Client, stop

PRINTERS = 10
SECOND = 1e9


class Shop:
    """A till with a kept connection for each of ten printers."""

    child = None

    def __init__(self, name, printers, clients, receipts):
        self.name, self.printers, self.clients, self.receipts = name, printers, clients, receipts

    def rate(self, counter, tills):
        """Receipts per second from the first request to the last receipt's last byte, each till printing to its printer."""
        self.printers.forget()
        orders = [f"many {counter.take(self.receipts)} {self.receipts}" for _ in range(tills)]
        for client, order in zip(self.clients, orders):
            client.ask(order)
        begun = min(client.reply(order)[0] for client, order in zip(self.clients, orders))
        count = tills * self.receipts
        return count / ((self.printers.last_of(count) - begun) / SECOND)

    def close(self):
        for client in self.clients:
            client.close()
        if self.child:
            stop(self.child)
        self.printers.close()


QUEUES = [f"till-{number}" for number in range(PRINTERS)]


def kiosk_shop(options, folder, tools):
    printers = NullPrinters(tools, PRINTERS)
    os.makedirs(f"{folder}/throughput-kioskd")
    daemon = KioskDaemon(
        f"{folder}/throughput-kioskd", None, options.binaries, printers=dict(zip(QUEUES, printers.uris)))
    shop = Shop("kioskd", printers, [
        Client([tools.kiosk_client, daemon.socket, f"/v1/jobs?printer={queue}", FORMAT, options.receipt])
        for queue in QUEUES], options.burst)
    shop.child = daemon.child
    return shop


def shops(options, folder, tools):
    printers = NullPrinters(tools, PRINTERS)
    yield Shop("direct", printers, [Client([tools.ipp_client, uri, FORMAT, options.receipt]) for uri in printers.uris],
               options.burst)
    if options.candidate != "kioskd":
        printers = NullPrinters(tools, PRINTERS)
        cups = PrivateCUPS(f"{folder}/throughput-cups", printers.uris[0])
        for queue, uri in zip(QUEUES, printers.uris):
            cups.add(queue, uri)
        shop = Shop("cups", printers, [Client([tools.ipp_client, cups.uri_of(queue), RAW, options.receipt])
                                       for queue in QUEUES], max(5, options.burst // 30))
        shop.child = cups.child
        yield shop
    if options.candidate != "cups":
        yield kiosk_shop(options, folder, tools)


def measure(options, folder, tools, counter, note):
    results = {"one": {}, "ten": {}}
    found = list(shops(options, folder, tools))
    for turn in range(options.rounds + 1):
        note(f"throughput, round {turn} of {options.rounds}")
        for name, tills in (("one", 1), ("ten", PRINTERS)):
            for shop in found:
                rate = shop.rate(counter, tills)
                if turn:  # Round 0 warms up.
                    results[name].setdefault(shop.name, []).append(rate)
    for shop in found:
        shop.close()
    return results
