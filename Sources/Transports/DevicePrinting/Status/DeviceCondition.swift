package import KioskPrintModel

/// The conditions that a printer has reported, in one form for all languages and the USB port status.
package struct DeviceCondition: Hashable, Sendable {
    package private(set) var facts: Facts
    /// The facts that were reported on, whether true or not.
    package private(set) var known: Facts
    /// The level of the drawer connector's sense pin (pin 3 on Epson's, the compulsion switch on Star's). Which level
    /// means open depends on the drawer's wiring; without a drawer the level means nothing.
    package private(set) var drawerLevel: DeviceSettings.DrawerLevel?

    package struct Facts: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let offline = Facts(rawValue: 1 << 0)
        package static let coverOpen = Facts(rawValue: 1 << 1)
        package static let paperEnd = Facts(rawValue: 1 << 2)
        package static let paperLow = Facts(rawValue: 1 << 3)
        /// Someone holds the feed button.
        package static let feedingByButton = Facts(rawValue: 1 << 4)
        /// Waits for the feed button, or for the host, to go online again.
        package static let waitsForOnline = Facts(rawValue: 1 << 5)
        package static let cutterError = Facts(rawValue: 1 << 6)
        package static let mechanicalError = Facts(rawValue: 1 << 7)
        package static let unrecoverableError = Facts(rawValue: 1 << 8)
        /// An error that goes away by itself: a hot print head; with the cover open, the open cover.
        package static let recoversAutomatically = Facts(rawValue: 1 << 9)
        package static let overheated = Facts(rawValue: 1 << 10)
        /// An error, without saying which.
        package static let error = Facts(rawValue: 1 << 11)
        package static let paperJam = Facts(rawValue: 1 << 12)
        package static let markNotFound = Facts(rawValue: 1 << 13)
        package static let headUp = Facts(rawValue: 1 << 14)
        /// Data arrived faster than the printer took it, and some is lost.
        package static let overflow = Facts(rawValue: 1 << 15)
        /// Someone has pressed its pause button.
        package static let paused = Facts(rawValue: 1 << 16)
        package static let ribbonOut = Facts(rawValue: 1 << 17)
        /// It waits for paper of some size in one of its trays.
        package static let paperNeeded = Facts(rawValue: 1 << 18)
        /// It leaves requests without a response, as some do while they cannot print.
        package static let silent = Facts(rawValue: 1 << 19)

        static let escPos: Facts = [
            .offline, .coverOpen, .paperEnd, .paperLow, .feedingByButton, .waitsForOnline, .cutterError,
            .unrecoverableError, .recoversAutomatically,
        ]
    }

    package init(facts: Facts = [], known: Facts = [], drawerLevel: DeviceSettings.DrawerLevel? = nil) {
        self.facts = facts
        self.known = known.union(facts)
        self.drawerLevel = drawerLevel
    }

    /// Applies a newer report; facts that it does not report on stay.
    package mutating func merge(_ newer: DeviceCondition) {
        facts = facts.subtracting(newer.known).union(newer.facts)
        known.formUnion(newer.known)
        drawerLevel = newer.drawerLevel ?? drawerLevel
        // An unspecified error is over when the printer specifies its errors and has none, or is online again.
        if newer.known.contains(.cutterError),
            newer.facts.isDisjoint(with: [.cutterError, .unrecoverableError, .error])
        {
            facts.remove(.error)
        }
    }
}

// The IPP keywords. All but `offline` are registered (RFC 8011 §5.4.12, PWG 5100.9 §8); CUPS' backends use `offline`.
extension DeviceCondition {
    /// The state reasons, worst first; empty where there are none, or nothing is known.
    package var reasons: [StateReason] {
        var found: [StateReason] = []
        func add(_ fact: Facts, _ keyword: String, _ severity: StateReason.Severity = .error) {
            guard facts.contains(fact), !found.contains(where: { $0.keyword == keyword }) else { return }
            found.append(StateReason(keyword: keyword, severity: severity))
        }
        add(.coverOpen, "cover-open")
        add(.headUp, "interlock-open")
        add(.paperEnd, "media-empty")
        add(.paperNeeded, "media-needed")
        add(.ribbonOut, "marker-supply-empty")
        add(.paperJam, "media-jam")
        // The cutter that separates receipts is PWG 5100.9's separation cutter, and it stops at a jam.
        add(.cutterError, "separation-cutter-jam")
        add(.overheated, "fuser-over-temp")
        // Epson reports this for a hot head, and for a cover that is opened while printing.
        if !facts.contains(.coverOpen) { add(.recoversAutomatically, "fuser-over-temp") }
        add(.unrecoverableError, "other")
        add(.mechanicalError, "other")
        add(.markNotFound, "other")
        add(.paused, "paused")
        if found.isEmpty { add(.silent, "other") }
        if found.isEmpty { add(.error, "other") }
        if found.isEmpty { add(.offline, "offline") }
        if found.isEmpty { add(.waitsForOnline, "offline") }
        if !facts.contains(.paperEnd) { add(.paperLow, "media-low", .warning) }
        return found
    }

    /// Whether the printer prints nothing until someone acts, or until its head has cooled down.
    package var isStopped: Bool { reasons.contains { $0.severity == .error } }

    /// Whether it says that it is stopped: `isStopped` also counts one that leaves requests without a response.
    package var isReportedStopped: Bool {
        guard facts.contains(.silent) else { return isStopped }
        return DeviceCondition(facts: facts.subtracting(.silent)).isStopped
    }

    /// Whether everything can be corrected at the printer, which then continues with the data that it holds.
    package var isRecoverable: Bool { !facts.contains(.unrecoverableError) && !facts.contains(.overflow) }

    /// Ready, attention or stopped; unknown while nothing has been reported.
    package func availability(drawerOpen: DeviceSettings.DrawerLevel? = nil) -> Availability {
        guard !known.isEmpty else { return .unknown }
        let drawer = drawerReason(open: drawerOpen)
        let reasons = self.reasons
        let state: Availability.State =
            isStopped ? .stopped : reasons.contains { $0.severity == .warning } ? .attention : .ready
        return Availability(state, reasons: reasons + (drawer.map { [$0] } ?? []), message: advice)
    }

    /// Whether the drawer is open; nil where the printer has not reported it, or the meaning of its signal is unknown.
    package func isDrawerOpen(open: DeviceSettings.DrawerLevel?) -> Bool? {
        guard let open, let drawerLevel else { return nil }
        return drawerLevel == open
    }

    /// There is no registered keyword for a cash drawer.
    private func drawerReason(open: DeviceSettings.DrawerLevel?) -> StateReason? {
        isDrawerOpen(open: open) == true ? StateReason(keyword: "cash-drawer-open", severity: .report) : nil
    }

    /// The state reasons and the drawer's signal, for a trace: `media-low, drawer signal high`.
    package var summary: String {
        let keywords = reasons.map(\.keyword)
        let state = keywords.isEmpty ? "ready" : keywords.joined(separator: ", ")
        return state + (drawerLevel.map { ", drawer signal \($0.rawValue)" } ?? "")
    }

    /// What to do about the worst reason, for people; nil where there is no reason.
    package var advice: String? {
        if facts.contains(.coverOpen) { return "the cover is open; close it" }
        if facts.contains(.headUp) { return "the print head is up; put it down" }
        if facts.contains(.paperEnd) { return "it is out of paper; put in a new roll" }
        if facts.contains(.paperNeeded) { return "it waits for paper; load its tray" }
        if facts.contains(.ribbonOut) { return "its ribbon is used up; put in a new one" }
        if facts.contains(.paperJam) { return "the paper is jammed; remove it" }
        if facts.contains(.cutterError) { return "the cutter is stuck; open the cover, remove the paper and close it" }
        if facts.contains(.overheated) || facts.contains(.recoversAutomatically) {
            return "the print head is too hot; it goes on by itself when it has cooled down"
        }
        if facts.contains(.unrecoverableError) {
            return "it reports a fault; switch it off and on, and have it repaired if that does not help"
        }
        if facts.contains(.markNotFound) { return "it does not find the mark on its paper; check the paper" }
        if facts.contains(.paused) { return "it is paused; press its pause button" }
        if facts.contains(.silent) {
            return "it does not respond; check its labels, its ribbon and its print head"
        }
        if facts.contains(.mechanicalError) || facts.contains(.error) {
            return "it reports an error; look at its lamps, and switch it off and on"
        }
        if facts.contains(.offline) || facts.contains(.waitsForOnline) { return "it is offline; press its feed button" }
        if facts.contains(.paperLow) { return "its paper is low; have a new roll at hand" }
        return nil
    }
}

/// The byte that GET_PORT_STATUS returns (USB printer class 1.1 §4.2.2): the only status of a printer without a
/// back-channel. Its bits are those of the parallel port.
package struct PortStatus: Hashable, Sendable {
    package var byte: UInt8

    package init(_ byte: UInt8) { self.byte = byte }

    /// "Not error" is bit 3, "selected" bit 4, "paper empty" bit 5. A printer that cannot detect them returns 18h: no
    /// error. A byte with a reserved bit, or without any bit, was never filled in and says nothing.
    package var condition: DeviceCondition {
        guard byte & Self.reserved == 0, byte != 0 else { return DeviceCondition() }
        var facts = DeviceCondition.Facts()
        if byte & 0x08 == 0 { facts.insert(.error) }
        if byte & 0x10 == 0 { facts.insert(.offline) }
        if byte & 0x20 != 0 { facts.insert(.paperEnd) }
        return DeviceCondition(facts: facts, known: [.error, .offline, .paperEnd])
    }

    private static let reserved: UInt8 = 0b1100_0111
}
