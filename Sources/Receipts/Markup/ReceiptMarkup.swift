/// The reader of `text/receiptline`, OFSC's receipt description language ("ReceiptLine Specification",
/// https://www.ofsc.or.jp/receiptline/en/), with additions in the same grammar: word wrap, PDF417 and Data Matrix,
/// fonts and spacing, feeds, cut modes and the drawer.
///
/// The specification ignores mistakes and omits what they affect. This reader handles them in one of two ways. As in
/// the specification, an unknown value means the default of its key and an unknown key is ignored; both are remarked.
/// A mistake that would lose a whole line of the receipt (a stray brace, a broken property, data that no barcode can
/// hold) is an error.
package enum ReceiptMarkup {
    package static let mediaType = "text/receiptline"

    /// What a document may contain.
    package struct Rules: Hashable, Sendable {
        /// Whether the specification applies without our additions.
        package var isStrict: Bool
        package var privileges: Set<ReceiptPrivilege>
        /// The width of the widest paper in dots. A code that is wider even at its smallest is an error. Nil where no
        /// paper is known.
        package var widestPaper: Int?

        package init(isStrict: Bool = false, privileges: Set<ReceiptPrivilege> = [], widestPaper: Int? = nil) {
            self.isStrict = isStrict
            self.privileges = privileges
            self.widestPaper = widestPaper
        }
    }

    /// The receipt in a document, and the remarks about the document.
    package struct Reading: Hashable, Sendable {
        package var receipt: Receipt
        /// The first hundred keys and values that were ignored.
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
            let end = MarkupSyntax.lineBreaks.first(in: text, from: start) ?? text.endIndex
            try reader.read(MarkupLine(number: line, bytes: text[start..<end]))
            guard end < text.endIndex else { break }
            let isCRLF = text[end] == 0x0D && end + 1 < text.endIndex && text[end + 1] == 0x0A
            start = end + (isCRLF ? 2 : 1)
            line += 1
            // A line break at the end of the document does not begin another line.
            if start == text.endIndex { break }
        }
        return Reading(receipt: Receipt(reader.elements), remarks: reader.remarks)
    }

    package static func read(_ text: String, rules: Rules = Rules()) throws(ReceiptError) -> Reading {
        try read(Array(text.utf8), rules: rules)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
