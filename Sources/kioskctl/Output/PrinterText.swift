import KioskPrintModel
import KioskTerminal

/// Formats printers for people: a table and details.
enum PrinterText {
    static func table(_ printers: [PrinterStatus], _ style: Style = .current) -> String {
        // The column is left out where no printer has a certificate or host key.
        let showsTrust = printers.contains { trust($0.printer) != nil || $0.printer.sendsLoginsPlain }
        var table = Table(
            [.init(heading: "PRINTER"), .init(heading: "STATE")] + (showsTrust ? [.init(heading: "TRUST")] : []) + [
                .init(heading: "JOB TYPES"), .init(heading: "ROLES"), .init(heading: "JOBS", isNumber: true),
                .init(heading: "NAME"),
                .init(heading: "WHY"),
            ])
        for status in printers {
            let name = status.printer.name ?? status.description?.makeAndModel ?? status.description?.name
            table.add(
                [
                    .init(status.printer.id.rawValue),
                    .init(status.availability.state.rawValue, color(status.availability)),
                ] + (showsTrust ? [security(status.printer)] : []) + [
                    .init(status.jobTypes.map { $0.keywords.joined(separator: ",") } ?? "unknown"),
                    .init(status.roles.map(\.rawValue).joined(separator: ",")), "\(status.jobCount)",
                    .init(name?.withoutControlCharacters), .init(why(status.availability)),
                ])
        }
        return table.text(style)
    }

    static func color(_ availability: Availability) -> Style.Color? {
        switch availability.state {
        case .ready, .busy: .green
        case .attention: .yellow
        case .stopped, .unreachable: .red
        case .unknown: .gray
        }
    }

    /// The reasons in the printer's order, and its message. Empty for a ready printer without reasons: its message is
    /// often just "Ready."
    static func why(_ availability: Availability) -> String {
        if availability.state == .ready, availability.reasons.isEmpty { return "" }
        let reasons = availability.reasons.map { $0.severity == .error ? $0.keyword : $0.ippKeyword }.joined(
            separator: ", ")
        guard let message = availability.message, !message.isEmpty else { return reasons }
        return reasons.isEmpty ? message : "\(reasons): \(message)"
    }

    /// Why a printer takes no job: `till-1 is stopped: media-empty`.
    static func obstacle(_ status: PrinterStatus) -> String {
        let why = why(status.availability)
        let state = "\(status.printer.id) is \(status.availability.state.rawValue)"
        return why.isEmpty ? "\(state); see `kioskctl printers show \(status.printer.id)`" : "\(state): \(why)"
    }

    static func details(_ status: PrinterStatus, _ style: Style = .current) -> String {
        let (printer, description) = (status.printer, status.description)
        var details = Details(printer.id.rawValue)
        details.add("url", printer.url.description)
        details.add("state", status.availability.state.rawValue, color(status.availability))
        details.add("why", why(status.availability))
        details.add(
            "contacted", status.contactedAt?.description ?? "never; run `kioskctl printers contact \(printer.id)`")
        details.add(
            "next contact",
            status.nextContactAt.map { "\($0); sooner for an operator, or once what is wrong is mended" })
        details.add("name", printer.name ?? description?.name)
        details.add("location", printer.location ?? description?.location)
        details.add("make and model", description?.makeAndModel)
        details.add("profile", printer.profile)
        details.add("job types", jobTypes(status))
        details.add("roles", status.roles.map(\.rawValue).joined(separator: ", "))
        addSecurity(of: printer, to: &details)
        if let description { add(description, to: &details) }
        for quirk in status.quirks {
            details.add(
                "quirk", "\(quirk.name.rawValue): \(quirk.value) (\(quirk.profile): \(quirk.why); \(quirk.source))")
        }
        details.add("jobs", "\(status.jobCount)")
        return details.text(style)
    }

    /// The trust and login settings. Unsafe ones are in capitals.
    private static func security(_ printer: SavedPrinter) -> Table.Cell {
        let words = [trust(printer), printer.sendsLoginsPlain ? "PLAIN-LOGIN" : nil].compactMap(\.self)
        return .init(words.joined(separator: ","), isUnverified(printer) || printer.sendsLoginsPlain ? .red : nil)
    }

    private static func isUnverified(_ printer: SavedPrinter) -> Bool { printer.trust == Trust.none }

    /// The trust setting in one word; nil for a printer that shows no certificate unless asked for one.
    private static func trust(_ printer: SavedPrinter) -> String? {
        switch printer.trust {
        case nil: [.ipps, .sshLpr].contains(printer.url.scheme) ? "system" : nil
        case .system?: "system"
        case .caFile?: "ca"
        case .knownHosts?: "known-hosts"
        case .pinned?: "pinned"
        case .ask?: "ask"
        case Trust.none?: "NONE"
        }
    }

    private static func addSecurity(of printer: SavedPrinter, to details: inout Details) {
        if isUnverified(printer) {
            details.add("trust", "NONE: whoever answers there gets its documents and logins", .red)
        } else {
            details.add("trust", printer.trust?.description ?? trust(printer))
        }
        details.add("credentials", printer.credentials)
        if printer.allowsPlainLogin == true {
            let words =
                printer.url.scheme != .ipp && isUnverified(printer)
                ? "whoever answers in its place gets its password" : "others on the network can read its password"
            details.add("login without TLS", "allowed: \(words)", .yellow)
        }
    }

    private static func jobTypes(_ status: PrinterStatus) -> String? {
        status.jobTypes.map { "\($0)\(status.printer.jobTypes == nil ? "" : " (as saved)")" }
    }

    private static func add(_ description: PrinterDescription, to details: inout Details) {
        details.add("formats", description.formats.map(\.mimeType).joined(separator: ", "))
        details.add("media", description.mediaDefault.map { "\($0) (default)" })
        details.add("media ready", description.mediaReady.joined(separator: ", "))
        details.add("colour", description.isColor.map { $0 ? "yes" : "no" })
        details.add("pages left", description.pagesLeft.map(String.init))
        let refused = description.learned?.refusedFormats.map(\.mimeType).sorted() ?? []
        details.add("refused formats", refused.joined(separator: ", "))
        details.add("duplex", description.sides.isEmpty ? nil : description.isDuplex ? "yes" : "no")
        details.add("uuid", description.uuid)
        details.add("device", description.learned?.device?.description)
    }
}

extension SavedPrinter {
    /// Whether the password may go over a connection that others can read, or to a printer that is not verified.
    var sendsLoginsPlain: Bool { allowsPlainLogin == true && (url.scheme == .ipp || trust == Trust.none) }
}
