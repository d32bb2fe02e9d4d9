"""Makes the same receipt with python-escpos again and again, and prints how many nanoseconds each took."""

import sys
import time

from escpos.printer import Dummy
from PIL import Image

ITEMS = [("Flat white", 2, "6.40"), ("Espresso", 1, "2.10"), ("Croissant", 3, "5.70"), ("Orange juice", 1, "3.90"), ("Bagel", 2, "7.00")]


def receipt(printer, logo):
    """A logo, and twenty lines: the peer of the markup that `run` writes."""
    printer.hw("INIT")
    printer.image(logo, center=True, impl="bitImageRaster")
    printer.set(align="center", bold=True, double_width=True, double_height=True)
    printer.textln("Corner Café")
    printer.set(align="center", bold=False, normal_textsize=True)
    printer.textln("1 Harbour Street")
    printer.textln("Till 2")
    printer.textln("-" * 48)
    printer.set(align="left")
    for _ in range(2):
        for name, count, price in ITEMS:
            printer.textln(f"{name:<34}{count:>4}{price + ' €':>10}")
    printer.textln("-" * 48)
    printer.set(bold=True)
    printer.textln(f"{'TOTAL':<34}{'50.20 €':>14}")
    printer.set(bold=False)
    printer.textln(f"{'Card':<34}{'50.20 €':>14}")
    printer.textln(f"{'VAT 20 %':<34}{'8.37 €':>14}")
    printer.set(align="center")
    printer.textln("Thank you")
    printer.textln("cafe.example")
    printer.cut()


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    logo = Image.open(path)
    logo.load()
    printer = Dummy(profile="TM-T88V")
    warm = time.perf_counter() + 0.3  # Caches, memory, and the processor's speed.
    while time.perf_counter() < warm:
        printer.clear()
        receipt(printer, logo)
    for _ in range(count):
        printer.clear()
        begun = time.perf_counter_ns()
        receipt(printer, logo)
        output = printer.output
        print(time.perf_counter_ns() - begun)
    print(f"python-escpos: {len(output)} bytes", file=sys.stderr)


main()
