import IPPCodec
import PrintModel

/// How to talk to one printer: as the protocols say, except for what the quirks of its model change.
///
/// They come from the printer's saved profile before the first contact, and are made anew when the printer has said
/// what it is.
struct IPPQuirks: Hashable, Sendable {
    /// What `requesting-user-name` holds.
    enum UserNameRule: Hashable, Sendable {
        /// The user's name, without the characters that many printers reject.
        case cleaned
        /// ASCII letters, digits, `-`, `_` and `.` only.
        case plain
        /// The attribute is left out.
        case omitted
    }

    /// What HTTP's `Connection` says; nil leaves it to HTTP/1.1, which keeps connections by default.
    private(set) var connection: HTTPRequest.ConnectionOption?
    /// Whether a document waits for `100 Continue`.
    private(set) var expectsContinue = false
    /// The `Host` that replaces the URL's.
    private(set) var host: String?
    /// The version to use before any is proven to work.
    private(set) var firstVersion = IPPVersion.v2_0
    private(set) var userName = UserNameRule.cleaned
    /// Whether Create-Job and Send-Document are used where they are advertised.
    private(set) var usesCreateJob = true
    /// Whether documents are compressed where the printer advertises that.
    private(set) var usesCompression = true
    /// Whether jobs are followed by notifications where they are advertised.
    private(set) var usesNotifications = true

    /// The breaches of RFC 8010 that are tolerated: all that printers are known for, and from every printer. Each
    /// tolerance accepts octets that have no correct reading, so it cannot change what a correct message means, and the
    /// first contact has to work before the model is known.
    static let tolerances = IPPTolerances.all

    init() {}

    /// Applies quirks, the most specific first: of those with the same name the first counts. A value that is not valid
    /// for its name is ignored: profiles are checked where they are read.
    init(_ quirks: [Quirk]) {
        for quirk in quirks.reversed() { apply(quirk) }
    }

    private mutating func apply(_ quirk: Quirk) {
        switch (quirk.name, quirk.value) {
        case (.connection, "close"): connection = .close
        case (.connection, "keep-alive"): connection = .keepAlive
        case (.expect, "on"): expectsContinue = true
        case (.host, let name) where !name.isEmpty && !name.hasControlCharacters: host = name
        case (.ippVersion, "2.0"): firstVersion = .v2_0
        case (.ippVersion, "1.1"): firstVersion = .v1_1
        case (.ippVersion, "1.0"): firstVersion = .v1_0
        case (.requestingUserName, "omit"): userName = .omitted
        case (.requestingUserName, "plain"): userName = .plain
        case (.createJob, "off"): usesCreateJob = false
        case (.compression, "off"): usesCompression = false
        case (.notifications, "off"): usesNotifications = false
        default: break
        }
    }
}

/// Makes the `requesting-user-name`: never empty, and without the backslash of Windows domains, over which Kyocera
/// printers refuse jobs (https://github.com/OpenPrinting/cups/issues/1145).
enum UserName {
    /// RFC 8011 §5.1.3: a name has at most 255 octets.
    private static let longest = 255
    private static let anonymous = "kiosk"

    static func make(_ user: String?) -> String {
        let clean = (user ?? "").withoutControlCharacters.map { $0 == "\\" ? "_" : $0 }
        let name = String(clean).prefix(utf8Count: longest)
        return name.allSatisfy { $0 == " " } ? anonymous : name
    }

    /// The name for a printer that takes simple names only (`UserNameRule.plain`).
    static func plain(_ name: String) -> String {
        let letters = name.map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || "-_.".contains(letter)) ? letter : "_"
        }
        return letters.allSatisfy { $0 == "_" } ? anonymous : String(letters)
    }
}
