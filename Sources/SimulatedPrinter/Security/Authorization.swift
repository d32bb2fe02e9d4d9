import FoundationEssentials

/// What stands in an Authorization field (RFC 9110 §11.6.2).
struct Authorization {
    private static let longest = 4096

    /// In lower case.
    let scheme: String
    private let rest: Substring

    /// Nil for what breaks the grammar or the bound.
    init?(_ field: String) {
        guard field.utf8.count <= Self.longest else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        scheme = parts[0].lowercased()
        rest = parts[1]
    }

    /// RFC 7617 §2: what Basic has in Base64.
    var userAndPassword: [UInt8]? {
        Data(base64Encoded: String(rest.filter { $0 != " " })).map(Array.init)
    }

    /// By lower-cased name; of a parameter that stands twice the first counts.
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
            // RFC 9110 §5.6.4: a backslash stands before the octet that is meant.
            if let meant = byte == UInt8(ascii: "\\") ? text.popFirst() : byte { value.append(meant) }
        }
        return String(decoding: value, as: UTF8.self)
    }
}
