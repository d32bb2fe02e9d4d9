package import KioskPrintModel

/// What a test print says of the printer that it is for. Its texts may come from other machines.
package struct TestPrintSubject: Hashable, Sendable {
    /// The printer's id in the registry.
    package var id: PrinterID
    /// Where it is reached.
    package var url: PrinterURL
    /// The roles that name it.
    package var roles: [RoleName]
    /// The profile in force; nil where none fits.
    package var profile: String?
    /// What it says that it is.
    package var makeAndModel: String?
    /// When the test is made.
    package var time: Timestamp

    /// Creates a subject.
    package init(
        id: PrinterID, url: PrinterURL, roles: [RoleName] = [], profile: String? = nil, makeAndModel: String? = nil,
        time: Timestamp
    ) {
        self.id = id
        self.url = url
        self.roles = roles
        self.profile = profile
        self.makeAndModel = makeAndModel
        self.time = time
    }

    /// What is known of the printer, in the order in which people look for it.
    var facts: [(name: String, value: String)] {
        let facts: [(String, String?)] = [
            ("Address", url.description),
            ("Model", makeAndModel.map(Self.line)),
            ("Profile", profile ?? "none"),
            ("Roles", roles.isEmpty ? "none" : roles.map(\.rawValue).joined(separator: ", ")),
            ("Time", timeText),
        ]
        return facts.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The time to the second: `2026-11-26 22:50:12 UTC`.
    var timeText: String {
        "\(time.description.prefix(19).map { $0 == "T" ? " " : String($0) }.joined()) UTC"
    }

    /// The longest text of another machine that is shown, in bytes.
    private static let maximumText = 127

    private static func line(_ text: String) -> String {
        text.withoutControlCharacters.prefix(utf8Count: maximumText)
    }
}
