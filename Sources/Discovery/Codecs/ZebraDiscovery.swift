/// Zebra's discovery protocol (UDP port 4201). Zebra does not publish the response's layout: that of two independent
/// public readers is used, and whatever does not read as a name is left out.
package enum ZebraDiscovery {
    /// The port that printers listen at.
    package static let port = 4201
    /// The query.
    package static let query: [UInt8] = [0x2E, 0x2C, 0x3A, 1, 0, 0]
    private static let magic: [UInt8] = [0x3A, 0x2C, 0x2E]

    /// A printer's response to the query.
    package struct Response: Hashable, Sendable {
        /// The model, where there is a name in its place.
        package var model: String?

        /// Reads a datagram; nil for one that is not a response.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count >= 8, bytes.starts(with: magic) else { return nil }
            model = ReceivedText.field(bytes, at: 12, length: 12)
        }
    }

    /// The printer that sent a datagram from this address; nil where the datagram is not a response.
    package static func finding(_ bytes: [UInt8], from address: String) -> NetworkFinding? {
        guard let response = Response(bytes) else { return nil }
        return NetworkFinding(respondedFrom: address, make: "Zebra", model: response.model, source: .zebra)
    }
}
