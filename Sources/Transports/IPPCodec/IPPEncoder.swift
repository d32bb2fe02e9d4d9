/// Puts messages on the wire (RFC 8010 §3). What a strict decoder gave is encoded to the same octets.
package enum IPPEncoder {
    /// The octets from the version up to and including the end-of-attributes tag; the document follows behind them.
    package static func encode(_ message: IPPMessage) throws(IPPEncodingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: try WireSize.of(message))
        var output = bytes.mutableSpan
        output.put(message)
        return bytes
    }
}

extension IPPMessage {
    /// The octets up to and including the end-of-attributes tag.
    package func encoded() throws(IPPEncodingError) -> [UInt8] {
        try IPPEncoder.encode(self)
    }
}
