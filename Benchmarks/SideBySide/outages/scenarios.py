"""The outages: what happens to a printer, or to the spooler, while receipts are printed."""

import socket
import time

AWAY = 20  # Seconds that most outages last.


class Outage:
    """`happen` does it and returns when the trouble was over; `spooler.submit` takes a receipt's number."""

    def __init__(self, what, happen, receipts=3, printers=1, starts_on=True, expiry=None):
        self.what, self.happen, self.receipts, self.printers = what, happen, receipts, printers
        self.starts_on, self.expiry = starts_on, expiry


def send(spooler, labels):
    for label in labels:
        spooler.submit(label)


def with_orders(before, after, seconds=AWAY):
    """Receipts are sent between two things that happen to the printer."""

    def happen(spooler, printers, labels):
        printers[0].order(before)
        time.sleep(0.5)
        send(spooler, labels)
        time.sleep(seconds)
        printers[0].order(after)
        return time.monotonic()

    return happen


def frozen(spooler, printers, labels):
    printers[0].freeze()
    send(spooler, labels)
    time.sleep(40)
    printers[0].thaw()
    return time.monotonic()


def unplugged(spooler, printers, labels):
    send(spooler, labels)
    time.sleep(AWAY)
    printers[0].plug_in()
    return time.monotonic()


def amid_printing(trouble, mended):
    """The printer takes a second for each receipt; the trouble meets the first one."""

    def happen(spooler, printers, labels):
        printers[0].order("slow 500")
        send(spooler, labels)
        printers[0].wait_for_document()
        time.sleep(0.4)
        printers[0].order(trouble)
        time.sleep(AWAY / 2)
        printers[0].order(mended)
        return time.monotonic()

    return happen


def broken_off(fault):
    """The first document meets the fault, and nothing has to be mended."""

    def happen(spooler, printers, labels):
        printers[0].order(fault)
        time.sleep(0.5)
        send(spooler, labels)
        return time.monotonic()

    return happen


def power_lost_while_sending(spooler, printers, labels):
    printers[0].order("die after 1000")
    time.sleep(0.5)
    send(spooler, labels)
    time.sleep(AWAY / 2)
    printers[0].order("return")
    return time.monotonic()


def killed_waiting(spooler, printers, labels):
    printers[0].order("vanish")
    time.sleep(0.5)
    send(spooler, labels)
    spooler.kill()
    printers[0].order("return")
    time.sleep(1)
    spooler.start()
    return time.monotonic()


def killed_printing(spooler, printers, labels):
    printers[0].order("slow 500")
    send(spooler, labels)
    printers[0].wait_for_document()
    time.sleep(0.4)
    spooler.kill()
    time.sleep(2)
    spooler.start()
    return time.monotonic()


def held_by_another(spooler, printers, labels):
    """Another till holds the only connection that the printer has, and says nothing."""
    with socket.create_connection(("127.0.0.1", printers[0].port)) as till:
        printers[0].wait_for_client(till)
        send(spooler, labels)
        time.sleep(AWAY)
    return time.monotonic()


def first_refuses(spooler, printers, labels):
    printers[0].order("vanish")
    time.sleep(0.5)
    send(spooler, labels)
    return time.monotonic()


def first_hangs(spooler, printers, labels):
    printers[0].freeze()
    send(spooler, labels)
    return time.monotonic()


# The same over IPP and raw TCP: before and after what only one of them knows.
_FIRST = (
    Outage("off for 20 s, connections are refused", with_orders("vanish", "return")),
    Outage("its cable is pulled for 20 s", unplugged, starts_on=False),
    Outage("hangs for 40 s: accepts connections, sends no response", frozen),
    Outage("out of paper for 20 s", with_orders("paper out", "paper in")),
    Outage("its cover is opened while it prints, for 10 s", amid_printing("cover open", "cover close")),
)
_LAST = (
    Outage("loses power in the middle of taking a receipt, for 10 s", power_lost_while_sending),
    Outage("loses power in the middle of printing one, for 10 s", amid_printing("die now", "return")),
    Outage("back when its receipts are worth nothing any more (10 s)", with_orders("vanish", "return"), expiry=10),
    Outage("the first of two is off", first_refuses, printers=2),
    Outage("the first of two hangs", first_hangs, printers=2),
    Outage("the spooler is killed with 10 accepted (`kill -9`)", killed_waiting, receipts=10),
    Outage("the spooler is killed while a receipt prints", killed_printing),
)

OVER_IPP = (
    *_FIRST,
    Outage("accepts no jobs for 20 s", with_orders("refuse", "accept")),
    Outage("prints a receipt, and the connection breaks before the response", broken_off("lose job 1")),
    *_LAST,
)

OVER_RAW_TCP = (
    *_FIRST,
    Outage("another till holds its one connection for 20 s", held_by_another),
    Outage("the connection is reset in the middle of a receipt", broken_off("reset after 1000")),
    Outage("prints a receipt, and the connection breaks before the confirmation", broken_off("lose confirmation")),
    *_LAST,
)
