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

/// The bounds on what a decoder accepts from a peer. It checks each one before it stores the octets.
package struct IPPLimits: Hashable, Sendable {
    /// Octets from the version up to and including the end-of-attributes tag. A full `media-col-database` has a few
    /// hundred kilobytes; this is ten times as much.
    package var messageBytes = 4 << 20
    /// Attributes in all groups, including the members of collections. The largest printers send a few thousand.
    package var attributes = 65_536
    /// Values of all attributes, including out-of-band values.
    package var values = 262_144
    /// Octets of the name of an attribute or member: a name is a keyword of at most 255 octets (RFC 8011 §5.1.4).
    package var nameBytes = 255
    /// Octets of one value: the length field is a SIGNED-SHORT (RFC 8010 §3.1.4). CUPS' IPP_MAX_LENGTH is the same.
    package var valueBytes = 32_767
    /// Levels of nested collections. CUPS has the same limit (`ippReadIO` refuses more than 10).
    package var collectionDepth = IPPLimits.defaultCollectionDepth

    static let defaultCollectionDepth = 10

    package init() {}
}

/// The violations of RFC 8010 that a decoder accepts. None is on by default.
///
/// Each applies only to octets that have no valid reading, so correct messages decode the same with it.
///
/// An empty group (RFC 8010 Appendix A.9 has one), an empty collection (a `media-col` without members) and a message
/// without groups are not violations: they decode and encode without any tolerance.
package struct IPPTolerances: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Octets after an out-of-band tag, whose value-length MUST be 0 (RFC 8010 §3.8). The decoder drops them. Seen from
    /// Brother.
    package static let outOfBandValues = IPPTolerances(rawValue: 1 << 0)
    /// Members of a collection with their name in front of the value instead of a memberAttrName (RFC 8010 §3.1.7).
    /// Seen from the Pantum M7300FDW.
    package static let namedCollectionMembers = IPPTolerances(rawValue: 1 << 1)
    /// textWithLanguage and nameWithLanguage values without their value-length, so that the language-length is in its
    /// place (RFC 8010 §3.9). Seen from the HP LaserJet 100 color MFP M175nw and the HP LaserJet 2430dtn.
    package static let missingValueLengths = IPPTolerances(rawValue: 1 << 2)

    package static let all: IPPTolerances = [.outOfBandValues, .namedCollectionMembers, .missingValueLengths]
}

extension IPPTolerances: CustomStringConvertible {
    package var description: String {
        let names: [(IPPTolerances, String)] = [
            (.outOfBandValues, "out-of-band-values"), (.namedCollectionMembers, "named-collection-members"),
            (.missingValueLengths, "missing-value-lengths"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// The reason why received octets are not an IPP message, and where they fail.
package struct IPPDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// The offset of the invalid field in octets from the start of the message.
    package var offset: Int
    /// What is wrong there: a sentence without the offset.
    package var message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    package var description: String { "IPP message refused at byte \(offset): \(message)" }
}

extension IPPDecodingError {
    /// The kind of error. Compare it with the constants; later versions may add some.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable {
            case truncated, limitExceeded, invalidTag, invalidName, invalidLength, invalidValue
            case strayValue, malformedCollection
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        package var description: String { value.rawValue }

        /// The input ended before the end-of-attributes tag.
        package static let truncated = Code(.truncated)
        /// One of `IPPLimits` is exceeded.
        package static let limitExceeded = Code(.limitExceeded)
        /// A tag that is not allowed here: a reserved delimiter, or an attribute before the first group.
        package static let invalidTag = Code(.invalidTag)
        /// A name that is not UTF-8, or a name where none is allowed.
        package static let invalidName = Code(.invalidName)
        /// A length that the syntax does not allow.
        package static let invalidLength = Code(.invalidLength)
        /// Octets that the syntax does not allow.
        package static let invalidValue = Code(.invalidValue)
        /// An additional value without an attribute.
        package static let strayValue = Code(.strayValue)
        /// Collection tags in an order that RFC 8010 §3.1.6 does not allow.
        package static let malformedCollection = Code(.malformedCollection)
    }
}
