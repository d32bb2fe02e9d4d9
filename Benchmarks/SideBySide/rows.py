"""What is measured as lines of the table, with the design's budgets."""

from .accepting import CLIENTS, WAITING
from .documents import CASES
from .measures import LONG_PRINT
from .neighbours import DEAD
from .recovery import QUEUED
from .report import Row, median, summary

OURS = "kioskd"
BESIDE_CUPS, BESIDE_DIRECT = (OURS, "cups", "CUPS"), (OURS, "direct", "direct")


def of(results, row):
    return {name: summary(values) for name, values in results.get(row, {}).items()}


def receipts(results):
    # A CUPS helper's share of the CPU is counted in ticks, so that only the sum over all rounds is exact.
    cpu = {name: sum(values) / len(values) for name, values in results.get("cpu", {}).items()}
    return [
        Row("command start → last byte at the printer (`lp`, `kioskctl print`)", "ms", of(results, "command"),
            "at most half of `lp`", BESIDE_CUPS, 0.5),
        Row("kept-alive client → last byte at the printer", "ms", of(results, "kept"),
            "at most 1.5 × the direct client, fsynced", BESIDE_DIRECT, 1.5),
        Row("receipts per second to one printer, in order", "/s", of(results, "rate"),
            "at least 80 % of the direct client", BESIDE_DIRECT, 0.8, lower_is_better=False),
        Row("printed → known to be completed", "ms", of(results, "knowing"), "under 50 ms", bound=50),
        Row(f"the same for a receipt that prints for {LONG_PRINT / 1000:.0f} s", "ms", of(results, "knowing-long"),
            "polite back-off"),
        Row("CPU per receipt, all processes of the spooler", "ms", cpu, "at most 0.6 ms", bound=0.6),
        Row("private memory, idle, after one receipt", "MB", of(results, "memory"), "no more than cupsd", BESIDE_CUPS, 1),
        Row("the same after all these receipts", "MB", of(results, "memory-after"), "no more than cupsd", BESIDE_CUPS, 1),
    ]


def accepting(results):
    def beside_disk(row):
        return {**of(results, row), "disk": median(results["disk"])}

    disk = (OURS, "disk", "the disk's fsyncs")
    return [
        Row("durable accepts per second, one client", "/s", beside_disk("one"), "at least 1,500", disk, 1500,
            lower_is_better=False, is_absolute=True),
        Row(f"durable accepts per second, {CLIENTS} clients", "/s", beside_disk("many"), "at least 5,000", disk, 5000,
            lower_is_better=False, is_absolute=True),
        Row("for comparison: 2 KB appended and fsynced, per second", "/s", {"direct": summary(results["disk"])}, ""),
    ]


def waiting(results):
    rows = []
    for clients, words in (("one", "one client"), ("many", f"{CLIENTS} clients")):
        full, new, again = (results[f"{clients}-{name}"].get(OURS, []) for name in ("full", "new", "again"))
        rows.append(Row(
            f"accepts per second with {WAITING:,} receipts waiting, {words}", "/s",
            {**of(results, f"{clients}-full"), "new": median([(a + b) / 2 for a, b in zip(new, again)])},
            "at least 90 % of a new daemon's", (OURS, "new", "new"), 0.9, lower_is_better=False,
            noise=median([abs(a / b - 1) / 2 for a, b in zip(new, again)])))
    start = of(results, "start-full")
    rows.append(Row(f"`kill -9` with {WAITING:,} waiting: start → first receipt accepted", "s", start, "within 1 s", bound=1))
    rows.append(Row("the same with none waiting", "s", of(results, "start-new"), ""))
    return rows


def throughput(results):
    return [
        Row("receipts per second to one printer that costs nothing", "/s", of(results, "one"), "", BESIDE_CUPS),
        Row("the same to ten such printers at once, all of them together", "/s", of(results, "ten"), "", BESIDE_CUPS),
    ]


def neighbours(results):
    rows = []
    for what, share in (("accept → first byte", 0.5), ("the same, p99", 0.99)):
        found = {name: percentile(values, share) for name, values in results.items()}
        for name, words in (("dead", f"{DEAD} dead printers beside the living one"), ("alone", "none dead")):
            figures = {spooler: found.get(f"{spooler}-{name}") for spooler in ("cups", OURS)}
            if name == "alone":
                rows.append(Row(f"{what}: {words}", "ms", figures, ""))
                continue
            rows.append(Row(
                f"{what}: {words}", "ms", {**figures, "alone": found.get(f"{OURS}-alone")}, "they cost nothing (at most 1.1)",
                (OURS, "alone", "none dead"), 1.1, noise=apart([found.get(f"{OURS}-alone")], [found.get(f"{OURS}-again")])))
    return rows


def ssh(results):
    return [
        Row("through a Unix host: → last byte at its `lpr`, warm (direct: `ssh` over a ControlMaster)", "ms",
            of(results, "ssh-warm"), "no slower", BESIDE_DIRECT, 1),
        Row("the same, on a new connection (direct: `ssh host lpr`)", "ms", of(results, "ssh-cold"), "at most half",
            BESIDE_DIRECT, 0.5),
    ]


def raw(results):
    return [
        Row("raw TCP: kept-alive client → last byte at the printer (direct: `nc`)", "ms", of(results, "raw"),
            "at most 1.5 × `nc`", BESIDE_DIRECT, 1.5),
        Row("the same, beside CUPS's `socket`", "ms", of(results, "raw"), "at most a third", BESIDE_CUPS, 0.34),
        Row("raw TCP: printed → known to be completed", "ms", of(results, "raw-known"), "under 50 ms", bound=50),
    ]


def documents(results):
    budgets = {(10, 300): (6, 2.5), (100, 300): (10, 2.5), (10, 600): (None, 1.5)}
    rows = []
    for title, _, pages, dpi in CASES:
        sooner, faster = budgets[pages, dpi]
        rows += [
            Row(f"{title} grey, drawn alone (`cupsfilter`, `kiosk-render`) → first 4 KB", "ms",
                of(results, f"{title}: alone, first"), f"at most 1/{sooner}" if sooner else "", BESIDE_CUPS,
                1 / sooner if sooner else None),
            Row("the same → all of it", "ms", of(results, f"{title}: alone, all"), f"at most 1/{faster}", BESIDE_CUPS,
                1 / faster),
            Row("the same by `lp`, `kioskctl print` → first 4 KB at the printer", "ms", of(results, f"{title}: whole, first"),
                "", BESIDE_CUPS),
            Row("the same → all of it at the printer", "ms", of(results, f"{title}: whole, all"), "", BESIDE_CUPS),
        ]
    return rows + [
        Row("cancelled while it is drawn → its process is gone", "ms", of(results, "cancel"), "within 50 ms", bound=50),
        Row("memory of the process that draws 1,000 pages", "MB", of(results, "memory-long: helper"), "at most 64", bound=64),
        Row("`kioskd` grows with a PDF of 200 MB by", "MB", of(results, "memory-big: growth"), "at most 8", bound=8),
        Row("`kioskd` grows with a PDF of 1,000 pages by", "MB", of(results, "memory-long: growth"), "at most 8", bound=8),
    ]


def recovery(results):
    return [
        Row("printer comes back → the waiting receipt arrives", "s", of(results, "comes-back"), "under 1 s", bound=1),
        Row(f"`kill -9` with {QUEUED} acknowledged: receipts lost", "", results["lost"], "0", bound=0),
        Row("the same: receipts doubled", "", results["doubled"], "0", bound=0),
    ]


def endurance(points):
    """Growth from a tenth of the way on: before it, caches fill."""
    (_, _, early, *_), (printed, seconds, late, *_) = points[1], points[-1]
    return [Row(
        f"resident memory after {printed:,} receipts in {seconds:.0f} s", "MB", {OURS: late, "early": early},
        "flat: at most 1.1", (OURS, "early", f"after {points[1][0]:,}"), 1.1)]


def percentile(values, share):
    return sorted(values)[int(len(values) * share)] if values else None


def apart(values, others):
    """How far the medians of two measurements of the same are apart, as a share."""
    if not values or not others or None in (*values, *others):
        return None
    return abs(median(others) / median(values) - 1)
