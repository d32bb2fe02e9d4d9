import PrintModel

extension HostKeyPolicy {
    /// Accepts what is known and not revoked. As with `ssh`, a host has changed its key where one of the shown type is
    /// known and differs; where only others are known, this one is unknown: the server may have it besides.
    init(_ findings: KnownHosts.Findings) throws(SSHError) {
        var known: [HostKey] = []
        for key in findings.known where !findings.revoked.contains(key) {
            let key = try HostKey(key)
            if !known.contains(key) { known.append(key) }
        }
        let (accepted, revoked) = (known, RevokedKeys(findings.revoked))
        self.init(preferredAlgorithms: HostKeyAlgorithms.order(known.map(\.algorithm))) {
            key, octets throws(SSHError) in
            try revoked.refuse(key, octets)
            if findings.known.contains(where: { $0.octets == octets }) { return }
            let old = accepted.filter { $0.algorithm == key.algorithm }
            guard old.isEmpty else {
                throw SSHError(
                    .hostKeyChanged(from: old.map(\.fingerprint)), operation: "host key",
                    reason: "its host key is \(key.summary), and it is known by \(old.summary)", hostKey: key)
            }
            var reason = "no known_hosts file knows its host key (\(key.summary))"
            if !accepted.isEmpty {
                reason += ", but it is known by \(accepted.summary)"
            } else if findings.atStandardPort.contains(where: { $0.octets == octets }) {
                reason += ", but it is known as the key of the host's port 22"
            }
            throw SSHError(.hostKeyUnknown, operation: "host key", reason: reason, hostKey: key)
        }
    }
}

extension [HostKey] {
    fileprivate var summary: String { map(\.summary).joined(separator: ", ") }
}

extension KnownHosts.Findings {
    static func += (all: inout Self, more: Self) {
        all.known += more.known
        all.revoked += more.revoked
        all.atStandardPort += more.atStandardPort
    }
}
