import NIOCore

/// Where the exporter listens: an address of this machine and a port.
struct ExporterAddress: Hashable, Sendable, CustomStringConvertible {
    /// As inet_ntop(3) writes it, without brackets.
    let host: String
    /// 0 lets the kernel choose one.
    private(set) var port: Int

    /// Prometheus's exporters have the ports from 9100 to 9999, of which none is left.
    static let standardPort = 9647

    /// Reads `127.0.0.1:9647`, `[::1]:9647`, or an address alone. Throws what to write instead.
    init(_ text: String) throws(Invalid) {
        var (name, rest) = (text[...], ""[...])
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            name = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
            (name, rest) = (text[..<colon], text[colon...])
        }
        var port = Self.standardPort
        if !rest.isEmpty {
            let digits = rest.dropFirst()
            guard rest.first == ":", (1...5).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits)
            else { throw Invalid() }
            port = Int(number)
        }
        guard let host = (try? SocketAddress(ipAddress: String(name), port: port))?.ipAddress else {
            throw Invalid()
        }
        (self.host, self.port) = (host, port)
    }

    /// The same at a port that the kernel chose.
    func at(port: Int) -> ExporterAddress {
        var address = self
        address.port = port
        return address
    }

    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// What is to be written instead.
    struct Invalid: Error, CustomStringConvertible {
        var description: String {
            "write an address of this machine and a port, such as 127.0.0.1:\(standardPort) or [::]:\(standardPort)"
        }
    }
}
