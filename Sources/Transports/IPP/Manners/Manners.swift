import IPPCodec
import PrintModel

/// How one printer is spoken to: the protocol's own ways, but for what the quirks of its model change.
///
/// A printer's manners come from its saved profile before the first contact, and are made anew when the printer has
/// said what it is.
struct Manners: Hashable, Sendable {
    /// What stands in `requesting-user-name`.
    enum UserNameRule: Hashable, Sendable {
        /// The user's name, without what breaks many printers.
        case cleaned
        /// ASCII letters and digits, and `-`, `_`, `.` of the rest.
        case plain
        /// The attribute is left out.
        case omitted
    }

    /// What HTTP's `Connection` says; nil leaves it to HTTP/1.1, which keeps connections of itself.
    var connection: HTTPRequest.ConnectionOption?
    /// Whether a document waits for `100 Continue`.
    var expectsContinue = false
    /// In place of the URL's own `Host`.
    var host: String?
    /// The version to speak before any has proven to work.
    var firstVersion = IPPVersion.v2_0
    var userName = UserNameRule.cleaned
    /// Whether Create-Job and Send-Document are used where they are advertised.
    var usesCreateJob = true
    /// Whether documents are compressed where that is advertised.
    var usesCompression = true
    /// Whether jobs are followed by notifications where they are advertised.
    var usesNotifications = true

    /// Of RFC 8010's breaches that printers are known for, all are read over, whoever commits them: each tolerance
    /// takes octets that have no right reading at all, so that it cannot change what a correct message means, and the
    /// first contact has to work before the model is known.
    static let tolerances = IPPTolerances.all

    init() {}

    /// Of quirks with the same name the first counts, which is the most specific one's. A value that its name does not
    /// take is passed over: profiles are checked where they are read.
    init(_ quirks: [Quirk]) {
        for quirk in quirks.reversed() { take(quirk) }
    }

    private mutating func take(_ quirk: Quirk) {
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
