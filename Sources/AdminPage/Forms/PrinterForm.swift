package import KioskPrintModel

/// The form of a printer's settings: as it is shown, and as it came back.
package struct PrinterForm: Hashable, Sendable {
    /// Its name for people; empty for none.
    package var name: String
    /// Where it stands.
    package var location: String
    /// Its URL as text, valid or not.
    package var url: String
    /// The name of its profile; empty for the one that its model chooses.
    package var profile: String
    /// The keywords of the ticked job types.
    package var jobTypes: [String]
    /// The name of its login.
    package var credentials: String
    /// The textual form of its trust, valid or not.
    package var trust: String
    /// Whether its login may go over an open connection.
    package var allowsPlainLogin: Bool

    /// The form that shows a printer as it is saved.
    package init(_ printer: SavedPrinter) {
        name = printer.name ?? ""
        location = printer.location ?? ""
        url = printer.url.description
        profile = printer.profile ?? ""
        jobTypes = printer.jobTypes?.keywords ?? []
        credentials = printer.credentials ?? ""
        trust = printer.trust?.description ?? ""
        allowsPlainLogin = printer.allowsPlainLogin ?? false
    }

    /// The form as a browser sent it.
    package init(_ fields: FormFields) {
        name = fields.text("name") ?? ""
        location = fields.text("location") ?? ""
        url = fields.text("url") ?? ""
        profile = fields.text("profile") ?? ""
        jobTypes = fields.all("job-types")
        credentials = fields.text("credentials") ?? ""
        trust = fields.text("trust") ?? ""
        allowsPlainLogin = fields.isTicked("login-without-tls")
    }

    /// What is wrong with a field, by the field's name.
    package struct Mistakes: Error, Hashable, Sendable {
        /// The messages by the names of their fields.
        package var messages: [String: String]

        /// Creates a list of mistakes.
        package init(messages: [String: String] = [:]) { self.messages = messages }
    }

    /// The printer that the form describes. What is left empty is unset, trust and credentials too: the form shows them.
    package func printer(id: PrinterID) throws(Mistakes) -> SavedPrinter {
        var mistakes = Mistakes()
        var printerURL: PrinterURL?
        do { printerURL = try PrinterURL(url) } catch { mistakes.messages["url"] = error.description }
        var trustKind: Trust?
        if !trust.isEmpty {
            do { trustKind = try Trust(trust) } catch { mistakes.messages["trust"] = error.description }
        }
        let types = jobTypes.compactMap { JobTypes(keyword: $0) }.reduce(into: JobTypes()) { $0.formUnion($1) }
        guard let printerURL, mistakes.messages.isEmpty else { throw mistakes }
        return SavedPrinter(
            id: id, url: printerURL, name: name.nonempty, location: location.nonempty, profile: profile.nonempty,
            jobTypes: types.isEmpty ? nil : types, credentials: credentials.nonempty, trust: trustKind,
            allowsPlainLogin: allowsPlainLogin ? true : nil)
    }
}

extension String {
    /// Nil for the empty text.
    package var nonempty: String? { isEmpty ? nil : self }
}
