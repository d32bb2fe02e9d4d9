/// JSON that is fit for a terminal: C1 and bidirectional controls and marks of direction become escapes, which mean the
/// same.
package enum TerminalJSON {
    package static func escape(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// JSON's own line feeds are safe, and all other C0 controls are escaped already (RFC 8259 §7).
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar.isEscapedOnTerminals
    }
}
