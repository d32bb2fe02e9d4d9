import Glibc
package import KioskPrintModel

/// The failed logins of each address, and how long it must wait before it may try again. A value without a clock.
package struct LoginThrottle: Sendable {
    private var failures: [String: Failures] = [:]

    private struct Failures {
        var count: Int
        var last: Timestamp

        func isRemembered(at now: Timestamp) -> Bool { last <= now && now < last.advanced(bySeconds: memory) }
    }

    /// Failures after which each further attempt waits a second.
    package static let slowAfter = 5
    /// Failures after which an attempt waits for minutes.
    package static let blockedAfter = 20
    /// Seconds between attempts.
    package static let slowDelay = 1
    package static let blockedDelay = 300
    /// Seconds after which the failures of an address are forgotten.
    package static let memory = 900
    /// The most addresses; of more, the one whose last failure is longest ago is forgotten.
    package static let maximumAddresses = 1024

    package init() {}

    /// The seconds that this address must still wait; nil where it may try now.
    package func delay(for address: String, at now: Timestamp) -> Int? {
        guard let failures = failures[Self.key(of: address)], failures.isRemembered(at: now) else { return nil }
        // Behind a loopback address may be every user of the machine, and a proxy with all its clients.
        let isShared = ["127.0.0.1", "::1"].contains(address)
        let delay =
            failures.count >= Self.blockedAfter && !isShared
            ? Self.blockedDelay : failures.count >= Self.slowAfter ? Self.slowDelay : 0
        let end = failures.last.advanced(bySeconds: delay)
        guard now < end else { return nil }
        return Int((end.millisecondsSince1970 - now.millisecondsSince1970 + 999) / 1000)
    }

    /// Notes a failed attempt.
    package mutating func noteFailure(from address: String, at now: Timestamp) {
        let key = Self.key(of: address)
        if failures[key] == nil, failures.count >= Self.maximumAddresses {
            failures = failures.filter { $0.value.isRemembered(at: now) }
            if failures.count >= Self.maximumAddresses,
                let oldest = failures.min(by: { $0.value.last < $1.value.last })
            {
                failures[oldest.key] = nil
            }
        }
        var entry = failures[key].flatMap { $0.isRemembered(at: now) ? $0 : nil } ?? Failures(count: 0, last: now)
        entry.count += 1
        entry.last = now
        failures[key] = entry
    }

    /// Forgets the failures of an address that logged in.
    package mutating func noteSuccess(from address: String) { failures[Self.key(of: address)] = nil }

    /// What is counted as one address: of IPv6 the /64, since a host may take any address in it (RFC 4291 §2.5.4).
    /// Anything else counts as it is.
    package static func key(of address: String) -> String {
        var bytes = in6_addr()
        let text = address.prefix { $0 != "%" }
        guard text.utf8.count <= 45, text.contains(":"), inet_pton(AF_INET6, String(text), &bytes) == 1 else {
            return address.prefix(utf8Count: 64)
        }
        let all = withUnsafeBytes(of: &bytes) { Array($0) }
        // ::ffff:0:0/96 is IPv4 (RFC 4291 §2.5.5.2).
        if all.prefix(10).allSatisfy({ $0 == 0 }), all[10] == 0xFF, all[11] == 0xFF {
            return all[12...].map(String.init).joined(separator: ".")
        }
        return Hexadecimal.encode(Array(all.prefix(8))) + "/64"
    }
}
