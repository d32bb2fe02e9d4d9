import KioskReceipts

/// The frame of a message: four bytes with its length, then the message. A message has at least one byte and at most
/// `DrawingLimits.message`.
package enum MessageFrame {
    package static let headerLength = 4

    /// The request with its header.
    package static func bytes(_ request: DrawingRequest) -> [UInt8] {
        framed { request.write(to: &$0) }
    }

    /// The response with its header.
    package static func bytes(_ response: DrawingResponse) -> [UInt8] {
        framed { response.write(to: &$0) }
    }

    /// The length of the message that follows these four bytes.
    package static func length(_ header: some Collection<UInt8>) throws(DrawingMessageError) -> Int {
        guard header.count == headerLength else { throw DrawingMessageError("an incomplete frame header") }
        let length = header.reduce(0) { $0 << 8 | Int($1) }
        guard (1...DrawingLimits.message).contains(length) else {
            throw DrawingMessageError("a message of \(length) bytes")
        }
        return length
    }

    private static func framed(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        writer.number(0)
        write(&writer)
        writer.setLength()
        return writer.bytes
    }
}

/// The reason why a message cannot be decoded.
package struct DrawingMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

/// The limits on the size of drawings and messages. A larger one is a mistake or an attack.
package enum DrawingLimits {
    /// Dots of a drawing: as many as a picture may have pixels.
    package static let dots = ReceiptImage.maximumPixels
    /// Dots of a preview, which becomes a PNG file: 10 m of paper 800 dots wide.
    package static let previewDots = 64_000_000
    /// The width and height of a cell, in dots: 32 mm at 203 dpi.
    package static let cell = 256
    /// The magnification of text.
    package static let scale = 16
    /// Bytes of a line of text, or of a code's data.
    package static let textLength = ReceiptLimits.lineLength
    /// Bytes of a refusal's message.
    package static let messageLength = 1024
    /// Characters without a glyph that a response lists.
    package static let withoutGlyph = 256
    /// Bytes of a request or response: a preview that cannot be compressed, and its other fields.
    package static let message = previewDots / 8 + (1 << 20)
}

/// Decodes the fields of a message. The sender may be hostile: every field is bounded, and no bytes may follow the last
/// one.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    mutating func byte() throws(DrawingMessageError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.truncated }
        return byte
    }

    mutating func flag() throws(DrawingMessageError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw DrawingMessageError("a flag that is neither 0 nor 1") }
        return byte == 1
    }

    mutating func number() throws(DrawingMessageError) -> Int {
        try bytes(4).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func number(in range: ClosedRange<Int>) throws(DrawingMessageError) -> Int {
        let number = try number()
        guard range.contains(number) else { throw DrawingMessageError("\(number) is not in \(range)") }
        return number
    }

    mutating func file(limit: Int) throws(DrawingMessageError) -> [UInt8] {
        let count = try number(in: 0...limit)
        return Array(try bytes(count))
    }

    mutating func text(limit: Int) throws(DrawingMessageError) -> String {
        let count = try number(in: 0...limit)
        guard let text = String(validating: try bytes(count), as: UTF8.self) else {
            throw DrawingMessageError("a string that is not UTF-8")
        }
        return text
    }

    /// A case of an enumeration, sent as its index.
    mutating func choice<Choice: CaseIterable>(_: Choice.Type) throws(DrawingMessageError) -> Choice {
        let index = Int(try byte())
        let all = Array(Choice.allCases)
        guard all.indices.contains(index) else { throw DrawingMessageError("an unknown \(Choice.self)") }
        return all[index]
    }

    mutating func matrix(dots: Int) throws(DrawingMessageError) -> DotMatrix {
        let width = try number(in: 0...DotMatrix.maximumSide)
        let height = try number(in: 0...DotMatrix.maximumSide)
        guard width * height <= dots,
            let matrix = DotMatrix(width: width, height: height, bytes: Array(try bytes((width + 7) / 8 * height)))
        else {
            throw DrawingMessageError("more dots than the limit")
        }
        return matrix
    }

    func end() throws(DrawingMessageError) {
        guard rest.isEmpty else { throw DrawingMessageError("\(rest.count) bytes after the message") }
    }

    private static let truncated = DrawingMessageError("a truncated message")

    private mutating func bytes(_ count: Int) throws(DrawingMessageError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.truncated }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes
    }
}

/// Encodes the fields of a message.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// A value that does not fit into 32 bits is sent as the largest number, which every reader refuses.
    mutating func number(_ value: Int) {
        let value = UInt32(exactly: value) ?? .max
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    /// A case of an enumeration, sent as its index.
    mutating func choice<Choice: CaseIterable & Equatable>(_ value: Choice) {
        byte(UInt8(Choice.allCases.prefix { $0 != value }.count))
    }

    mutating func file(_ file: [UInt8]) {
        number(file.count)
        bytes += file
    }

    mutating func text(_ text: String) {
        number(text.utf8.count)
        bytes += text.utf8
    }

    mutating func matrix(_ matrix: DotMatrix) {
        number(matrix.width)
        number(matrix.height)
        bytes += matrix.bytes
    }

    /// Writes the length of the message into its header.
    mutating func setLength() {
        var length = MessageWriter()
        length.number(bytes.count - MessageFrame.headerLength)
        bytes.replaceSubrange(0..<MessageFrame.headerLength, with: length.bytes)
    }
}
