import PrintModel

/// The `requesting-user-name`: never empty, and without the backslash of Windows domains, over which Kyocera printers
/// refuse jobs (https://github.com/OpenPrinting/cups/issues/1145).
enum UserName {
    /// RFC 8011 §5.1.3: a name has at most 255 octets.
    private static let longest = 255
    private static let anonymous = "kiosk"

    static func make(_ user: String?) -> String {
        let clean = (user ?? "").withoutControlCharacters.map { $0 == "\\" ? "_" : $0 }
        let name = String(clean).prefix(utf8Count: longest)
        return name.allSatisfy { $0 == " " } ? anonymous : name
    }

    /// As a printer wants it that takes simple names only.
    static func plain(_ name: String) -> String {
        let letters = name.map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || "-_.".contains(letter)) ? letter : "_"
        }
        return letters.allSatisfy { $0 == "_" } ? anonymous : String(letters)
    }
}
