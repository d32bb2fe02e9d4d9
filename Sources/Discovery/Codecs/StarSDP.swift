/// Star's discovery protocol (UDP port 22222). The layout is that of public captures; Star's manuals only name it
/// (IFBD-HE07/08 User's Manual, "SDP").
package enum StarSDP {
    /// The port that printers listen at.
    package static let port = 22222
    private static let magic = Array("STR_BCAST".utf8) + [UInt8](repeating: 0, count: 7)

    /// The query, with the length of its own bytes (28) before its last two.
    package static let query: [UInt8] = magic + Array("RQ1.0.0".utf8) + [0, 0, 0x1C, 0x64, 0x31]

    /// A printer's response to the query.
    package struct Response: Hashable, Sendable {
        /// The interface's name: `TSP100LAN`, `IFBD-HE07`.
        package var interface: String?
        /// The printer's name: `TSP143 (STR_T-001)`.
        package var model: String?

        /// Reads a datagram; nil for one that is not a response.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count >= 52, bytes.starts(with: magic), bytes[16..<18].elementsEqual("RS".utf8) else {
                return nil
            }
            interface = ReceivedText.field(bytes, at: 36, length: 16)
            model = ReceivedText.field(bytes, at: 204, length: 64)
        }
    }

    /// The printer that sent a datagram from this address; nil where the datagram is not a response.
    package static func finding(_ bytes: [UInt8], from address: String) -> NetworkFinding? {
        guard let response = Response(bytes) else { return nil }
        return NetworkFinding(
            respondedFrom: address, make: "Star", model: response.model ?? response.interface, source: .starSDP)
    }
}
