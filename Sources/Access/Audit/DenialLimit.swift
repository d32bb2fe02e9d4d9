import KioskPrintModel

/// The limit on denied entries, which anybody may cause: in each window some of one address, and some of all addresses
/// together. The others are counted. A value without a clock.
struct DenialLimit: Sendable {
    /// When the present window began; nil where there was no denial since the last one.
    private(set) var start: Timestamp?
    private var noted = 0
    private var addresses: [String: Count] = [:]

    private struct Count {
        var noted = 0
        /// Those that were not noted.
        var omitted = 0
    }

    /// Seconds.
    static let window = 60
    /// Denials of one address that are noted in each window.
    static let maximumOfAddress = 20
    /// Denials of all addresses together that are noted in each window.
    static let maximum = 100
    /// The most addresses that are counted apart; the others are counted together.
    static let maximumAddresses = 256
    /// The most addresses whose omitted denials are summed up apart.
    static let maximumSums = 20

    /// Whether to note this entry.
    mutating func admit(_ entry: AuditEntry) -> Bool {
        if start == nil { start = entry.time }
        var key = LoginThrottle.key(of: entry.address)
        if addresses[key] == nil, addresses.count >= Self.maximumAddresses { key = Self.others }
        let count = addresses[key] ?? Count()
        let isNoted = noted < Self.maximum && count.noted < Self.maximumOfAddress
        if isNoted {
            noted += 1
            addresses[key, default: count].noted += 1
        } else {
            addresses[key, default: count].omitted += 1
        }
        return isNoted
    }

    /// Whether the present window is over.
    func isOver(at now: Timestamp) -> Bool {
        start.map { now < $0 || $0.advanced(bySeconds: Self.window) <= now } ?? false
    }

    /// Ends the window; returns the sums of what was not noted, one for each of the addresses with the most, and one
    /// for the others together.
    mutating func end(at now: Timestamp) -> [AuditEntry] {
        guard let start else { return [] }
        let omitted = addresses.filter { $0.value.omitted > 0 && $0.key != Self.others }
            .sorted { ($1.value.omitted, $0.key) < ($0.value.omitted, $1.key) }
        var sums = omitted.prefix(Self.maximumSums).map { ($0.key, $0.value.omitted) }
        let rest = omitted.dropFirst(Self.maximumSums).reduce(addresses[Self.others]?.omitted ?? 0) {
            $0 + $1.value.omitted
        }
        if rest > 0 { sums.append((Self.others, rest)) }
        self = DenialLimit()
        return sums.map { address, count in
            AuditEntry(
                time: now, actor: "nobody", address: address, action: "denied", outcome: .denied,
                message: "\(count) more since \(start)")
        }
    }

    private static let others = "other addresses"
}
