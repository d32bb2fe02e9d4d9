import KioskPrintModel

/// Any key of a JSON object. Finds the keys that nobody reads: a misspelt key must be an error, not a setting that is
/// silently lost.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Throws when the object has a key that is not in `known`.
    func refuseKeys(besides known: [String]) throws {
        try container(keyedBy: AnyKey.self).refuseKeys(besides: known)
    }
}

extension KeyedDecodingContainer<AnyKey> {
    fileprivate func refuseKeys(besides known: [String]) throws {
        guard let unknown = allKeys.map(\.stringValue).sorted().first(where: { !known.contains($0) }) else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath,
                debugDescription: "the key \"\(unknown)\" is not known; the keys are \(known.joined(separator: ", "))"
            )
        )
    }

    fileprivate func refuseNulls() throws {
        for key in allKeys.sorted(by: { $0.stringValue < $1.stringValue }) where try decodeNil(forKey: key) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "it is null; write a value, or leave it out")
        }
    }
}

/// A ticket that refuses unknown keys and null values: a page range lost on the way would print all pages.
struct StrictTicket: Decodable {
    let ticket: Ticket

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        try container.refuseKeys(besides: Ticket.keys + Ticket.secretKeys)
        try container.refuseNulls()
        ticket = try Ticket(from: decoder)
    }
}

/// The defaults for a ticket, which hold no PIN.
struct StrictTicketDefaults: Decodable {
    let ticket: Ticket

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: Ticket.keys)
        ticket = try StrictTicket(from: decoder).ticket
    }
}

/// A retention that refuses unknown keys.
struct StrictRetention: Decodable {
    let retention: Retention

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: ["jobs", "documents", "size"])
        retention = try Retention(from: decoder)
    }
}
