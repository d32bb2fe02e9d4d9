import Glibc

/// An address of `--listen`: where the API is served over TCP, and whether with TLS.
///
/// `127.0.0.1`, `[::1]:8631`, `https://0.0.0.0`, `http://localhost:8080`. Off loopback it is always TLS.
struct ListenAddress: Hashable, Sendable {
    /// An address without brackets, or a host name in lower case.
    var host: String
    /// 0 lets the kernel choose one.
    var port: Int
    var isSecure: Bool

    static let standardPort = 8631

    /// Reads the option's value. Throws what to write instead.
    init(_ text: String) throws(Invalid) {
        var rest = text[...]
        var scheme: String?
        if let end = text.firstRange(of: "://") {
            scheme = text[..<end.lowerBound].lowercased()
            rest = text[end.upperBound...]
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard let place = HostAndPort(String(rest)), !place.host.isEmpty else {
            throw Invalid("it is not an address; \(Self.forms)")
        }
        host = place.host
        port = place.port ?? Self.standardPort
        let isLoopback = RemoteAddress(host)?.isLoopback ?? (host == "localhost")
        switch scheme {
        case nil: isSecure = !isLoopback
        case "https": isSecure = true
        case "http":
            guard isLoopback else {
                throw Invalid(
                    "http:// is for loopback only, since everybody on the network could read it; write https://\(rest)")
            }
            isSecure = false
        default: throw Invalid("it begins with \(scheme ?? "")://; write https:// or, on loopback, http://")
        }
    }

    private static let forms =
        "write an address or a host name, with a port where it is not \(standardPort): 127.0.0.1, [::]:8631, https://till.example:443"

    /// What is wrong with the option's value, and what to write instead.
    struct Invalid: Error, Hashable, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// The same at a port that the kernel chose.
    func at(port: Int) -> ListenAddress {
        var address = self
        address.port = port
        return address
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The URL: `https://[::1]:8631`.
    var description: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// `host[:port]` as the `Host` field has it (RFC 9110 §7.2).
struct HostAndPort: Hashable, Sendable {
    /// A name in lower case without a final dot, or an address in the form of inet_ntop(3) without brackets.
    var host: String
    var port: Int?

    /// Nil where it is not well-formed. Names have letters, digits, hyphens, underscores and dots only.
    init?(_ text: String) {
        guard text.utf8.count <= 270 else { return nil }
        var name = text[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<end]
            guard name.contains(":"), let address = RemoteAddress(String(name)) else { return nil }
            host = address.description
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty { guard read(port: rest.dropFirst()) else { return nil } }
            return
        }
        host = ""
        if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            guard read(port: text[text.index(after: colon)...]) else { return nil }
        }
        if name.hasSuffix(".") { name = name.dropLast() }
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { return nil }
        host = RemoteAddress(String(name))?.description ?? name.lowercased()
    }

    private mutating func read(port text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = UInt16(text)
        else { return false }
        port = Int(number)
        return true
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
