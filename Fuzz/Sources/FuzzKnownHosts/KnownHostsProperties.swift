import KnownHostsText

/// What must hold for whatever a known_hosts file says. The input's first line is the host that is asked for.
enum KnownHostsProperties {
    static func check(_ bytes: [UInt8]) {
        let newline = UInt8(ascii: "\n")
        let host = String(decoding: bytes.prefix { $0 != newline }.prefix(64), as: UTF8.self)
        let file = Array(bytes.drop { $0 != newline })
        let hosts = KnownHosts(parsing: file)
        checkLines(hosts, file)
        for port in [22, 2222] { checkFindings(hosts, host, port) }
    }

    /// Lines mean the same alone, and as they are written again.
    private static func checkLines(_ hosts: KnownHosts, _ file: [UInt8]) {
        let alone = file.split(separator: UInt8(ascii: "\n")).flatMap { KnownHosts(parsing: Array($0)).entries }
        guard alone == hosts.entries else { fatalError("lines mean something else alone") }
        let written = Array(hosts.entries.map(\.line).joined(separator: [UInt8(ascii: "\n")]))
        guard KnownHosts(parsing: written) == hosts else { fatalError("written again, it says something else") }
    }

    /// What is found is what a slow, plain reading finds.
    private static func checkFindings(_ hosts: KnownHosts, _ host: String, _ port: Int) {
        let name = Array((port == 22 ? host : "[\(host)]:\(port)").utf8)
        let matching = hosts.entries.filter { matches($0.hosts, name) }
        let found = hosts.findings(for: host, port: port, hmac: digest)
        guard found.known == matching.filter({ $0.marker == nil }).map(\.key),
            found.revoked == matching.filter({ $0.marker == .revoked }).map(\.key)
        else { fatalError("another reading finds something else") }
    }

    private static func matches(_ names: KnownHostNames, _ name: [UInt8]) -> Bool {
        switch names {
        case .hashed(let salt, let hash): return digest(salt, name) == hash
        case .patterns(let patterns):
            guard !patterns.contains(where: { $0.isNegated && matches($0.text, name) }) else { return false }
            return patterns.contains { !$0.isNegated && matches($0.text, name) }
        }
    }

    /// By a table: whether so much of the pattern matches so much of the name.
    private static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        var row = [true] + [Bool](repeating: false, count: name.count)
        for octet in pattern {
            var next = [octet == UInt8(ascii: "*") && row[0]]
            for (index, letter) in name.enumerated() {
                switch octet {
                case UInt8(ascii: "*"): next.append(next[index] || row[index + 1])
                case UInt8(ascii: "?"): next.append(row[index])
                default: next.append(row[index] && octet == letter)
                }
            }
            row = next
        }
        return row[name.count]
    }

    /// In place of HMAC-SHA1: of 20 octets too, and often the same, so that hashed names are found.
    private static func digest(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
        [UInt8](repeating: (key.first ?? 0) ^ (text.first ?? 0), count: 20)
    }
}
