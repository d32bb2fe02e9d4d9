extension DrawingReply {
    /// The version of these messages: both sides must have the same one.
    private static let version: UInt8 = 1

    private enum Kind: UInt8 { case dots = 1, file, refused, ready }

    /// Of a message without its frame.
    package init(_ message: some Collection<UInt8>) throws(DrawingMessageError) {
        var reader = MessageReader(message)
        guard let kind = Kind(rawValue: try reader.byte()) else { throw DrawingMessageError("an unknown reply") }
        switch kind {
        case .ready:
            guard try reader.byte() == Self.version else { throw DrawingMessageError("another version's greeting") }
            self = .ready
        case .dots:
            var scalars: [Unicode.Scalar] = []
            for _ in 0..<(try reader.number(in: 0...DrawingLimits.withoutGlyph)) {
                guard let scalar = Unicode.Scalar(UInt32(try reader.number())) else {
                    throw DrawingMessageError("no character of Unicode")
                }
                scalars.append(scalar)
            }
            self = .dots(try reader.matrix(dots: DrawingLimits.dots), withoutGlyph: scalars)
        case .file: self = .file(try reader.file(limit: DrawingLimits.message))
        case .refused:
            guard let code = DrawingRefusal.Code(rawValue: try reader.byte()) else {
                throw DrawingMessageError("an unknown refusal")
            }
            self = .refused(DrawingRefusal(code, try reader.text(limit: DrawingLimits.messageLength)))
        }
        try reader.end()
    }

    func write(to writer: inout MessageWriter) {
        switch self {
        case .ready:
            writer.byte(Kind.ready.rawValue)
            writer.byte(Self.version)
        case .dots(let matrix, let scalars):
            writer.byte(Kind.dots.rawValue)
            let told = scalars.prefix(DrawingLimits.withoutGlyph)
            writer.number(told.count)
            for scalar in told { writer.number(Int(scalar.value)) }
            writer.matrix(matrix)
        case .file(let file):
            writer.byte(Kind.file.rawValue)
            writer.file(file)
        case .refused(let refusal):
            writer.byte(Kind.refused.rawValue)
            writer.byte(refusal.code.rawValue)
            var message = refusal.message[...]
            while message.utf8.count > DrawingLimits.messageLength { message = message.dropLast() }
            writer.text(String(message))
        }
    }
}
