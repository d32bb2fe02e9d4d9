import KioskPrintModel

/// A job's control file and the names of its files (RFC 1179 §6.2, §7).
package struct LPDJob: Hashable, Sendable {
    /// How the daemon is to take the data.
    package enum Format: String, Hashable, Sendable {
        /// As it is (`l`).
        case unchanged = "l"
        /// As a file that its filters may convert (`f`).
        case filtered = "f"
    }

    /// 0 to 999.
    package var number: Int
    /// The name of this computer.
    package var host: String
    /// The user who prints.
    package var owner: String
    /// The title, for people; it begins with the delivery's id.
    package var title: String
    /// The name that stands for the data in listings: the delivery's id.
    package var fileName: String
    package var copies: Int
    package var format: Format

    /// Cuts and cleans what it is given to what a control file can hold.
    package init(
        number: Int, host: String, owner: String, title: String, fileName: String, copies: Int = 1,
        format: Format = .unchanged
    ) {
        self.number = min(max(number, 0), 999)
        self.host = Self.word(host, maximumLength: Self.maximumHostLength) ?? "localhost"
        self.owner = Self.owner(owner)
        self.title = title.withoutControlCharacters.prefix(utf8Count: Self.maximumTitleLength)
        self.fileName = fileName.withoutControlCharacters.prefix(utf8Count: Self.maximumFileNameLength)
        self.copies = min(max(copies, 1), Self.maximumCopies)
        self.format = format
    }

    /// RFC 1179 §7.2.
    private static let maximumHostLength = 31
    /// RFC 1179 §7.7.
    private static let maximumOwnerLength = 31
    /// RFC 1179 §7.4.
    private static let maximumTitleLength = 99
    /// RFC 1179 §7.6.
    private static let maximumFileNameLength = 131
    /// Each takes a line of the control file.
    package static let maximumCopies = 999

    /// The owner of a job in the form that a control file and a removal have it.
    package static func owner(_ user: String?) -> String {
        user.flatMap { word($0, maximumLength: maximumOwnerLength) } ?? "kiosk"
    }

    /// Letters, digits and `.-_` of a name: others would end the line or a field of it, or mean something to a daemon
    /// that makes a file's name of it. Nil where nothing is left.
    private static func word(_ text: String, maximumLength: Int) -> String? {
        let kept = text.utf8.filter { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._".utf8.contains(byte)
            }
        }
        let word = String(decoding: kept.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }, as: UTF8.self)
        return word.isEmpty ? nil : String(word.prefix(maximumLength))
    }

    /// `cfA007till`.
    package var controlFileName: String { "cfA\(digits)\(host)" }
    /// `dfA007till`.
    package var dataFileName: String { "dfA\(digits)\(host)" }

    private var digits: String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }

    /// The control file. A data file that is named twice is printed twice.
    package var controlFile: [UInt8] {
        var text = "H\(host)\nP\(owner)\nJ\(title)\n"
        for _ in 0..<copies { text += "\(format.rawValue)\(dataFileName)\n" }
        text += "U\(dataFileName)\nN\(fileName)\n"
        return Array(text.utf8)
    }
}
