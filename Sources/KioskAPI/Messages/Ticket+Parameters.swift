public import PrintModel

extension Ticket {
    /// This ticket as parameters, in the order of `Ticket.keys`. Choices that are left open are missing.
    public var parameters: [QueryItems.Item] {
        Self.keys.compactMap { key in parameter(key).map { QueryItems.Item(key: key, value: $0) } }
    }

    private func parameter(_ key: String) -> String? {
        switch key {
        case "copies": copies.map(String.init)
        case "sides": sides?.rawValue
        case "media": media
        case "page-ranges": pageRanges?.map(\.description).joined(separator: ",")
        case "number-up": numberUp.map(String.init)
        case "orientation-requested": orientation?.rawValue
        case "print-color-mode": colorMode?.rawValue
        case "print-quality": quality?.rawValue
        case "cut": cut?.rawValue
        case "drawer": drawer.map(String.init)
        case "priority": priority.map(String.init)
        case "expires-after": expiresAfter.map(String.init)
        default: nil
        }
    }

    /// Sets one choice from a parameter's text. Throws a `Problem` that says what to write.
    public mutating func set(_ key: String, to text: String) throws {
        switch key {
        case "copies": copies = try Self.number(key, text)
        case "sides": sides = try Self.keyword(key, text)
        case "media": media = text
        case "page-ranges": pageRanges = try Self.pageRanges(key, text)
        case "number-up": numberUp = try Self.number(key, text)
        case "orientation-requested": orientation = try Self.keyword(key, text)
        case "print-color-mode": colorMode = try Self.keyword(key, text)
        case "print-quality": quality = try Self.keyword(key, text)
        case "cut": cut = try Self.keyword(key, text)
        case "drawer": drawer = try Self.flag(key, text)
        case "priority": priority = try Self.number(key, text)
        case "expires-after": expiresAfter = try Self.number(key, text)
        default: throw Problem(.invalidParameter, detail: "\"\(key)\" is not a key of a ticket")
        }
    }

    /// Throws a `Problem` that lists every value that is out of bounds.
    public func check() throws {
        let problems = self.problems
        guard let first = problems.first else { return }
        throw Problem(.invalidTicket, detail: first, problems: problems.map { Problem.Finding(message: $0) })
    }

    private static func number(_ key: String, _ text: String) throws -> Int {
        guard let number = Int(digits: text, in: 0...Int(Int32.max)) else {
            throw Problem.invalid(key, text, write: "a whole number")
        }
        return number
    }

    private static func keyword<Value: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ text: String
    ) throws -> Value {
        guard let value = Value(rawValue: text) else {
            throw Problem.invalid(key, text, write: Value.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return value
    }

    private static func flag(_ key: String, _ text: String) throws -> Bool {
        guard let flag = Bool(parameter: text) else { throw Problem.invalid(key, text, write: "true or false") }
        return flag
    }

    private static func pageRanges(_ key: String, _ text: String) throws -> [PageRange] {
        let parts = text.split(separator: ",", maxSplits: maximumPageRanges, omittingEmptySubsequences: false)
        let ranges = parts.compactMap { PageRange($0) }
        guard ranges.count == parts.count else {
            throw Problem.invalid(key, text, write: "page ranges such as 1-3,5")
        }
        return ranges
    }
}
