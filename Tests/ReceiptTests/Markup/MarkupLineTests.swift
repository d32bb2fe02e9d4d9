import Testing

@testable import KioskReceipts

/// Where lines and columns begin and end, and to which pipe a column is aligned.
@Suite struct MarkupLineTests {
    private static func columns(_ line: String) throws -> [String] {
        let elements = try ReceiptMarkup.read(line).receipt.elements
        guard case .row(let row)? = elements.first, elements.count == 1 else { return [] }
        return row.cells.map { cell in "\(cell.alignment.rawValue):\(cell.spans.map(\.text).joined())" }
    }

    @Test(
        arguments: [
            // The specification's table of alignments.
            ("a", ["center:a"]), ("|a|", ["center:a"]), ("| a |", ["center:a"]),
            ("|a", ["left:a"]), ("|a |", ["left:a"]), ("a |", ["left:a"]),
            ("a|", ["right:a"]), ("| a|", ["right:a"]), ("| a", ["right:a"]),
            ("a | b", ["left:a", "right:b"]), ("a|b", ["right:a", "left:b"]), ("|a|b|", ["center:a", "center:b"]),
            ("| a | b |", ["center:a", "center:b"]), ("|a |b |", ["left:a", "left:b"]),
            ("| a| b|", ["right:a", "right:b"]),
            ("a | b | c", ["left:a", "center:b", "right:c"]), ("a | b| 1", ["left:a", "right:b", "right:1"]),
            ("a|b|c", ["right:a", "center:b", "left:c"]),
            ("a | b|", ["left:a", "right:b"]), ("|a | b", ["left:a", "right:b"]),
            // Nothing between two pipes is an empty column. Outer pipes make no column.
            ("", ["center:"]), ("|", ["center:"]), ("||", ["center:"]), ("|||", ["center:", "center:"]),
            ("a||b", ["right:a", "center:", "left:b"]),
            ("\t a \t", ["center:a"]), ("a\t|\tb", ["left:a", "right:b"]),
            // An escaped pipe does not separate columns.
            ("a\\|b", ["center:a|b"]), ("\\|a", ["center:|a"]), ("a\\|", ["center:a|"]),
            ("a\\\\|b", ["right:a\\", "left:b"]), ("\\a|b", ["right:", "left:b"]),
        ] as [(String, [String])])
    func `columns lean on the pipe that they touch`(_ line: String, _ expected: [String]) throws {
        #expect(try Self.columns(line) == expected)
    }

    @Test(arguments: [
        ("-", ReceiptElement.rule), ("-----", .rule), ("  -- ", .rule), ("|--|", .rule), ("=", .cut(.partial)),
        ("=====", .cut(.partial)),
    ])
    func `a line of hyphens is a rule, one of equals signs cuts`(_ line: String, _ expected: ReceiptElement) throws {
        #expect(try ReceiptMarkup.read(line).receipt.elements == [expected])
    }

    @Test(arguments: [
        ("\\-", "center:-"), ("-\\-", "center:--"), ("- -", "center:- -"), ("-=", "center:-="), ("\\==", "center:=="),
    ])
    func `an escape makes it text`(_ line: String, _ expected: String) throws {
        #expect(try Self.columns(line) == [expected])
    }

    @Test func `rules and cuts stand alone in their line`() throws {
        #expect(try Self.columns("-|=") == ["right:-", "left:="])
    }

    @Test(arguments: ["a\nb", "a\r\nb", "a\rb", "\u{FEFF}a\nb", "a\nb\n"])
    func `lines end in three ways, and a last break adds none`(_ text: String) throws {
        let rows = try ReceiptMarkup.read(text).receipt.elements
        #expect(
            rows == [
                .row(ReceiptRow([ReceiptCell("a", alignment: .center)])),
                .row(ReceiptRow([ReceiptCell("b", alignment: .center)])),
            ])
    }

    @Test func `an empty line is an empty row`() throws {
        let empty = ReceiptElement.row(ReceiptRow([ReceiptCell("", alignment: .center)]))
        #expect(try ReceiptMarkup.read("\n\n").receipt.elements == [empty, empty])
    }
}
