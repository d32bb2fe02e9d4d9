/// Any key of a JSON object, to find those that nobody reads: a misspelt key must be an error, not a choice silently
/// lost.
package struct AnyKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<AnyKey> {
    /// Throws when a key stands here that is not in `known`.
    package func refuseKeys(besides known: [String]) throws {
        guard let stranger = allKeys.map(\.stringValue).sorted().first(where: { !known.contains($0) }) else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath,
                debugDescription: "the key \"\(stranger)\" is not known; the keys are \(known.joined(separator: ", "))"
            )
        )
    }

    /// Throws when a key's value is null.
    package func refuseNulls() throws {
        for key in allKeys.sorted(by: { $0.stringValue < $1.stringValue }) where try decodeNil(forKey: key) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "it is null; write a value, or leave it out")
        }
    }
}

extension Decoder {
    package func refuseKeys(besides known: [String]) throws {
        try container(keyedBy: AnyKey.self).refuseKeys(besides: known)
    }
}
