/// `text/receiptline`: OFSC's receipt description language ("ReceiptLine Specification",
/// https://www.ofsc.or.jp/receiptline/en/), with additions on the same grammar: word wrap, PDF417 and Data Matrix,
/// fonts and spacing, feeds, cut modes and the drawer.
///
/// Where the specification lets a mistake pass and leaves something out, reading goes one of two ways. A value that is
/// not known means the key's default, and a key that is not known means nothing, as there; both are remarked. What
/// would lose a whole line of the receipt (a stray brace, a broken property, data that no barcode can hold) is an
/// error.
package enum ReceiptMarkup {
    package static let mediaType = "text/receiptline"

    package struct Rules: Hashable, Sendable {
        /// The specification alone, without our additions.
        package var isStrict: Bool
        package var privileges: Set<ReceiptPrivilege>
        /// In dots: codes that are wider even at their smallest are errors. Nil where the paper is not known.
        package var widestPaper: Int?

        package init(isStrict: Bool = false, privileges: Set<ReceiptPrivilege> = [], widestPaper: Int? = nil) {
            self.isStrict = isStrict
            self.privileges = privileges
            self.widestPaper = widestPaper
        }
    }

    package struct Reading: Hashable, Sendable {
        package var receipt: Receipt
        /// What the document says and was not heeded: the first hundred.
        package var remarks: [ReceiptError]
    }

    package static func read(_ bytes: [UInt8], rules: Rules = Rules()) throws(ReceiptError) -> Reading {
        guard bytes.count <= ReceiptLimits.documentLength else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.documentLength) bytes")
        }
        let text = bytes.starts(with: byteOrderMark) ? bytes[byteOrderMark.count...] : bytes[...]
        var reader = MarkupReader(rules: rules)
        var (line, start) = (1, text.startIndex)
        while true {
            let end = Markup.lineBreaks.first(in: text, from: start) ?? text.endIndex
            try reader.read(MarkupLine(number: line, bytes: text[start..<end]))
            guard end < text.endIndex else { break }
            let isPair = text[end] == 0x0D && end + 1 < text.endIndex && text[end + 1] == 0x0A
            start = end + (isPair ? 2 : 1)
            line += 1
            // What ends with a line break has no empty line behind it that anyone meant to print.
            if start == text.endIndex { break }
        }
        return Reading(receipt: Receipt(reader.elements), remarks: reader.remarks)
    }

    package static func read(_ text: String, rules: Rules = Rules()) throws(ReceiptError) -> Reading {
        try read(Array(text.utf8), rules: rules)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
