import KioskPrintModel
import KioskReceiptPrinting
import KioskTestPrints
import Testing

@Suite struct TestReceiptTests {
    private static func subject(model: String? = nil) throws -> TestPrintSubject {
        TestPrintSubject(
            id: try #require(PrinterID(rawValue: "till-1")), url: try PrinterURL("socket://192.0.2.10"),
            roles: [RoleName(rawValue: "receipt")].compactMap(\.self), profile: "generic-80mm", makeAndModel: model,
            time: Timestamp(millisecondsSince1970: 1_795_000_000_000))
    }

    private func preview(_ settings: PrintingSettings, model: String? = nil) throws -> ReceiptPreview {
        let receipt = try TestReceipt(Self.subject(model: model), on: settings, opensDrawer: true)
        return try ReceiptPreview(
            of: Array(receipt.markup.utf8), as: .receiptLine, on: ReceiptPreview.Paper(settings))
    }

    @Test func `fits the paper of each shipped profile`() throws {
        for (name, settings) in ProfilePrintingTests.settings {
            do {
                _ = try preview(settings)
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }

    @Test(arguments: [384, 512, 576, 832]) func `its ruler ends at the paper's edge, on one line`(_ dots: Int) throws {
        let settings = PrintingSettings(language: .escPOS, dots: dots)
        let columns = dots / 12
        let lines = try preview(settings).text.split(separator: "\n").map { String($0) }
        let ruler = (1...columns).map { String($0 % 10) }.joined()
        #expect(lines.contains(ruler))
        #expect(lines.allSatisfy { $0.count <= dots / 9 })
    }

    @Test func `what a printer says of itself is no markup`() throws {
        let settings = PrintingSettings(language: .escPOS, dots: 576)
        let text = try preview(settings, model: "{drawer:2}|`^_~-=\\ \"x\"\u{1B}p").text
        #expect(text.contains(#"{drawer:2}|`^_~-=\ "x""#))
        #expect(!text.contains("\u{1B}"))
    }

    @Test(arguments: [(25, 12), (50, 30), (101, 152)]) func `a label holds as much as it has room for`(
        _ width: Int, _ height: Int
    ) throws {
        let settings = PrintingSettings(
            language: .zpl, dots: width * 8, label: .init(width: width, height: height))
        let text = try preview(settings).text
        #expect(text.contains("till-1"))
        if height > 12 { #expect(text.contains("\(width) x \(height) mm")) }
    }
}
