import FoundationEssentials

/// The value of an Authorization field (RFC 9110 §11.6.2).
struct Authorization {
    private static let maximumLength = 4096

    /// The scheme in lower case.
    let scheme: String
    private let rest: Substring

    /// Nil if the field is malformed or too long.
    init?(_ field: String) {
        guard field.utf8.count <= Self.maximumLength else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        scheme = parts[0].lowercased()
        rest = parts[1]
    }

    /// The decoded Base64 of the Basic scheme (RFC 7617 §2).
    var userAndPassword: [UInt8]? {
        Data(base64Encoded: String(rest.filter { $0 != " " })).map(Array.init)
    }

    /// The parameters by their names in lower case. If one is repeated, the first counts.
    var parameters: [String: String] {
        var found: [String: String] = [:]
        var text = Array(rest.utf8)[...]
        while let name = Self.takeName(&text) {
            let value = Self.takeValue(&text)
            if found[name] == nil { found[name] = value }
        }
        return found
    }

    private static func takeName(_ text: inout ArraySlice<UInt8>) -> String? {
        text = text.drop { [0x20, 0x09, UInt8(ascii: ",")].contains($0) }
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = String(decoding: text[..<equals], as: UTF8.self)
        text = text[equals...].dropFirst()
        return name.lowercased().filter { $0 != " " }
    }

    private static func takeValue(_ text: inout ArraySlice<UInt8>) -> String {
        guard text.first == UInt8(ascii: "\"") else {
            let value = text.prefix { ![0x20, 0x09, UInt8(ascii: ",")].contains($0) }
            text = text.dropFirst(value.count)
            return String(decoding: value, as: UTF8.self)
        }
        text = text.dropFirst()
        var value: [UInt8] = []
        while let byte = text.popFirst(), byte != UInt8(ascii: "\"") {
            // A backslash quotes the octet after it (RFC 9110 §5.6.4).
            if let octet = byte == UInt8(ascii: "\\") ? text.popFirst() : byte { value.append(octet) }
        }
        return String(decoding: value, as: UTF8.self)
    }
}
