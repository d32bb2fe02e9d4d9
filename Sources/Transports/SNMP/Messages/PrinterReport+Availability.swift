package import KioskPrintModel

extension PrinterReport {
    /// What keeps the printer from printing or will soon, as IPP's keywords (RFC 8011 §5.4.12, PWG 5100.9 §4).
    ///
    /// Only what printers report reliably counts (as for CUPS's `backend/snmp-supplies.c`), and only paper, an open door
    /// and a jam stop it. That it is off-line or wants service, many say that print.
    package var reasons: [StateReason] {
        guard let errorState else { return [] }
        var reasons: [StateReason] = []
        func add(_ bit: DetectedErrorState, _ keyword: String, _ severity: StateReason.Severity = .warning) {
            if errorState.contains(bit) { reasons.append(StateReason(keyword: keyword, severity: severity)) }
        }
        if let severity = emptyMedia { reasons.append(StateReason(keyword: "media-empty", severity: severity)) }
        add(.doorOpen, "door-open", .error)
        add(.jammed, "media-jam", .error)
        add(.inputTrayMissing, "input-tray-missing")
        add(.outputTrayMissing, "output-tray-missing")
        add(.outputFull, "output-area-full")
        add(.markerSupplyMissing, "marker-supply-missing")
        if emptyMedia == nil { add(.lowPaper, "media-low") }
        add(.noToner, printsInk ? "marker-supply-empty" : "toner-empty")
        if !errorState.contains(.noToner) { add(.lowToner, printsInk ? "marker-supply-low" : "toner-low") }
        return reasons
    }

    /// How grave it is that paper is missing; nil where none is. A single empty tray is a warning while another has
    /// paper, or where the agent does not tell what the trays have.
    private var emptyMedia: StateReason.Severity? {
        guard let errorState, !errorState.isDisjoint(with: [.noPaper, .inputTrayEmpty]) else { return nil }
        if trayLevels.contains(where: { $0 > 0 || $0 == Self.someLeft }) { return .warning }
        // Levels below 0 are no levels (RFC 3805 §6).
        let areAllEmpty = !trayLevels.isEmpty && trayLevels.allSatisfy { $0 == 0 }
        return areAllEmpty ? .error : .warning
    }

    private var printsInk: Bool {
        let types = supplies.compactMap(\.typeKeyword)
        return types.contains { $0.hasPrefix("ink") } && !types.contains { $0.hasPrefix("toner") }
    }

    /// RFC 3805 §6: at least one unit of a supply, or one sheet, is left.
    fileprivate static let someLeft = -3

    /// What the report makes of an availability that the printer's own protocol gave. What that says itself counts: the
    /// report adds to one that has no reasons, of a printer that would print.
    package func applied(to availability: Availability) -> Availability {
        guard availability.state == .ready || availability.state == .busy, availability.reasons.isEmpty else {
            return availability
        }
        let reasons = reasons
        var result = availability
        result.reasons = reasons
        if reasons.contains(where: { $0.severity == .error }) {
            result.state = .stopped
        } else if !reasons.isEmpty {
            result.state = .attention
        } else if status == Self.printing {
            result.state = .busy
        }
        return result
    }
}

extension Supply {
    /// A supply as SNMP reports it; nil where it has neither a name nor a known type.
    package init?(_ supply: MarkerSupply) {
        guard let name = supply.description ?? supply.typeKeyword else { return nil }
        self.init(name: name, type: supply.typeKeyword, level: supply.percent)
    }
}

extension MarkerSupply {
    /// Its type as a keyword of PWG 5100.9 `marker-types`; nil for `other`, `unknown` and what is newer.
    package var typeKeyword: String? {
        guard let type, Self.typeKeywords.indices.contains(type - Self.firstType) else { return nil }
        return Self.typeKeywords[type - Self.firstType]
    }

    /// How full it is, in percent. A receptacle's level is the room that is left in it (RFC 3805 §6), and it is full at
    /// 100. Nil where the agent does not know it, or only that some is left.
    fileprivate var percent: Int? {
        guard let level, level >= 0 else { return nil }
        let filled: Int
        if let maximum, maximum > 0 {
            filled = min(100, level * 100 / maximum)
        } else if level <= 100 {
            // Some agents give percents of a capacity that they do not know.
            filled = level
        } else {
            return nil
        }
        return isReceptacle ? 100 - filled : filled
    }

    private var isReceptacle: Bool {
        switch supplyClass {
        case Self.consumed: false
        case Self.filled: true
        default: typeKeyword?.hasPrefix("waste-") == true
        }
    }

    // `prtMarkerSuppliesClass` (RFC 3805 §6).
    private static let consumed = 3
    private static let filled = 4

    /// `PrtMarkerSuppliesTypeTC` (RFC 3805 §6) from `toner` (3) on.
    private static let firstType = 3
    private static let typeKeywords = [
        "toner", "waste-toner", "ink", "ink-cartridge", "ink-ribbon", "waste-ink", "opc", "developer", "fuser-oil",
        "solid-wax", "ribbon-wax", "waste-wax", "fuser", "corona-wire", "fuser-oil-wick", "cleaner-unit",
        "fuser-cleaning-pad", "transfer-unit", "toner-cartridge", "fuser-oiler", "water", "waste-water",
        "glue-water-additive", "waste-paper", "binding-supply", "banding-supply", "stitching-wire", "shrink-wrap",
        "paper-wrap", "staples", "inserts", "covers",
    ]
}
