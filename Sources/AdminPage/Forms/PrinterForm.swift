package import KioskPrintModel

/// The form of a printer's settings: as it is shown, and as it came back.
package struct PrinterForm: Hashable, Sendable {
    package var name: String
    package var location: String
    package var url: String
    package var profile: String
    package var jobTypes: [String]
    package var credentials: String
    package var trust: String
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
        package var messages: [String: String]

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
