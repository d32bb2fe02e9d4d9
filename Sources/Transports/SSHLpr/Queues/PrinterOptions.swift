/// A parser of the output of CUPS's `lpoptions`.
package enum PrinterOptions {
    /// Parses `name=value name='value with blanks' name`, with a backslash before escaped characters
    /// (`cups/options.c`).
    package static func attributes(_ line: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = Array(line.utf8)[...]
        while true {
            rest = rest.drop { $0 == blank }
            let name = rest.prefix { $0 != blank && $0 != equals }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, attributes.count < maximumAttributes else { return attributes }
            var value: [UInt8] = []
            if rest.first == equals { value = takeValue(&rest) }
            attributes[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
    }

    /// Takes a value, from the `=` to the next blank outside quotes.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        var quote: UInt8?
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                value.append(next)
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if quote == nil, byte == blank {
                break
            } else {
                value.append(byte)
            }
        }
        return value
    }

    /// Parses a line of `lpoptions -l`: `PageSize/Media Size: *A4 Letter`. `standard` is the choice with the asterisk.
    /// Nil for any other line.
    package static func choices(_ line: Substring) -> (keyword: String, choices: [String], standard: String?)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let keyword = line[..<colon].prefix { $0 != "/" }
        guard !keyword.isEmpty, !keyword.contains(" ") else { return nil }
        let words = line[line.index(after: colon)...].split(separator: " ").prefix(maximumAttributes)
        let standard = words.first { $0.hasPrefix("*") }.map { String($0.dropFirst()) }
        return (String(keyword), words.map { String($0.hasPrefix("*") ? $0.dropFirst() : $0) }, standard)
    }

    private static let maximumAttributes = 500
    private static let blank = UInt8(ascii: " ")
    private static let equals = UInt8(ascii: "=")
}
