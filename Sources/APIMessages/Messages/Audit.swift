package import KioskPrintModel

/// One entry of the audit, as the API tells it.
package struct AuditRecord: Hashable, Sendable, Codable {
    /// Its place in the audit, counted from 1.
    package var id: UInt64
    package var time: Timestamp
    /// Who: `uid:1000 (anna)`, `token:3 (till-1)`, `nobody`.
    package var actor: String
    /// From where: an address, or `local`.
    package var address: String
    /// What: `printer.save`, `login`.
    package var action: String
    package var object: String?
    package var before: String?
    package var after: String?
    /// `done`, `denied` or `failed`.
    package var outcome: String
    package var message: String?

    package init(
        id: UInt64, time: Timestamp, actor: String, address: String, action: String, object: String? = nil,
        before: String? = nil, after: String? = nil, outcome: String = "done", message: String? = nil
    ) {
        self.id = id
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

/// The response to `GET /v1/audit`, newest first.
package struct AuditPage: Hashable, Sendable, Codable {
    package var entries: [AuditRecord]
    /// The value of `before` that gives the next page; nil on the last one.
    package var next: UInt64?

    package init(entries: [AuditRecord], next: UInt64? = nil) {
        self.entries = entries
        self.next = next
    }
}

/// The query of `GET /v1/audit`.
package struct AuditQuery: Hashable, Sendable {
    /// The most entries, 1 to `APILimits.maximumPage`.
    package var limit = APILimits.standardPage
    /// The id below which entries are listed: `next` of the page before.
    package var before: UInt64?

    package init() {}

    /// Reads a query. Throws a `Problem`.
    package init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["limit", "before"])
        limit =
            try items.value("limit", write: "a number from 1 to \(APILimits.maximumPage)") {
                Int(digits: $0, in: 1...APILimits.maximumPage)
            } ?? APILimits.standardPage
        before = try items.value("before", write: "an entry's id") { Int(digits: $0, in: 1...Int.max) }
            .map(UInt64.init)
    }

    /// The path of a request with this query.
    package var path: String {
        var items = QueryItems()
        items.add("limit", limit == APILimits.standardPage ? nil : String(limit))
        items.add("before", before.map(String.init))
        return APIPaths.audit + items.suffix
    }
}
