import PrintModel

/// The rules of a registry that go beyond the types of its values, for files and programs alike.
enum RegistryRules {
    /// A broken rule: where (`roles.receipt.printers.1`), what is wrong, and what to write instead.
    struct Violation: Hashable {
        var path: String
        var message: String
        var instead: String
    }

    /// RFC 8011 §5.1.2 bounds names at 255 octets.
    static let maximumTextLength = 255
    /// One year: nothing is worth printing longer.
    static let maximumExpiry = 31_536_000

    /// All broken rules. `brokenPrinters` are ids whose entries were refused already, so that roles may name them.
    static func violations(
        printers: [(path: String, printer: SavedPrinter)], roles: [(path: String, role: Role)],
        profiles: ProfileLibrary?, brokenPrinters: Set<PrinterID> = []
    ) -> [Violation] {
        var found: [Violation] = []
        var ids: [PrinterID] = []
        var seen = brokenPrinters
        for (path, printer) in printers {
            if !seen.insert(printer.id).inserted {
                found.append(
                    Violation(
                        path: "\(path).id", message: "the id \"\(printer.id)\" is taken by another printer",
                        instead: "another id"))
            }
            ids.append(printer.id)
            found += violations(of: printer, path: path, profiles: profiles)
        }
        var names: Set<RoleName> = []
        for (path, role) in roles {
            if !names.insert(role.name).inserted {
                found.append(
                    Violation(path: path, message: "the role \"\(role.name)\" stands twice", instead: "it once"))
            }
            found += violations(of: role, path: path, saved: ids, known: seen)
        }
        return found
    }

    private static func violations(of printer: SavedPrinter, path: String, profiles: ProfileLibrary?) -> [Violation] {
        var found: [Violation] = []
        for (key, text) in [("name", printer.name), ("location", printer.location)] {
            if let text, let (message, instead) = problem(ofText: text) {
                found.append(
                    Violation(
                        path: "\(path).\(key)", message: "the \(key) of \"\(printer.id)\" \(message)", instead: instead)
                )
            }
        }
        if let profile = printer.profile, let profiles, profiles.profile(named: profile) == nil {
            let names = profiles.profiles.map(\.name)
            found.append(
                Violation(
                    path: "\(path).profile", message: "there is no profile \"\(profile.withoutControlCharacters)\"",
                    instead: Suggestion.instead(of: profile, among: names, otherwise: "no profile at all")))
        } else if let profile = printer.profile, !isFileName(profile) {
            found.append(
                Violation(
                    path: "\(path).profile", message: "\"\(profile.withoutControlCharacters)\" is no profile's name",
                    instead: "letters, digits, dots, hyphens and underscores"))
        }
        if let credentials = printer.credentials, !isFileName(credentials) {
            found.append(
                Violation(
                    path: "\(path).credentials", message: "the credentials of \"\(printer.id)\" are no name",
                    instead:
                        "the name of a secret that is kept elsewhere: letters, digits, dots, hyphens and underscores"))
        }
        if let jobTypes = printer.jobTypes, jobTypes.keywords.isEmpty {
            found.append(
                Violation(
                    path: "\(path).job-types", message: "the printer \"\(printer.id)\" has no job type",
                    instead: "at least one of \(Vocabulary.jobTypes), or remove the key to believe the printer"))
        }
        return found + trustViolations(of: printer, path: path)
    }

    private static func violations(
        of role: Role, path: String, saved: [PrinterID], known: Set<PrinterID>
    ) -> [Violation] {
        var found: [Violation] = []
        var seen: Set<PrinterID> = []
        for (index, id) in role.printers.enumerated() {
            if !known.contains(id) {
                found.append(
                    Violation(
                        path: "\(path).printers.\(index)",
                        message: "the role \"\(role.name)\" names the printer \"\(id)\", which is not saved",
                        instead: Suggestion.instead(
                            of: id.rawValue, among: saved.map(\.rawValue), otherwise: "it under printers first")))
            } else if !seen.insert(id).inserted {
                found.append(
                    Violation(
                        path: "\(path).printers.\(index)",
                        message: "the role \"\(role.name)\" names the printer \"\(id)\" twice", instead: "it once"))
            }
        }
        if let jobType = role.jobType, jobType.keywords.count != 1 {
            found.append(
                Violation(
                    path: "\(path).job-type", message: "the role \"\(role.name)\" needs one job type",
                    instead: "one of \(Vocabulary.jobTypes)"))
        }
        if let seconds = role.expiresAfter, !(1...maximumExpiry).contains(seconds) {
            found.append(
                Violation(
                    path: "\(path).expires-after",
                    message: "the role \"\(role.name)\" cannot expire after \(seconds) seconds",
                    instead: "1 to \(maximumExpiry) seconds, or a time such as 10m, 1h or 1d"))
        }
        found += retentionViolations(of: role, path: "\(path).keep")
        return found
            + role.defaults.problems.map { sentence in
                // A ticket's problem begins with its key, and says behind "; write" what to write.
                let key = sentence.prefix { $0 != " " }
                let parts = sentence.splitOnce(atText: "; write ")
                return Violation(
                    path: "\(path).defaults.\(key)", message: "in the role \"\(role.name)\" \(parts.0)",
                    instead: parts.1 ?? "another value")
            }
    }

    private static func problem(ofText text: String) -> (message: String, instead: String)? {
        if text.isEmpty { return ("is empty", "a text, or remove the key") }
        if text.hasControlCharacters { return ("contains a control character", "plain text in one line") }
        if text.utf8.count > maximumTextLength {
            return ("is longer than \(maximumTextLength) bytes", "at most \(maximumTextLength) bytes")
        }
        return nil
    }

    /// Whether a text can name a file in a folder and lead nowhere else.
    static func isFileName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~") }
    }
}

extension String {
    /// The parts before and after `separator`; the second is nil where it does not occur.
    fileprivate func splitOnce(atText separator: String) -> (String, String?) {
        guard let range = firstRange(ofText: separator) else { return (self, nil) }
        return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
    }
}
