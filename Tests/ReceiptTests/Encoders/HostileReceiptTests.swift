import Glibc
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Documents that are made to be expensive: each soon becomes an error, or a receipt of limited size.
@Suite struct HostileReceiptTests {
    /// Documents of the maximum size, or larger.
    static let documents: [String: @Sendable () -> [UInt8]] = [
        "ten megabytes": { repeated("|日本 | 1,00\n", 10 << 20) },
        "large letters": { repeated("|^^^^^^^A\n", 180_000) },
        "a character a line": { Array("{width:1}\n".utf8) + repeated("日本語日本語日本語日本語日本語日本語日本語日本語\n", 1 << 20) },
        "a run a character": { repeated("|\"a\"_b_\"c\"_d_\"e\"_f_`g`\n", 180_000) },
        "codes": {
            Array("{option:qrcode 8 h}\n".utf8) + repeated("{code:\(String(repeating: "x", count: 200))}\n", 4 << 20)
        },
        "cuts": { repeated("日\n=\n", 40_000) },
        "feeds": { repeated("{feed:255}\n", 200_000) },
        "boxes": { repeated("{border:line}\n日|本|語\n-\n{border:space}\n", 700_000) },
    ]

    private static func repeated(_ text: String, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + text.utf8.count)
        while bytes.count < count { bytes += text.utf8 }
        return bytes
    }

    private static let targets: [ReceiptTarget] = [
        .escPos(EscPosCapabilities(paper: ReceiptPaper(columns: 48), codePages: [:], symbologies: [])),
        .star(StarCapabilities(hasText: false)),
        .label(LabelCapabilities(paper: ReceiptPaper(columns: 48), language: .zpl)),
        .raster(RasterCapabilities(paper: ReceiptPaper(columns: 48), format: .pwgGrey, dotsPerInch: 203)),
        .text(PlainTextCapabilities(paper: ReceiptPaper(columns: 48))),
    ]

    /// All drawings are white, so that only the encoder's work is measured.
    private static func drawn(_ document: ReceiptDocument) -> RenderedDrawings {
        RenderedDrawings(
            Dictionary(
                uniqueKeysWithValues: document.drawings.map { ($0, DotMatrix(width: $0.width, height: $0.height)) }))
    }

    /// Nil where the document was encoded.
    private static func refusal(_ bytes: [UInt8], _ target: ReceiptTarget) -> ReceiptError.Code? {
        do throws(ReceiptError) {
            let document = try ReceiptDocument(ReceiptMarkup.read(bytes).receipt, for: target)
            _ = try document.bytes(with: drawn(document))
            return nil
        } catch { return error.code }
    }

    /// The CPU time of this thread, which does not depend on other programs.
    private static var cpuTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test(arguments: documents.keys.sorted(), targets.indices) func `end soon`(_ name: String, _ target: Int) throws {
        let document = try #require(Self.documents[name])
        let bytes = document()
        let start = Self.cpuTime
        let refusal = Self.refusal(bytes, Self.targets[target])
        #expect(Self.cpuTime - start < .seconds(30))
        let expected: [ReceiptError.Code?] = [nil, .tooLarge, .unprintable, .unsupported, .doesNotFit]
        #expect(expected.contains(refusal))
    }
}
