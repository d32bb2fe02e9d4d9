package import KioskPrintModel

/// One line of the audit: who did what, from where, and what became of it.
package struct AuditEntry: Hashable, Sendable {
    /// Its place in the log, counted from 1; 0 until it is written.
    package var number: UInt64 = 0
    package var time: Timestamp
    /// Who: `uid:1000 (anna)`, `token:3 (till-1)`, `nobody`.
    package var actor: String
    /// From where: an address, or `local` for the Unix socket.
    package var address: String
    /// What: `printer.save`, `login`, `token.revoke`.
    package var action: String
    /// What it was done to: a printer, a role, a token.
    package var object: String?
    /// How the object was before; nil where it is new, or nothing is changed.
    package var before: String?
    /// How it is after; nil where it is gone, or nothing is changed.
    package var after: String?
    package var outcome: Outcome
    /// More, for people: why it was denied.
    package var message: String?

    /// What became of it.
    package enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        case done
        case denied
        case failed
    }

    package init(
        time: Timestamp, actor: String, address: String, action: String, object: String? = nil, before: String? = nil,
        after: String? = nil, outcome: Outcome = .done, message: String? = nil
    ) {
        self.time = time
        self.actor = actor
        self.address = address
        self.action = action
        self.object = object
        self.before = before
        self.after = after
        self.outcome = outcome
        self.message = message
    }
}

extension AuditEntry: Codable {
    private enum CodingKeys: String, CodingKey {
        case number = "id"
        case time, actor, address, action, object, before, after, outcome, message
    }
}

extension AuditEntry {
    /// Bytes of one text; of before and after more.
    private static let maximumText = 255
    private static let maximumState = 4096

    /// This entry with all its texts bounded and without control characters, since others wrote them.
    var bounded: AuditEntry {
        func short(_ text: String) -> String { text.withoutControlCharacters.prefix(utf8Count: Self.maximumText) }
        func long(_ text: String) -> String { text.withoutControlCharacters.prefix(utf8Count: Self.maximumState) }
        var entry = self
        entry.actor = short(actor)
        entry.address = short(address)
        entry.action = short(action)
        entry.object = object.map(short)
        entry.before = before.map(long)
        entry.after = after.map(long)
        entry.message = message.map(short)
        return entry
    }
}

extension AuditEntry: CustomStringConvertible {
    /// One line for the log, without before and after.
    package var description: String {
        var text = "\(actor) from \(address): \(action)"
        if let object { text += " \(object)" }
        if outcome != .done { text += " \(outcome.rawValue)" }
        return text + (message.map { " (\($0))" } ?? "")
    }
}
