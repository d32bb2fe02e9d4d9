import FoundationEssentials

/// The JSON of messages.
enum JSONMessage {
    /// In bytes; far more than any of these has.
    static let maximumLength = 256 * 1024

    static func decode<Value: Decodable>(
        _ bytes: [UInt8], _ what: String, limit: Int = maximumLength
    ) throws(FleetError) -> Value {
        guard bytes.count <= limit else { throw FleetError(.malformed, "the \(what) is too long") }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw FleetError(.malformed, "the \(what) is none that this version knows")
        }
    }

    static func encode(_ value: some Encodable) throws(FleetError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(value))
        } catch {
            throw FleetError(.malformed, "a message cannot be written as JSON: \(error)")
        }
    }
}
