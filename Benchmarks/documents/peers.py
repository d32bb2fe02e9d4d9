"""Pages as poppler and MuPDF draw them, and how much two pictures differ."""

import os
import subprocess

import numpy


class Failed(Exception):
    """The program draws no page, or takes too long."""


def run(arguments, timeout=120):
    try:
        result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"took more than {timeout} s") from error
    if not result.stdout:
        reason = result.stderr.decode(errors="replace").strip().splitlines()
        raise Failed(reason[-1][:100] if reason else f"exit status {result.returncode}")
    return result.stdout


def poppler(path, page, dpi, color=False):
    """Bytes of grey or of colours."""
    numbers = ["-r", str(dpi), "-f", str(page + 1), "-l", str(page + 1)]
    return pixels(run(["pdftoppm", "-q", "-cropbox", *numbers, *([] if color else ["-gray"]), path]))


def poppler_dots(path, page, dpi):
    """Bits as `pdftoppm -mono` chooses them."""
    return pixels(run(["pdftoppm", "-q", "-cropbox", "-mono", "-r", str(dpi), "-f", str(page + 1), "-l", str(page + 1), path]))


def mupdf(path, page, dpi, color=False):
    """Bytes of grey or of colours."""
    kind = ["-F", "ppm" if color else "pgm", "-c", "rgb" if color else "gray"]
    return pixels(run(["mutool", "draw", "-q", "-r", str(dpi), *kind, "-o", "-", path, str(page + 1)]))


def mupdf_dots(path, page, dpi):
    """Bits as `mutool draw -c mono` chooses them."""
    return pixels(run(["mutool", "draw", "-q", "-r", str(dpi), "-F", "pbm", "-c", "mono", "-o", "-", path, str(page + 1)]))


def pixels(file):
    """A picture in one of netpbm's binary formats."""
    words, position = [], 0
    while len(words) < (3 if file[:2] == b"P4" else 4):
        end = position
        while not file[end : end + 1].isspace():
            end += 1
        if file[position : position + 1] == b"#":
            end = file.index(b"\n", position)
        elif end > position:
            words.append(file[position:end])
        position = end + 1
    width, height = int(words[1]), int(words[2])
    rows = numpy.frombuffer(file, numpy.uint8, offset=position)
    if words[0] == b"P4":
        return numpy.unpackbits(rows.reshape(height, -1), axis=1)[:, :width].astype(bool)
    return rows.reshape(height, width, 3) if words[0] == b"P6" else rows.reshape(height, width)


def save(path, picture):
    """Writes a picture in netpbm's format; bits that are true are black."""
    if picture.dtype == bool:
        picture = numpy.where(picture, 0, 255).astype(numpy.uint8)
    kind = b"P6" if picture.ndim == 3 else b"P5"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(kind + b"\n%d %d\n255\n" % (picture.shape[1], picture.shape[0]) + picture.tobytes())


def blurred(picture):
    """Each pixel as the weighted mean of 5 × 5, of 1 4 6 4 1 in both directions: a Gaussian of one dot."""
    picture = picture.astype(numpy.float32)
    for axis in (0, 1):
        padding = [(2, 2) if axis == other else (0, 0) for other in range(picture.ndim)]
        padded = numpy.pad(picture, padding, mode="edge")
        size = picture.shape[axis]
        picture = sum(weight * padded.take(range(shift, shift + size), axis) for shift, weight in enumerate((1, 4, 6, 4, 1))) / 16
    return picture


def likeness(one, other):
    """The PSNR in dB of two pictures after a blur; at most 99. Nil where their sizes differ by more than two dots."""
    if one is None or other is None or any(abs(a - b) > 2 for a, b in zip(one.shape[:2], other.shape[:2])):
        return None
    height, width = (min(a, b) for a, b in zip(one.shape[:2], other.shape[:2]))
    error = float(numpy.mean((blurred(one[:height, :width]) - blurred(other[:height, :width])) ** 2))
    return 99.0 if error < 1e-5 else min(10 * float(numpy.log10(255**2 / error)), 99.0)
