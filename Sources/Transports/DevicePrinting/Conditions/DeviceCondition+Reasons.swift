package import PrintModel

// In IPP's words. All but `offline` are registered (RFC 8011 §5.4.12, PWG 5100.9 §8); `offline` is what CUPS' backends
// say.
extension DeviceCondition {
    /// What is the matter, worst first; empty when nothing is, or nothing is known.
    package var reasons: [StateReason] {
        var found: [StateReason] = []
        func add(_ fact: Facts, _ keyword: String, _ severity: StateReason.Severity = .error) {
            guard facts.contains(fact), !found.contains(where: { $0.keyword == keyword }) else { return }
            found.append(StateReason(keyword: keyword, severity: severity))
        }
        add(.coverOpen, "cover-open")
        add(.headUp, "interlock-open")
        add(.paperEnd, "media-empty")
        add(.paperJam, "media-jam")
        // The cutter that parts receipts is PWG 5100.9's separation cutter, and a jam is what stops it.
        add(.cutterError, "separation-cutter-jam")
        add(.overheated, "fuser-over-temp")
        // Epson's says so for the hot head, and for the cover opened while printing.
        if !facts.contains(.coverOpen) { add(.recoversByItself, "fuser-over-temp") }
        add(.unrecoverableError, "other")
        add(.mechanicalError, "other")
        add(.markNotFound, "other")
        if found.isEmpty { add(.error, "other") }
        if found.isEmpty { add(.offline, "offline") }
        if found.isEmpty { add(.waitsForOnline, "offline") }
        if !facts.contains(.paperEnd) { add(.paperLow, "media-low", .warning) }
        return found
    }

    /// Whether nothing comes out until something is done, or has cooled down.
    package var isStopped: Bool { reasons.contains { $0.severity == .error } }

    /// Whether all of it can be mended at the printer, after which it goes on with what it has.
    package var goesOnWhenMended: Bool { !facts.contains(.unrecoverableError) && !facts.contains(.overflow) }

    /// Ready, attention or stopped; unknown while nothing was reported.
    package func availability(drawerOpen: DeviceSettings.DrawerLevel? = nil) -> Availability {
        guard !known.isEmpty else { return .unknown }
        let drawer = drawerReason(open: drawerOpen)
        let reasons = self.reasons
        let state: Availability.State =
            isStopped ? .stopped : reasons.contains { $0.severity == .warning } ? .attention : .ready
        return Availability(state, reasons: reasons + (drawer.map { [$0] } ?? []), message: advice)
    }

    /// Whether the drawer is open; nil where the printer has not said, or nobody knows what its signal means.
    package func isDrawerOpen(open: DeviceSettings.DrawerLevel?) -> Bool? {
        guard let open, let drawerLevel else { return nil }
        return drawerLevel == open
    }

    /// There is no registered keyword for a cash drawer.
    private func drawerReason(open: DeviceSettings.DrawerLevel?) -> StateReason? {
        isDrawerOpen(open: open) == true ? StateReason(keyword: "cash-drawer-open", severity: .report) : nil
    }

    /// What to do about the worst, for people; nil when nothing is the matter.
    package var advice: String? {
        if facts.contains(.coverOpen) { return "the cover is open; close it" }
        if facts.contains(.headUp) { return "the print head is up; put it down" }
        if facts.contains(.paperEnd) { return "it is out of paper; put in a new roll" }
        if facts.contains(.paperJam) { return "the paper is jammed; remove it" }
        if facts.contains(.cutterError) { return "the cutter is stuck; open the cover, remove the paper and close it" }
        if facts.contains(.overheated) || facts.contains(.recoversByItself) {
            return "the print head is too hot; it goes on by itself when it has cooled down"
        }
        if facts.contains(.unrecoverableError) {
            return "it reports a fault; switch it off and on, and have it repaired if that does not help"
        }
        if facts.contains(.markNotFound) { return "it does not find the mark on its paper; check the paper" }
        if facts.contains(.mechanicalError) || facts.contains(.error) {
            return "it reports an error; look at its lamps, and switch it off and on"
        }
        if facts.contains(.offline) || facts.contains(.waitsForOnline) { return "it is offline; press its feed button" }
        if facts.contains(.paperLow) { return "its paper is low; have a new roll at hand" }
        return nil
    }
}
