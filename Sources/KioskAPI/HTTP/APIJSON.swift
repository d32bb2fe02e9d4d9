import FoundationEssentials
import PrintModel

/// Encodes and decodes the API's JSON in the daemon and its clients. Keys are sorted, so equal values give equal
/// bytes.
public enum APIJSON {
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        try encode(value, formatting: [.sortedKeys, .withoutEscapingSlashes])
    }

    /// Encodes with indentation, for people.
    public static func encodePretty(_ value: some Encodable) throws -> [UInt8] {
        try encode(value, formatting: [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
    }

    private static func encode(_ value: some Encodable, formatting: JSONEncoder.OutputFormatting) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return try Array(encoder.encode(value))
    }

    /// Reads a value. Throws a `Problem` that names the key and says what is wrong with it. The caller bounds the
    /// bytes.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: some Collection<UInt8>) throws -> Value
    {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw Problem(.invalidJSON, detail: error.detail)
        }
    }
}

extension DecodingError {
    /// The key and what is wrong with it, in one sentence.
    fileprivate var detail: String {
        switch self {
        case .keyNotFound(let key, let context):
            "\(Self.place(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context):
            "\(Self.place(context.codingPath)) is of another type; write \(Self.jsonName(of: type))"
        case .valueNotFound(let type, let context):
            "\(Self.place(context.codingPath)) is null; write \(Self.jsonName(of: type))"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? context.debugDescription : "\(Self.place(context.codingPath)): \(context.debugDescription)"
        @unknown default:
            "the body is not the JSON that is asked for"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text.isEmpty ? "the body" : "\"\(text)\""
    }

    private static func jsonName(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "an object or list as the API's description shows it"
        }
    }
}

// MARK: - Strict reading

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
        try container.refuseKeys(besides: Ticket.keys)
        try container.refuseNulls()
        ticket = try Ticket(from: decoder)
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
