/// What a printer makes of a job's ticket, as far as it tells.
public struct TicketSupport: Hashable, Sendable, Codable {
    /// The most copies that one job can ask for; 1 where the printer makes none. The engine makes more than that by
    /// sending the document again.
    public var copies: Int
    /// The formats of which one job is always one copy.
    public var singleCopyFormats: [DocumentFormat]
    /// The ticket's keys that it takes, each with the values that it lists; an empty list leaves it to the printer.
    public var values: [String: [String]]
    /// The ticket's keys without which it refuses every job (PWG 5100.13 `printer-mandatory-job-attributes`).
    public var required: [String]
    /// Whether each job is refused that asks for more than it takes, with `fidelity` or without.
    public var refusesOthers: Bool

    /// Creates a description of what a printer makes of tickets.
    public init(
        copies: Int, singleCopyFormats: [DocumentFormat] = [], values: [String: [String]] = [:],
        required: [String] = [], refusesOthers: Bool = false
    ) {
        self.copies = copies
        self.singleCopyFormats = singleCopyFormats
        self.values = values
        self.required = required
        self.refusesOthers = refusesOthers
    }

    enum CodingKeys: String, CodingKey {
        case copies
        case singleCopyFormats = "single-copy-formats"
        case values, required
        case refusesOthers = "refuses-others"
    }

    /// The most copies of a document of this format that one job can ask for.
    package func copies(of format: DocumentFormat) -> Int { singleCopyFormats.contains(format) ? 1 : max(1, copies) }

    /// Why the printer refuses each job with this ticket, as the rest of a sentence that begins with the printer; nil
    /// where it does not, as far as is known.
    package func refusal(of ticket: Ticket) -> String? {
        let missing = required.filter { !ticket.has($0) }
        guard missing.isEmpty else { return "takes no job without \(missing.joined(separator: ", "))" }
        let others = ticket.wishes.filter { key, value in !takes(key, value) }
        if ticket.jobPassword != nil, values[Ticket.CodingKeys.jobPassword.rawValue] == nil {
            return "takes no job-password, and would print at once"
        }
        if ticket.documentPassword != nil { return "takes no document-password" }
        guard refusesOthers || ticket.fidelity == true, !others.isEmpty else { return nil }
        return "takes no \(others.map { "\($0)=\($1)" }.joined(separator: ", "))"
    }

    /// Whether the printer takes each key and value of the ticket, so that nothing of it has to be done before.
    package func takesAll(of ticket: Ticket) -> Bool { ticket.wishes.allSatisfy { takes($0.key, $0.value) } }

    private func takes(_ key: String, _ value: String) -> Bool {
        guard let listed = values[key] else { return false }
        return listed.isEmpty || listed.contains(value)
    }
}

extension Ticket {
    /// What is asked of a printer whose pages are rendered by the ticket before it gets them.
    package var besidesPages: Ticket {
        var ticket = self
        (ticket.pageRanges, ticket.numberUp, ticket.orientation, ticket.scaling) = (nil, nil, nil, nil)
        (ticket.pageBorder, ticket.resolution, ticket.contentOptimization) = (nil, nil, nil)
        (ticket.copies, ticket.documentHandling, ticket.sides, ticket.media) = (nil, nil, nil, nil)
        (ticket.colorMode, ticket.quality, ticket.documentPassword) = (nil, nil, nil)
        return ticket
    }

    /// What the ticket asks of the printer beyond what every printer does without being asked, by its keys: what the
    /// engine or the document sees to is left out.
    package var wishes: [(key: String, value: String)] {
        var wishes: [(key: String, value: String)] = []
        func add(_ key: CodingKeys, _ value: String?, unless usual: String? = nil) {
            if let value, value != usual { wishes.append((key.rawValue, value)) }
        }
        add(.sides, sides?.rawValue, unless: Sides.oneSided.rawValue)
        add(.media, media)
        add(.pageRanges, pageRanges?.map(\.description).joined(separator: ","))
        add(.numberUp, numberUp.map(String.init), unless: "1")
        add(.orientation, orientation?.rawValue, unless: Orientation.portrait.rawValue)
        add(.colorMode, colorMode?.rawValue, unless: ColorMode.auto.rawValue)
        add(.quality, quality?.rawValue, unless: Quality.normal.rawValue)
        add(.mediaSource, mediaSource, unless: "auto")
        add(.mediaType, mediaType, unless: "auto")
        add(.outputBin, outputBin, unless: "auto")
        add(.scaling, scaling?.rawValue, unless: Scaling.auto.rawValue)
        // All other values are what every printer does with one document.
        if documentHandling == .uncollatedCopies { add(.documentHandling, documentHandling?.rawValue) }
        add(.pageBorder, pageBorder?.rawValue, unless: PageBorder.none.rawValue)
        add(.contentOptimization, contentOptimization?.rawValue, unless: ContentOptimization.auto.rawValue)
        add(.resolution, resolution.map { "\($0)dpi" })
        add(.accountID, accountID)
        add(.accountingUserID, accountingUserID)
        return wishes
    }

    /// Whether the ticket has a value for this key.
    fileprivate func has(_ key: String) -> Bool {
        switch CodingKeys(rawValue: key) {
        case .copies: copies != nil
        case .sides: sides != nil
        case .media: media != nil
        case .pageRanges: pageRanges != nil
        case .numberUp: numberUp != nil
        case .orientation: orientation != nil
        case .colorMode: colorMode != nil
        case .quality: quality != nil
        case .mediaSource: mediaSource != nil
        case .mediaType: mediaType != nil
        case .outputBin: outputBin != nil
        case .scaling: scaling != nil
        case .documentHandling: documentHandling != nil
        case .pageBorder: pageBorder != nil
        case .contentOptimization: contentOptimization != nil
        case .resolution: resolution != nil
        case .accountID: accountID != nil
        case .accountingUserID: accountingUserID != nil
        case .priority: priority != nil
        case .jobPassword: jobPassword != nil
        case .jobPasswordEncryption: jobPassword != nil
        case .documentPassword: documentPassword != nil
        case .cut, .drawer, .expiresAfter, .fidelity, nil: false
        }
    }
}
