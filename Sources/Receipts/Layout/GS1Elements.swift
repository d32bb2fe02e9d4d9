/// GS1 element strings, such as `(01)09501101530003(10)AB-123`: application identifiers in parentheses, each with its
/// value (GS1 General Specifications §3).
package struct GS1Elements: Hashable, Sendable {
    private(set) var elements: [Element] = []

    struct Element: Hashable, Sendable {
        var identifier: String
        var value: String

        /// Whether the length of the value follows from the identifier, so that nothing has to mark its end (GS1
        /// General Specifications §7.8.5).
        var isOfFixedLength: Bool { GS1Elements.fixedLengths[String(identifier.prefix(2))] != nil }
    }

    /// The length of identifier and value, by the identifier's first two digits (GS1 General Specifications, figure
    /// 7.8.5-2).
    private static let fixedLengths: [String: Int] = {
        var lengths = ["00": 20, "01": 16, "02": 16, "03": 16, "04": 18, "20": 4, "41": 16]
        for number in 11...19 { lengths[String(number)] = 8 }
        for number in 31...36 { lengths[String(number)] = 10 }
        return lengths
    }()

    /// The characters of a value but for parentheses, which enclose identifiers here (GS1 AI encodable character set
    /// 82).
    private static let characters = Set(
        "!\"%&'*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    /// The characters of the longest value.
    private static let maximumValue = 90

    /// Reads a string. Adds a missing check digit to an item's or a logistic unit's number, and refuses a wrong one.
    init(_ data: String) throws(ReceiptError) {
        var rest = Array(data.utf8)[...]
        while !rest.isEmpty {
            guard rest.first == UInt8(ascii: "("), let end = rest.firstIndex(of: UInt8(ascii: ")")) else {
                throw Self.malformed
            }
            let identifier = String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self)
            let value = rest[(end + 1)...].prefix { $0 != UInt8(ascii: "(") }
            rest = rest[value.endIndex...]
            guard (2...4).contains(identifier.utf8.count), identifier.isDigits, !value.isEmpty,
                value.count <= Self.maximumValue, value.allSatisfy(Self.characters.contains)
            else { throw Self.malformed }
            elements.append(
                Element(
                    identifier: identifier, value: try Self.checked(String(decoding: value, as: UTF8.self), identifier))
            )
        }
        guard !elements.isEmpty else { throw Self.malformed }
    }

    private static let malformed = CheckedCode.invalid(
        "GS1 data consists of identifiers in parentheses and their values",
        "for example (01)09501101530003(10)AB-123")

    private static func checked(_ value: String, _ identifier: String) throws(ReceiptError) -> String {
        guard let total = fixedLengths[String(identifier.prefix(2))] else { return value }
        let length = total - identifier.utf8.count
        let hasCheckDigit = ["00", "01", "02", "03"].contains(identifier) || identifier.hasPrefix("41")
        if hasCheckDigit, value.isDigits, (length - 1...length).contains(value.utf8.count) {
            return try GTIN.completed(value, length - 1, "GS1 number (\(identifier))")
        }
        guard value.utf8.count == length, value.isDigits else {
            throw CheckedCode.invalid("the value of (\(identifier)) has \(length) digits", "that many")
        }
        return value
    }

    /// The elements with their identifiers in parentheses, as people read them.
    var text: String { elements.map { "(\($0.identifier))\($0.value)" }.joined() }

    /// The characters between two marks: elements whose end has to be marked end a part, unless they are last.
    var parts: [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        for (index, element) in elements.enumerated() {
            parts[parts.count - 1] += Array((element.identifier + element.value).utf8)
            if !element.isOfFixedLength, index < elements.count - 1 { parts.append([]) }
        }
        return parts
    }

    /// The characters with the marks between them.
    var length: Int { parts.reduce(parts.count - 1) { $0 + $1.count } }
}
