import FoundationEssentials

/// Encodes and decodes the API's JSON in the daemon and its clients. Keys are sorted, so equal values give equal
/// bytes.
public enum APIJSON {
    /// Encodes for the wire, on one line.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        if let job = value as? Job { return try JobJSON.bytes(of: job) { try encodeGenerically($0) } }
        return try encodeGenerically(value)
    }

    /// The same as `encode`, always by `JSONEncoder`.
    static func encodeGenerically(_ value: some Encodable) throws -> [UInt8] {
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
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "an object or list as the API's description shows it"
        }
    }
}
