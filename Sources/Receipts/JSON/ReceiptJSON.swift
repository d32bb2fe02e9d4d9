/// `application/vnd.kiosk.receipt+json`: a receipt for programs that would rather not write markup.
/// docs/receipt.schema.json describes it.
package enum ReceiptJSON {
    package static let mediaType = "application/vnd.kiosk.receipt+json"

    /// Reads what `write` writes, and what people write. Throws an error with line and column. `widestPaper`: in dots,
    /// for codes; nil where it is not known.
    package static func read(
        _ bytes: [UInt8], privileges: Set<ReceiptPrivilege> = [], widestPaper: Int? = nil
    ) throws(ReceiptError) -> Receipt {
        guard bytes.count <= ReceiptLimits.documentLength else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.documentLength) bytes")
        }
        var reader = ReceiptJSONReader(bytes: bytes, privileges: privileges, widestPaper: widestPaper)
        return try reader.receipt(try JSONReader.read(bytes))
    }

    /// The same receipt always gives the same bytes: an element a line, and what is as usual left out.
    package static func write(_ receipt: Receipt) -> [UInt8] {
        var writer = ReceiptJSONWriter()
        writer.receipt(receipt)
        return writer.bytes
    }
}
