import Testing

@testable import KioskReceipts

/// Every document of the corpus looks as approved: receipts in many scripts, and every feature of the markup.
@Suite struct PreviewGoldenTests {
    @Test func `the corpus is there`() { #expect(GoldenReceipts.names.count >= 36) }

    @Test(arguments: GoldenReceipts.names) func `as text`(_ name: String) throws {
        let golden = GoldenReceipts(name: name)
        let text = TextPreview.text(of: try golden.layout())
        #expect(try golden.golden(".txt", now: text) == text)
    }

    @Test(arguments: GoldenReceipts.names) func `as SVG`(_ name: String) throws {
        let golden = GoldenReceipts(name: name)
        let svg = SVGPreview.svg(of: try golden.layout())
        #expect(try golden.golden(".svg", now: svg) == svg)
    }

    @Test(arguments: GoldenReceipts.names) func `as JSON and back`(_ name: String) throws {
        let receipt = try GoldenReceipts(name: name).receipt()
        #expect(try ReceiptJSON.read(ReceiptJSON.write(receipt), privileges: Set(ReceiptPrivilege.allCases)) == receipt)
    }

    @Test func `SVG is escaped`() throws {
        let svg = SVGPreview.svg(
            of: try ReceiptLayout(
                try ReceiptMarkup.read("<script>&\\\"\n{code:-->;option:qrcode}").receipt, on: ReceiptPaper(columns: 48)
            ))
        #expect(svg.contains("&lt;script&gt;&amp;&quot;"))
        #expect(!svg.contains("-->;") && !svg.contains("<!-- -->"))
    }
}
