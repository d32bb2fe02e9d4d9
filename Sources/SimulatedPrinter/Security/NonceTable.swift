/// The nonces that the printer gave out, and how often each was used (RFC 7616 §3.4). No I/O.
struct NonceTable {
    /// The oldest go first; their users learn by `stale` to take a new one.
    private static let limit = 1000

    private struct Entry {
        let issuedAt: Duration
        var highest: UInt32 = 0
        /// The 64 counts up to the highest that were seen: requests on two connections may overtake each other.
        var seen: UInt64 = 0
    }

    private let lifetime: Duration
    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    init(lifetime: Duration) { self.lifetime = lifetime }

    mutating func issue(at now: Duration) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let nonce = String(decoding: (0..<32).map { _ in digits[Int.random(in: 0..<16)] }, as: UTF8.self)
        entries[nonce] = Entry(issuedAt: now)
        order.append(nonce)
        if order.count > Self.limit { entries[order.removeFirst()] = nil }
        return nonce
    }

    /// Whether a nonce is good for this count, which it is once.
    mutating func use(_ nonce: String, count: UInt32, at now: Duration) -> Bool {
        guard var entry = entries[nonce], now - entry.issuedAt < lifetime, count > 0 else { return false }
        if count > entry.highest {
            let step = count - entry.highest
            entry.seen = step < 64 ? entry.seen << UInt64(step) | 1 : 1
            entry.highest = count
        } else {
            let age = entry.highest - count
            guard age < 64, entry.seen & 1 << UInt64(age) == 0 else { return false }
            entry.seen |= 1 << UInt64(age)
        }
        entries[nonce] = entry
        return true
    }
}
