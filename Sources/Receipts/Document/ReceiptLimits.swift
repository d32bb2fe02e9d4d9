/// How much a receipt may hold. A receipt of paper has far less; what has more is a mistake or an attack.
package enum ReceiptLimits {
    /// Of a document, in bytes: pictures stand in it as Base64.
    package static let documentLength = 4 << 20
    /// 20,000 lines are 60 m of paper.
    package static let elements = 20_000
    /// Of a row's text, in bytes.
    package static let lineLength = 16_384
    /// Of all its text, in bytes.
    package static let textLength = 1 << 20
    /// Columns of a row: no paper has room for more.
    package static let columns = 128
    /// Cells and runs of text, in the whole document.
    package static let spans = 100_000
    /// Of a picture's file, in bytes.
    package static let imageLength = 3 << 20
    /// Of one feed.
    package static let feedLines = 255
    /// Of raw commands, in bytes.
    package static let commandLength = 65_536
    /// How deep JSON may be nested; the receipt's own shape needs six.
    package static let depth = 12
    /// Values of a JSON document.
    package static let values = 400_000
    /// Lines of a layout.
    package static let lines = 50_000
}
