import Glibc
import NIOCore

/// The IP address at the other end of a TCP connection.
struct RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// Network byte order, 4 or 16 bytes.
    private let bytes: [UInt8]

    /// Reads an address without brackets, such as `192.0.2.7` or `2001:db8::7`; nil for anything else. An IPv4 address
    /// within IPv6 (RFC 4291 §2.5.5.2) counts as the IPv4 address.
    init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    private var isIPv4: Bool { bytes.count == 4 }

    var isLoopback: Bool { isIPv4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    /// Whether it is good on one link only, such as `fe80::1` (RFC 4291 §2.5.6).
    var isLinkLocal: Bool {
        isIPv4 ? bytes.starts(with: [169, 254]) : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// The addresses that share a limit: of IPv6 a /64, since a single host there has as many addresses as it wants
    /// (RFC 4291 §2.5.4). All loopback addresses are one host.
    var limitKey: [UInt8] {
        if isLoopback { return [127] }
        return isIPv4 ? bytes : Array(bytes.prefix(8))
    }

    /// In the form of inet_ntop(3).
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
