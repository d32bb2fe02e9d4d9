package import KioskPrintModel

/// One way to a printer on the network, as one service told of it. Everything in it but the address comes from the
/// network, and is bounded and free of control characters.
package struct NetworkFinding: Hashable, Sendable {
    /// The URL to save the printer with.
    package var url: PrinterURL
    /// The numeric address, as text.
    package var address: String
    /// The name of its host, without the dot at the end.
    package var hostName: String?
    /// The maker's and the model's names, for people.
    package var makeAndModel: String
    /// What tells the model from others; nil where only the maker is known.
    package var model: String?
    /// The printer's UUID, which is the same over every service.
    package var uuid: String?
    /// Where it stands.
    package var location: String?
    /// The media types that it takes.
    package var formats: [String] = []
    package var source: Source

    /// The protocol that told of it.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// DNS-based service discovery (RFC 6763).
        case dnsSD = "dns-sd"
        /// Epson's network control protocol.
        case enpc
        /// Star's discovery protocol.
        case starSDP = "star-sdp"
        /// Zebra's discovery protocol.
        case zebra
    }

    package init(
        url: PrinterURL, address: String, makeAndModel: String, model: String? = nil, source: Source
    ) {
        (self.url, self.address, self.source) = (url, address, source)
        (self.makeAndModel, self.model) = (makeAndModel, model)
    }

    /// A printer that answered a datagram itself: it takes raw data on port 9100. Nil for an address that no URL holds.
    package init?(respondedFrom address: String, make: String, model: String?, source: Source) {
        guard let url = try? PrinterURL("socket://\(Self.urlHost(address))") else { return nil }
        let hasMake = model?.lowercased().hasPrefix(make.lowercased()) == true
        let makeAndModel = model.map { hasMake ? $0 : "\(make) \($0)" } ?? make
        self.init(url: url, address: address, makeAndModel: makeAndModel, model: model, source: source)
    }

    /// An address as it stands in a URL (RFC 3986 §3.2.2, RFC 6874).
    static func urlHost(_ address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        let (numbers, zone) = address.splitOnce(at: "%")
        return "[\(numbers)\(zone.map { "%25\($0)" } ?? "")]"
    }
}

/// Reads texts that a device sent.
package enum ReceivedText {
    /// RFC 8011 §5.4.9 bounds `printer-make-and-model` at 127 octets; nothing else that is shown needs more.
    package static let maximumLength = 127

    /// The text without control characters and without blanks around it, cut to `maximumLength` bytes. Nil where
    /// nothing remains.
    package static func clean(_ bytes: some Sequence<UInt8>) -> String? {
        let text = String(decoding: Array(bytes.prefix(4 * maximumLength)), as: UTF8.self).withoutControlCharacters
        let words = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        let cut = words.prefix(utf8Count: maximumLength)
        return cut.isEmpty ? nil : cut
    }

    /// The text of a field of fixed length that a NUL may end; nil where the bytes are fewer or hold none.
    package static func field(_ bytes: [UInt8], at offset: Int, length: Int) -> String? {
        guard offset >= 0, length > 0, bytes.count >= offset, bytes.count - offset >= length else { return nil }
        let field = bytes[offset..<offset + length].prefix { $0 != 0 }
        // A field in another place would hold numbers: names are ASCII.
        guard field.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return clean(field)
    }
}
