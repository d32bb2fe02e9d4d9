/// A web page's origin as browsers send it (RFC 6454 §6.2): `https://till.example`, `http://localhost:3000`.
package struct WebOrigin: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The serialized origin, in lower case and without a scheme's standard port.
    package let rawValue: String

    /// The most bytes of an origin: a host name has at most 253 (RFC 1035 §2.3.4).
    package static let maximumLength = 270

    /// Reads an origin, and normalizes its case and standard port. Nil for `null`, for another scheme than http and
    /// https, and where anything follows the port.
    package init?(rawValue: String) {
        let text = rawValue.lowercased()
        guard text.utf8.count <= Self.maximumLength,
            let scheme = ["https", "http"].first(where: {
                text.hasPrefix("\($0)://")
            })
        else { return nil }
        let authority = text.dropFirst(scheme.utf8.count + 3)
        guard let (host, port) = Self.split(authority), Self.isHost(host) else { return nil }
        guard let port else {
            self.rawValue = "\(scheme)://\(host)"
            return
        }
        guard let number = UInt16(port), number > 0, port == String(number) else { return nil }
        let isStandard = number == (scheme == "https" ? 443 : 80)
        self.rawValue = isStandard ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(number)"
    }

    package var description: String { rawValue }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return (authority[...end], rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return host.utf8.count > 3
                && host.dropFirst().dropLast().utf8.allSatisfy { byte in
                    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
                        || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
                }
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { return false }
        return host.utf8.allSatisfy { byte in
            isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
