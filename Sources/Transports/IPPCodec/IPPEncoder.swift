/// Puts messages on the wire (RFC 8010 §3). What a strict decoder gave is encoded to the same octets.
package enum IPPEncoder {
    /// The octets from the version up to and including the end-of-attributes tag; the document follows behind them.
    package static func encode(_ message: IPPMessage) throws(IPPEncodingError) -> [UInt8] {
        var output = WireOutput()
        output.bytes.reserveCapacity(sizeHint(message))
        output.append(message.version.major)
        output.append(message.version.minor)
        output.append16(message.code)
        output.append32(message.requestID)
        for group in message.groups {
            guard group.tag.opensGroup else {
                throw IPPEncodingError(.invalidTag, "\(group.tag) opens no group")
            }
            output.append(group.tag.rawValue)
            for attribute in group.attributes {
                try output.append(attribute)
            }
        }
        output.append(IPPGroupTag.endOfAttributes)
        return output.bytes
    }

    /// A common attribute takes about this much; the buffer grows where the guess is short.
    private static let typicalAttributeSize = 64

    private static func sizeHint(_ message: IPPMessage) -> Int {
        message.groups.reduce(64) { $0 + 1 + $1.attributes.count * typicalAttributeSize }
    }
}

extension IPPMessage {
    /// The octets up to and including the end-of-attributes tag.
    package func encoded() throws(IPPEncodingError) -> [UInt8] {
        try IPPEncoder.encode(self)
    }
}
