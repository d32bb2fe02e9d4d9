/// Decodes one message from chunks of any size. It copies and keeps only a field that the end of a chunk cuts. It never
/// reads the document after the attributes.
///
/// After an error, the decoder throws the same error again. After the message, it consumes nothing more.
package struct IPPDecoder: Sendable {
    /// The result of feeding a chunk.
    package enum Progress: Sendable {
        case needsMore
        /// The attributes have ended. The document begins at this index of the chunk just fed, counted from its first
        /// byte. If the index is the chunk's length, the document begins in the next chunk, if there is one.
        case complete(IPPMessage, documentIndex: Int)
    }

    private var parser: IPPMessageParser
    /// The beginning of a field whose end has not been received yet.
    private var partialField: [UInt8] = []
    /// Octets of the message before `partialField`.
    private var consumed = 0
    private var failure: IPPDecodingError?

    package init(limits: IPPLimits = IPPLimits(), tolerances: IPPTolerances = []) {
        parser = IPPMessageParser(limits: limits, tolerances: tolerances)
    }

    /// Octets of the message received so far.
    package var offset: Int { consumed + partialField.count }

    /// The tolerances without which the decoder would have refused what it has received so far.
    package var violations: IPPTolerances { parser.violations }

    package mutating func feed(_ chunk: [UInt8]) throws(IPPDecodingError) -> Progress {
        try feed(chunk.span)
    }

    package mutating func feed(_ chunk: ArraySlice<UInt8>) throws(IPPDecodingError) -> Progress {
        try feed(chunk.span)
    }

    package mutating func feed(_ chunk: Span<UInt8>) throws(IPPDecodingError) -> Progress {
        if let failure { throw failure }
        if let message = parser.message { return .complete(message, documentIndex: 0) }
        do throws(IPPDecodingError) {
            let start = try completePartialField(from: chunk)
            guard partialField.isEmpty else { return .needsMore }
            let end = try parser.parse(chunk, from: start, offset: consumed - start)
            consumed += end - start
            if let message = parser.message { return .complete(message, documentIndex: end) }
            partialField.append(copying: chunk.extracting(end...))
            return .needsMore
        } catch {
            failure = error
            partialField = []
            throw error
        }
    }

    /// Appends to `partialField` what it lacks. Returns the number of bytes taken from the chunk. Leaves `partialField`
    /// empty if the field is whole.
    private mutating func completePartialField(from chunk: Span<UInt8>) throws(IPPDecodingError) -> Int {
        var position = 0
        while !partialField.isEmpty {
            let needed = try parser.fieldLength(partialField.span, at: 0, offset: consumed)
            if needed > partialField.count {
                let end = min(chunk.count, position + needed - partialField.count)
                guard end > position else { return position }
                partialField.append(copying: chunk.extracting(position..<end))
                position = end
            } else {
                let field = partialField
                partialField = []
                consumed += try parser.parse(field.span, from: 0, offset: consumed)
            }
        }
        return position
    }

    /// Returns the message once the peer has sent everything. Throws if the message is not whole.
    package func finish() throws(IPPDecodingError) -> IPPMessage {
        if let failure { throw failure }
        guard let message = parser.message else { throw .truncated(at: offset) }
        return message
    }
}

// Messages that are wholly in memory.
extension IPPDecoder {
    /// Decodes a message. `documentIndex` is where its document begins, counted from the first byte.
    package static func decode(
        _ bytes: Span<UInt8>, limits: IPPLimits = IPPLimits(), tolerances: IPPTolerances = []
    ) throws(IPPDecodingError) -> (message: IPPMessage, documentIndex: Int) {
        var parser = IPPMessageParser(limits: limits, tolerances: tolerances)
        let end = try parser.parse(bytes, from: 0, offset: 0)
        guard let message = parser.message else { throw .truncated(at: bytes.count) }
        return (message, end)
    }

    package static func decode(
        _ bytes: [UInt8], limits: IPPLimits = IPPLimits(), tolerances: IPPTolerances = []
    ) throws(IPPDecodingError) -> (message: IPPMessage, documentIndex: Int) {
        try decode(bytes.span, limits: limits, tolerances: tolerances)
    }
}

extension IPPDecodingError {
    fileprivate static func truncated(at offset: Int) -> IPPDecodingError {
        IPPDecodingError(.truncated, at: offset, "it ends before its end-of-attributes tag")
    }
}
