/// A document to be printed: its format and where its bytes lie.
public struct PrintDocument: Sendable {
    public var format: DocumentFormat
    public var body: Body
    /// The longest of its pages, where they are pages for a roll: the printer is to be told, or it takes them for
    /// sheets.
    public var rollPage: RollPage?

    /// Small documents lie in memory; large ones in a file that nobody changes while it is printed.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// `length` is the file's size in bytes when it was stored; a transport that finds another size fails the
        /// delivery.
        case file(path: String, length: Int64)
    }

    public init(format: DocumentFormat, body: Body, rollPage: RollPage? = nil) {
        self.format = format
        self.body = body
        self.rollPage = rollPage
    }

    /// The document's size in bytes.
    public var length: Int64 {
        switch body {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let length): length
        }
    }
}
