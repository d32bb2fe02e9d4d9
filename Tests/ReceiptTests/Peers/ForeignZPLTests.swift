import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// zplkit (PyPI), a ZPL renderer in Rust that others wrote, renders our labels with the same dots as our own printer.
@Suite(.enabled(if: PythonPeers.python != nil)) struct ForeignZPLTests {
    private static let script = """
        import base64, json, re, sys
        from PIL import Image, ImageOps
        from zplkit import Options, render
        from zplkit.rendering import Limits
        prints = []
        for job in json.load(open(sys.argv[2])):
            # It refuses what is about the paper and draws nothing.
            format = re.sub(rb"\\^MN[A-Z]", b"", base64.b64decode(job["bytes"]))
            options = Options(profile="specification", width=job["width"], height=8, dpi=203)
            made = render(format, options, limits=Limits(graphic_bytes=1 << 20))
            pictures = []
            for label in made.labels:
                raster = label.rasterize()
                picture = ImageOps.invert(Image.frombytes("L", (raster.width, raster.height), raster.pixels)).convert("1")
                pictures.append({"width": picture.width, "height": picture.height, "rows": base64.b64encode(picture.tobytes()).decode()})
            prints.append({"pictures": pictures, "lines": [], "refused": [str(warning) for warning in made.warnings], "drawers": []})
        json.dump(prints, open(sys.argv[1], "w"))
        """

    @Test func `the corpus comes out dot by dot`() async throws {
        let names = RenderedReceiptTests.names
        let papers = try names.map { name in
            let layout = try GoldenReceipts(name: name).layout()
            return try PrintedReceipt(layout, for: .label(LabelCapabilities(paper: layout.paper, language: .zpl)))
        }
        let jobs = papers.map { ForeignPrint.Job($0.bytes, width: $0.document.layout.paper.dots) }
        let prints = try #require(try await ForeignPrint.prints(of: jobs, by: Self.script))
        for (name, (ours, foreign)) in zip(names, zip(papers, prints)) {
            #expect(foreign.refused == [], "\(name)")
            let theirs = foreign.pictures.map(\.bitmap)
            #expect(ours.papers.count == theirs.count, "\(name)")
            for (label, their) in zip(ours.papers.map(\.picture), theirs) {
                #expect(label.difference(from: their) == nil, "\(name)")
            }
        }
    }
}
