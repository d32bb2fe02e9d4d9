/// A piece of a document for a printer, as bytes and as people read it.
struct EncodedStep: Hashable, Sendable {
    var bytes: [UInt8]
    var description: String

    init(_ bytes: [UInt8], _ description: String) {
        self.bytes = bytes
        self.description = description
    }

    /// Text that people can read as it is.
    init(_ text: String, ending: String = "\n") {
        self.init(Array((text + ending).utf8), text)
    }

    /// What the receipt says itself.
    init(raw bytes: [UInt8]) {
        self.init(bytes, "raw " + bytes.map { String($0) }.joined(separator: " "))
    }
}
