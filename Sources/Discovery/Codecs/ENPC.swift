/// Epson's network control protocol (UDP port 3289): the query that every printer answers. (Epson UB-E02/E03 Technical
/// Reference §4.7.)
///
/// Other functions of the protocol reset a printer; none is ever sent.
package enum ENPC {
    /// The port that printers listen at.
    package static let port = 3289
    private static let magic = Array("EPSON".utf8)
    /// Magic, kind, version (2), function (2), result (2), length (2).
    private static let headerLength = 14

    /// The query Q 0000, "basic information".
    package static let query: [UInt8] = magic + [UInt8(ascii: "Q"), 3, 0, 0, 0, 0, 0, 0, 0]

    /// A printer's response to the query.
    package struct Response: Hashable, Sendable {
        /// The model, where the information holds a text that looks like one.
        package var model: String?

        /// Reads a datagram; nil for one that is not a response to the query, or refuses it.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count >= headerLength, bytes.starts(with: magic), bytes[5] == UInt8(ascii: "q"),
                bytes[6] == 3, bytes[8...11].allSatisfy({ $0 == 0 })
            else { return nil }
            let length = Int(bytes[12]) << 8 | Int(bytes[13])
            guard bytes.count - headerLength >= length else { return nil }
            model = Self.model(in: bytes[headerLength..<headerLength + length])
        }

        /// Epson does not publish where the name stands in the information. The first text counts that has a letter
        /// and a digit, such as `TM-m30II`.
        private static func model(in information: ArraySlice<UInt8>) -> String? {
            for text in information.split(whereSeparator: { !(0x20...0x7E).contains($0) }) where text.count >= 4 {
                let isModel = text.contains(where: isLetter) && text.contains(where: isDigit)
                if isModel, let name = ReceivedText.clean(text) { return name }
            }
            return nil
        }

        private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
        private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    }

    /// The printer that sent a datagram from this address; nil where the datagram is not a response.
    package static func finding(_ bytes: [UInt8], from address: String) -> NetworkFinding? {
        guard let response = Response(bytes) else { return nil }
        return NetworkFinding(respondedFrom: address, make: "EPSON", model: response.model, source: .enpc)
    }
}
