import KioskPrintModel

/// The rules for a registry's values beyond their types, for files and programs.
enum RegistryRules {
    /// A violated rule: the path of the value (`roles.receipt.printers.1`), what is wrong, and what to write instead.
    struct Violation: Hashable {
        var path: String
        var message: String
        var instead: String
    }

    /// RFC 8011 §5.1.2 bounds names at 255 octets.
    static let maximumTextLength = 255
    static let jobTypeKeywords = JobTypes.keywords.map(\.keyword).joined(separator: ", ")
    /// One year, in seconds.
    private static let maximumExpiry = 31_536_000
    /// More pages than any job has.
    static let maximumPageLimit = 1_000_000

    /// All violations. `brokenPrinters` are the ids of entries that were refused already, so that roles may name them.
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
                    Violation(path: path, message: "the role \"\(role.name)\" appears twice", instead: "it once"))
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
                    path: "\(path).profile",
                    message: "\"\(profile.withoutControlCharacters)\" is not a valid profile name",
                    instead: "letters, digits, dots, hyphens and underscores"))
        }
        if let credentials = printer.credentials, !isFileName(credentials) {
            found.append(
                Violation(
                    path: "\(path).credentials", message: "the credentials of \"\(printer.id)\" are not a valid name",
                    instead:
                        "the name of a secret that is kept elsewhere: letters, digits, dots, hyphens and underscores"))
        }
        if let jobTypes = printer.jobTypes, jobTypes.keywords.isEmpty {
            found.append(
                Violation(
                    path: "\(path).job-types", message: "the printer \"\(printer.id)\" has no job type",
                    instead: "at least one of \(jobTypeKeywords), or remove the key to believe the printer"))
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
                    instead: "one of \(jobTypeKeywords)"))
        }
        if let seconds = role.expiresAfter, !(1...maximumExpiry).contains(seconds) {
            found.append(
                Violation(
                    path: "\(path).expires-after",
                    message: "the role \"\(role.name)\" cannot expire after \(seconds) seconds",
                    instead: "1 to \(maximumExpiry) seconds, or a time such as 10m, 1h or 1d"))
        }
        if let pages = role.pageLimit, !(1...maximumPageLimit).contains(pages) {
            found.append(
                Violation(
                    path: "\(path).page-limit", message: "the role \"\(role.name)\" cannot allow \(pages) pages",
                    instead: "a number from 1 to \(maximumPageLimit), or remove the key"))
        }
        if role.mirror, role.policy == .all {
            found.append(
                Violation(
                    path: "\(path).mirror",
                    message: "the role \"\(role.name)\" prints on all of its printers, and its jobs cannot be mirrored",
                    instead: "another policy, or remove the key"))
        }
        found += retentionViolations(of: role, path: "\(path).keep")
        return found
            + role.defaults.problems.map { sentence in
                // A ticket's problem begins with its key, and says after "; write" what to write.
                let key = sentence.prefix { $0 != " " }
                let parts = sentence.splitOnce(atText: "; write ")
                return Violation(
                    path: "\(path).defaults.\(key)", message: "in the role \"\(role.name)\" \(parts.0)",
                    instead: parts.1 ?? "another value")
            }
    }

    private static func problem(ofText text: String) -> (message: String, instead: String)? {
        if text.isEmpty { return ("is empty", "a string, or remove the key") }
        if text.hasControlCharacters { return ("contains a control character", "plain text in one line") }
        if text.utf8.count > maximumTextLength {
            return ("is longer than \(maximumTextLength) bytes", "at most \(maximumTextLength) bytes")
        }
        return nil
    }

    /// Whether a string is a plain file name, which cannot lead out of its folder.
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

extension RegistryRules {
    /// Seconds. A job has to be found soon after it ended.
    private static let minimumHistory = 60
    /// Ten years, in seconds.
    private static let maximumHistory = 315_360_000
    /// The maximum of `keep: size`, in bytes.
    private static let maximumKeptSize: Int64 = 1_000_000_000_000

    private static func retentionViolations(of role: Role, path: String) -> [Violation] {
        var found: [Violation] = []
        let keep = role.keep
        if let jobs = keep.jobs, !(minimumHistory...maximumHistory).contains(jobs) {
            found.append(
                Violation(
                    path: "\(path).jobs", message: "the role \"\(role.name)\" cannot keep jobs for \(jobs) seconds",
                    instead: "\(minimumHistory) to \(maximumHistory) seconds, or a time such as 1h or 30d"))
        }
        if let documents = keep.documents, !(0...maximumHistory).contains(documents) {
            found.append(
                Violation(
                    path: "\(path).documents",
                    message: "the role \"\(role.name)\" cannot keep documents for \(documents) seconds",
                    instead: "0 to keep none, up to \(maximumHistory) seconds, or a time such as 1h or 1d"))
        } else if let documents = keep.documents, documents > keep.effectiveJobs {
            found.append(
                Violation(
                    path: "\(path).documents",
                    message:
                        "the role \"\(role.name)\" cannot keep documents longer than their jobs, which are removed after \(Duration.fileText(ofSeconds: keep.effectiveJobs))",
                    instead: "a shorter time, or a longer one for jobs"))
        }
        if let size = keep.size, !(0...maximumKeptSize).contains(size) {
            found.append(
                Violation(
                    path: "\(path).size", message: "the role \"\(role.name)\" cannot keep \(size) bytes of documents",
                    instead: "0 to keep none, up to \(ByteCounts.text(of: maximumKeptSize)), such as 200MB"))
        }
        return found
    }
}

extension RegistryRules {
    /// An `ipp` connection too may be upgraded to TLS (RFC 2817), and then has a certificate.
    private static let certificateSchemes: [PrinterURL.Scheme] = [.ipp, .ipps]

    /// The settings for trust and login that do not fit the printer's URL: a setting without effect would look as if it
    /// protected.
    private static func trustViolations(of printer: SavedPrinter, path: String) -> [Violation] {
        let showsCertificate = certificateSchemes.contains(printer.url.scheme)
        var found: [Violation] = []
        switch printer.trust {
        case nil: break
        // A device that says which one it is.
        case .pinned? where printer.url.scheme == .socket, Trust.none? where printer.url.scheme == .socket: break
        case _ where printer.url.scheme == .socket:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows no certificate over \(printer.url.scheme); what it says of itself can only be pinned",
                    instead: "sha256:FINGERPRINT, none, or remove the key"))
        case _ where !showsCertificate && printer.url.scheme != .sshLpr:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows no certificate over \(printer.url.scheme), so there is nothing to trust",
                    instead: "an ipps:// url, or remove the key"))
        case .caFile? where !showsCertificate:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows a host key over \(printer.url.scheme), for which no CA vouches",
                    instead: "system, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"))
        case .knownHosts? where showsCertificate:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows a certificate over \(printer.url.scheme), for which no known_hosts file vouches",
                    instead: "system, ca:/path/to/ca.pem, sha256:FINGERPRINT, ask or none"))
        default: break
        }
        guard !showsCertificate else { return found }
        if printer.allowsPlainLogin == true {
            found.append(
                Violation(
                    path: "\(path).login-without-tls",
                    message: "the printer \"\(printer.id)\" has no login over HTTP at \(printer.url.scheme)",
                    instead: "no such key"))
        }
        return found
    }
}
