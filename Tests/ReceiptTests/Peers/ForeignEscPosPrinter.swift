import SimulatedPaper

/// emupos (PyPI), a simulated receipt printer that others wrote from Epson's manual. It is given the same patterns for
/// characters as our own.
enum ForeignEscPosPrinter {
    /// With the code pages of its TM-T20III: all of ours but Katakana.
    static func prints(of jobs: [ForeignPrint.Job]) async throws -> [ForeignPrint]? {
        try await ForeignPrint.prints(of: jobs, by: script)
    }

    private static let script = """
        import base64, io, json, sys, types
        from importlib import resources
        import yaml
        from PIL import Image, ImageOps
        # Its checker of settings is not needed, and wants a newer Python than Debian's.
        config = types.ModuleType("emupos.config")
        config.Level = config.PrinterId = config.PrinterProfile = object
        sys.modules["emupos.config"] = config
        from emupos.printer.escpos import glyphs
        from emupos.printer.printer import Printer

        class Patterns:
            def __init__(self, font): self.width, self.height = (12, 24) if font == "A" else (9, 17)
            def get(self, number):
                rows, state = b"", number
                for _ in range(self.height):
                    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                    row = 0 if number in (0x20, 0xA0) else state >> 8 & (1 << self.width) - 1
                    rows += (row << 16 - self.width).to_bytes(2, "big")
                return rows

        glyphs._glyph_table = Patterns
        settings = yaml.safe_load((resources.files("emupos") / "profiles/printers/epson-tm-t20iii.yaml").read_text())
        cell = lambda size: types.SimpleNamespace(**size)
        prints = []
        for job in json.load(open(sys.argv[2])):
            profile = types.SimpleNamespace(**settings)
            profile.font_a, profile.font_b, profile.width_dots = cell(settings["font_a"]), cell(settings["font_b"]), job["width"]
            printer = Printer("printer", profile, sensor_open_level="high", job_idle_timeout_ms=1000)
            output = printer.open_connection("tcp", 0) + printer.receive("tcp", base64.b64decode(job["bytes"]), 0) + printer.close_connection("tcp", 0)
            made = {"pictures": [], "lines": [], "refused": [], "drawers": []}
            for receipt in output.receipts:
                made["lines"] += receipt.text.splitlines()
                picture = ImageOps.invert(Image.open(io.BytesIO(receipt.png)).convert("L"))
                box = picture.getbbox()
                picture = picture.crop((0, 0, picture.width, box[3] if box else 0)).convert("1")
                made["pictures"].append({"width": picture.width, "height": picture.height, "rows": base64.b64encode(picture.tobytes()).decode()})
            for event in output.events:
                if event.type == "drawer.opened": made["drawers"].append("%(pin)d %(on_time_ms)d" % event.data)
                else: made["refused"].append(str(event.type) + " " + json.dumps(dict(event.data)))
            prints.append(made)
        json.dump(prints, open(sys.argv[1], "w"))
        """
}

/// Instead of letters, a pattern for each character that is like no other one's: the same dots are the same character.
/// Blanks are white.
struct PatternGlyphs: GlyphSource {
    func glyph(_ scalar: Unicode.Scalar, width: Int, height: Int) -> Bitmap? {
        var picture = Bitmap(width: width, height: height)
        guard scalar != " ", scalar != "\u{A0}" else { return picture }
        var state = Int(scalar.value)
        for y in 0..<height {
            state = (state * 1_103_515_245 + 12345) & 0x7FFF_FFFF
            for x in 0..<width where state >> (7 + width - x) & 1 == 1 { picture[x, y] = true }
        }
        return picture
    }
}
