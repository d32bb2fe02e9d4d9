/// The authority of a URL without userinfo (RFC 3986 §3.2): a host, and a port where one is named.
package struct URLAuthority: Hashable, Sendable {
    /// A host name, an IPv4 address, or an IPv6 address without brackets; in lower case.
    package let host: String
    /// 1 to 65535.
    package let port: Int?

    /// In bytes (RFC 1035 §2.3.4).
    private static let maximumHostLength = 255

    /// Reads `HOST`, `HOST:PORT` or `[IPv6]:PORT`. Returns nil for anything else: an empty host, a character that no
    /// host name has, a colon without a port.
    package init?(_ text: some StringProtocol) {
        // Checked before lowercasing, which turns the Kelvin sign (U+212A) into an ASCII k.
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

    /// Whether the host is this machine, by a name or address that no resolver has a say in (RFC 6761 §6.3, RFC 1122
    /// §3.2.1.3, RFC 4291 §2.5.3).
    package var isLoopback: Bool { Self.isLoopback(host: host) }

    /// The same of a host as `host` has it.
    package static func isLoopback(host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "-._".utf8.contains(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || ":.".utf8.contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
