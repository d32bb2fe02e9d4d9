/// The types of host keys that are in use, best first (RFC 8709, RFC 5656, RFC 4253).
enum HostKeyAlgorithms {
    /// A server seldom has two keys of one family.
    static let families = [
        ["ssh-ed25519"], ["ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"], ["ssh-rsa"],
    ]

    private static let common = families.flatMap(\.self)

    /// Each once, best first; others as they come behind them.
    static func order(_ types: [String]) -> [String] {
        var rest: [String] = []
        for type in types where !common.contains(type) && !rest.contains(type) { rest.append(type) }
        return common.filter(types.contains) + rest
    }

    /// These as they come, then all others, best first: what `ssh` asks for too, so that people compare the same key
    /// (libssh2's own order has ECDSA before Ed25519).
    static func preference(_ types: [String]) -> [String] {
        types + common.filter { !types.contains($0) }
    }

    /// What a handshake names, best first, to be shown a key of these types before all others: of what is supported,
    /// the ways in which each type signs. RSA keys have three (RFC 8332), of which libssh2 knows the last alone before
    /// 1.11.
    static func signatures(of types: [String], supported: [String]) -> [String] {
        var order: [String] = []
        for name in types.flatMap({ $0 == "ssh-rsa" ? rsaSignatures : [$0] }) + supported
        where supported.contains(name) && !order.contains(name) { order.append(name) }
        return order
    }

    private static let rsaSignatures = ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"]
}
