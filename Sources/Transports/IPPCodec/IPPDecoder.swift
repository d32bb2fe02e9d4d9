/// Reads one message from chunks of any size. Only a field that is cut by a chunk's end is copied and kept; the
/// document behind the attributes is never touched.
///
/// After an error the decoder stays at it; after the message it takes nothing more.
package struct IPPDecoder: Sendable {
    /// What feeding has led to.
    package enum Progress: Sendable {
        case needsMore
        /// The attributes have ended. The document begins at this index of the chunk just fed (counted from its first
        /// byte); with an index of the chunk's length, it begins in the next chunk, if there is one.
        case complete(IPPMessage, documentIndex: Int)
    }

    private var builder: MessageBuilder
    private let limits: IPPLimits
    /// The beginning of a field whose end has not come yet.
    private var carry: [UInt8] = []
    /// Octets of the message in front of `carry`.
    private var consumed = 0
    private var failure: IPPDecodingError?

    package init(limits: IPPLimits = IPPLimits(), tolerances: IPPTolerances = []) {
        self.limits = limits
        builder = MessageBuilder(limits: limits, tolerances: tolerances)
    }

    /// Octets of the message taken so far.
    package var offset: Int { consumed + carry.count }

    /// The tolerances without which what was taken so far would have been refused.
    package var breaches: IPPTolerances { builder.breaches }

    package mutating func feed(_ chunk: [UInt8]) throws(IPPDecodingError) -> Progress {
        try feed(chunk.span)
    }

    package mutating func feed(_ chunk: ArraySlice<UInt8>) throws(IPPDecodingError) -> Progress {
        try feed(chunk.span)
    }

    package mutating func feed(_ chunk: Span<UInt8>) throws(IPPDecodingError) -> Progress {
        if let failure { throw failure }
        if let message = builder.message { return .complete(message, documentIndex: 0) }
        do throws(IPPDecodingError) {
            let start = try completeCarry(from: chunk)
            guard carry.isEmpty else { return .needsMore }
            let end = try builder.take(chunk, from: start, offset: consumed - start)
            consumed += end - start
            if let message = builder.message { return .complete(message, documentIndex: end) }
            carry.append(copying: chunk.extracting(end...))
            return .needsMore
        } catch {
            failure = error
            carry = []
            throw error
        }
    }

    /// Takes from the chunk what the field in `carry` lacks; the count of bytes taken. Leaves `carry` empty when that
    /// field was whole.
    private mutating func completeCarry(from chunk: Span<UInt8>) throws(IPPDecodingError) -> Int {
        var position = 0
        while !carry.isEmpty {
            let needed = try builder.field(carry.span, at: 0, offset: consumed).length
            if needed > carry.count {
                let end = min(chunk.count, position + needed - carry.count)
                guard end > position else { return position }
                carry.append(copying: chunk.extracting(position..<end))
                position = end
            } else {
                let field = carry
                carry = []
                consumed += try builder.take(field.span, from: 0, offset: consumed)
            }
        }
        return position
    }

    /// To be called when the peer has ended: throws unless the message was whole.
    package func finish() throws(IPPDecodingError) -> IPPMessage {
        if let failure { throw failure }
        guard let message = builder.message else {
            throw IPPDecodingError(.truncated, at: offset, "it ends before its end-of-attributes tag")
        }
        return message
    }
}

extension IPPDecoder {
    /// Reads a message that is wholly in memory, and tells at which index behind the first byte its document begins.
    package static func decode(
        _ bytes: Span<UInt8>, limits: IPPLimits = IPPLimits(), tolerances: IPPTolerances = []
    ) throws(IPPDecodingError) -> (message: IPPMessage, documentIndex: Int) {
        var builder = MessageBuilder(limits: limits, tolerances: tolerances)
        let end = try builder.take(bytes, from: 0, offset: 0)
        guard let message = builder.message else {
            throw IPPDecodingError(.truncated, at: bytes.count, "it ends before its end-of-attributes tag")
        }
        return (message, end)
    }

    package static func decode(
        _ bytes: [UInt8], limits: IPPLimits = IPPLimits(), tolerances: IPPTolerances = []
    ) throws(IPPDecodingError) -> (message: IPPMessage, documentIndex: Int) {
        try decode(bytes.span, limits: limits, tolerances: tolerances)
    }
}
