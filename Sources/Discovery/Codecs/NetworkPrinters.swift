package import KioskPrintModel

/// A printer on the network, with every way to it that is known.
package struct NetworkPrinter: Hashable, Sendable {
    /// Tells the printers of one search apart; later words of the same printer bear the same number.
    package let number: Int
    /// What was found, the best way first: IPP over TLS, IPP, raw data, LPD.
    package fileprivate(set) var findings: [NetworkFinding]

    /// The way to save it with.
    package var best: NetworkFinding { findings[0] }
    /// The ways to it, the best first, with every host and every IPv4 address that other computers can reach, since anybody
    /// can claim to be this printer. A host's further addresses are left out.
    package var ways: [PrinterURL] {
        var ways: [NetworkFinding] = []
        for finding in findings where !ways.contains(where: { $0.makesNeedless(finding) }) { ways.append(finding) }
        return ways.map(\.url)
    }
    /// The names of its hosts, or the addresses of those without one. More than one host claim to be it where these are
    /// several.
    package var hosts: Set<String> {
        Set(
            findings.map { finding in
                finding.hostName ?? findings.first { $0.address == finding.address && $0.hostName != nil }?.hostName
                    ?? finding.address
            })
    }

    /// This printer with the ways to a host before all others.
    package func preferring(host: String) -> NetworkPrinter {
        var printer = self
        let isPreferred = { (finding: NetworkFinding) in finding.address == host || finding.hostName == host }
        printer.findings = findings.filter(isPreferred) + findings.filter { !isPreferred($0) }
        return printer
    }
    /// Whether the printer itself answered, and no server for it.
    package var isDevice: Bool { findings.contains { $0.source != .dnsSD } }
    /// The name with the most to say: what a datagram tells may be the maker alone.
    package var makeAndModel: String { (findings.first { $0.model != nil } ?? best).makeAndModel }
    package var uuid: String? { findings.lazy.compactMap(\.uuid).first }
    package var location: String? { findings.lazy.compactMap(\.location).first }
    package var formats: [String] { findings.first { !$0.formats.isEmpty }?.formats ?? [] }

    /// The protocols that told of it, in their order.
    package var sources: [NetworkFinding.Source] {
        NetworkFinding.Source.allCases.filter { source in findings.contains { $0.source == source } }
    }
}

extension NetworkFinding {
    /// Whether another finding leads nowhere else: to the same service of the same host.
    fileprivate func makesNeedless(_ other: NetworkFinding) -> Bool {
        guard url.scheme == other.url.scheme, url.port == other.url.port, url.path == other.url.path else {
            return false
        }
        if address == other.address { return true }
        return hostName != nil && hostName == other.hostName && other.addressRank > 0
    }

    /// An address that other computers can reach goes before one that holds on this link or this computer only, and IPv4
    /// before IPv6.
    fileprivate var addressRank: Int {
        if address.hasPrefix("127.") || address == "::1" { return 4 }
        if address.hasPrefix("fe80:") { return 3 }
        if address.hasPrefix("169.254.") { return 2 }
        return address.utf8.contains(UInt8(ascii: ":")) ? 1 : 0
    }
}

/// Makes one list of what several services tell of the same printers. No I/O, and no clock: the caller says what time
/// it is.
package struct NetworkPrinters: Sendable {
    private struct Entry {
        var printer: NetworkPrinter
        /// When it changed last; nil once it was returned since.
        var changed: Duration?
        var wasReturned = false
    }

    private var entries: [Entry] = []
    private var lastNumber = 0
    private var joined: [Int] = []
    private let settleTime: Duration

    /// The printers of one search, and the ways to one.
    package static let maximumPrinters = 256
    package static let maximumFindings = 32

    /// A printer is told of once nothing new has been found for `settleTime`: its services answer one by one.
    package init(settleTime: Duration = .milliseconds(400)) { self.settleTime = settleTime }

    /// What there was no room for.
    package enum LeftOut: Hashable, Sendable {
        case printer
        /// A way to a printer that is shown.
        case way

        /// What is said of it.
        package var note: String {
            switch self {
            case .printer: "more than \(maximumPrinters) printers answered; only \(maximumPrinters) are shown"
            case .way:
                "more than \(maximumFindings) services tell of one printer; only \(maximumFindings) are looked at"
            }
        }
    }

    /// Adds a finding. Returns what was left out where there is no room.
    @discardableResult package mutating func add(_ finding: NetworkFinding, at now: Duration) -> LeftOut? {
        let same = entries.indices.filter { Self.isSame(entries[$0].printer, finding) }
        guard let first = same.first else {
            guard entries.count < Self.maximumPrinters else { return .printer }
            lastNumber += 1
            entries.append(Entry(printer: NetworkPrinter(number: lastNumber, findings: [finding]), changed: now))
            return nil
        }
        let known = same.flatMap { entries[$0].printer.findings }
        guard same.count > 1 || !known.contains(finding) else { return nil }
        let findings = Set(known + [finding]).sorted(by: Self.isBetter)
        entries[first].printer.findings = Array(findings.prefix(Self.maximumFindings))
        entries[first].changed = now
        // A finding may show that two are one.
        for index in same.dropFirst().reversed() {
            let entry = entries.remove(at: index)
            if entry.wasReturned { joined.append(entry.printer.number) }
        }
        return findings.count <= Self.maximumFindings ? nil : .way
    }

    /// The printers that are new or have changed, and have been quiet since.
    package mutating func settled(at now: Duration) -> [NetworkPrinter] {
        let settleTime = settleTime
        return take { now - $0 >= settleTime }
    }

    /// The printers that are new or have changed.
    package mutating func rest() -> [NetworkPrinter] { take { _ in true } }

    /// The numbers of printers that were returned and turned out to be the same as another, whose number stays.
    package mutating func takeJoined() -> [Int] {
        defer { joined = [] }
        return joined
    }

    private mutating func take(_ isDue: (Duration) -> Bool) -> [NetworkPrinter] {
        var due: [NetworkPrinter] = []
        for index in entries.indices {
            guard let changed = entries[index].changed, isDue(changed) else { continue }
            entries[index].changed = nil
            entries[index].wasReturned = true
            due.append(entries[index].printer)
        }
        return due
    }

    // MARK: The same printer

    private static func isSame(_ printer: NetworkPrinter, _ finding: NetworkFinding) -> Bool {
        if let known = printer.uuid, let uuid = finding.uuid { return known == uuid }
        return printer.findings.contains { isSameHost($0, finding) && isSameModel($0, finding) }
            && !printer.findings.contains { isOtherQueue($0, finding) }
    }

    private static func isSameHost(_ left: NetworkFinding, _ right: NetworkFinding) -> Bool {
        left.address == right.address || left.hostName != nil && left.hostName == right.hostName
    }

    /// Makers write one model in several ways: `TM-m30`, `EPSON TM-m30`. Who names the maker alone may be any of them.
    private static func isSameModel(_ left: NetworkFinding, _ right: NetworkFinding) -> Bool {
        guard let one = left.model.map(letters), let other = right.model.map(letters), !one.isEmpty, !other.isEmpty
        else { return true }
        return one.starts(with: other) || other.starts(with: one) || isSuffix(one, of: other)
            || isSuffix(other, of: one)
    }

    private static func isSuffix(_ end: [UInt8], of whole: [UInt8]) -> Bool {
        end.count <= whole.count && whole.suffix(end.count).elementsEqual(end)
    }

    private static func letters(_ name: String) -> [UInt8] {
        name.lowercased().utf8.filter {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    /// Two queues of one print server differ in port or path.
    private static func isOtherQueue(_ left: NetworkFinding, _ right: NetworkFinding) -> Bool {
        left.url.scheme == right.url.scheme
            && (left.url.effectivePort != right.url.effectivePort || left.url.path != right.url.path)
    }

    // MARK: The best way

    private static func isBetter(_ left: NetworkFinding, _ right: NetworkFinding) -> Bool {
        let (one, other) = (rank(left), rank(right))
        return one == other
            ? "\(left.url) \(left.source)" < "\(right.url) \(right.source)" : one.lexicographicallyPrecedes(other)
    }

    private static func rank(_ finding: NetworkFinding) -> [Int] {
        let schemes: [PrinterURL.Scheme] = [.ipps, .ipp, .socket, .lpd]
        return [schemes.firstIndex(of: finding.url.scheme) ?? schemes.count, finding.addressRank]
    }
}
