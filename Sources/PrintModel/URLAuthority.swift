/// The authority of a URL without a login (RFC 3986 §3.2): a host, and a port where one is named.
package struct URLAuthority: Hashable, Sendable {
    /// A host name, an IPv4 address, or an IPv6 address without brackets; in lower case.
    package let host: String
    /// 1 to 65535.
    package let port: Int?

    /// In bytes (RFC 1035 §2.3.4).
    private static let maximumHostLength = 255

    /// Reads `HOST`, `HOST:PORT` or `[IPv6]:PORT`. Nil where the text is none: a host without characters or with
    /// others than names have, a colon without a port.
    package init?(_ text: some StringProtocol) {
        // Before it is in lower case: that makes ASCII of the Kelvin sign.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = text.lowercased()
        let host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text.dropFirst().prefix { $0 != "]" }
            rest = text[text.index(after: end)...]
            guard host.contains(":"), host.utf8.allSatisfy(Self.isAddressByte) else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            guard !host.hasPrefix("-"), host.utf8.allSatisfy(Self.isNameByte) else { return nil }
        }
        guard (1...Self.maximumHostLength).contains(host.utf8.count) else { return nil }
        self.host = String(host)
        guard !rest.isEmpty else {
            port = nil
            return
        }
        guard rest.removeFirst() == ":", rest.utf8.allSatisfy(Self.isDigit), let number = Int(rest),
            (1...65535).contains(number)
        else { return nil }
        port = number
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "-._".utf8.contains(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || ":.".utf8.contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
