package import KioskPrintModel

/// The subjects under which the fleet's messages stand at the hub. A site's own stand under its name, so that a kiosk's
/// rights are a few patterns.
package enum FleetSubject: Hashable, Sendable {
    /// A job for a role of a site: the document, or where it lies.
    case job(SiteName, RoleName, JobKey)
    /// A wish to cancel it, in the same order as the jobs.
    case cancellation(SiteName, JobKey)
    /// A part of a document that is too long for the job's message; numbers start with 0.
    case documentChunk(SiteName, JobKey, number: Int)
    /// What the kiosk says of a job.
    case report(SiteName, JobKey)
    /// How a kiosk is: a key of the bucket `STATUS`.
    case status(SiteName, NodeName)
    /// Which kiosk of a pair takes the site's jobs: a key of the bucket `LEASE`.
    case lease(SiteName)
    /// The configuration that the office wants a site to have: a key of the bucket `DESIRED`.
    case desired(SiteName)
    /// What became of it: a key of the bucket `REPORTED`.
    case reported(SiteName)
    /// The token that the office has signed anew for a kiosk, by its public key: a key of the bucket `TOKENS`.
    case token(SiteName, NKey)
    /// Who changed what.
    case audit(SiteName)

    /// The subject as NATS has it.
    package var text: String {
        switch self {
        case .job(let site, let role, let key): "jobs.\(site).\(role).\(key)"
        case .cancellation(let site, let key): "jobs.\(site).\(Self.cancel).\(key)"
        case .documentChunk(let site, let key, let number): "docs.\(site).\(key).\(number)"
        case .report(let site, let key): "reports.\(site).\(key)"
        case .status(let site, let node): "$KV.STATUS.\(site).\(node)"
        case .lease(let site): "$KV.LEASE.\(site)"
        case .desired(let site): "$KV.DESIRED.\(site)"
        case .reported(let site): "$KV.REPORTED.\(site)"
        case .token(let site, let key): "$KV.TOKENS.\(site).\(key)"
        case .audit(let site): "audit.\(site)"
        }
    }

    /// The token that stands in a role's place. No role of a fleet's jobs may have this name.
    private static let cancel = "cancel"

    /// All jobs and cancellations of a site, as a consumer's filter. Not `jobs.<site>.>`, which a server of version 2.9
    /// refuses as no subset of the stream's own subjects.
    package static func jobsFilter(of site: SiteName) -> String { "jobs.\(site).*.*" }

    /// A job of a site, whatever its role, and its cancellation.
    package static func jobFilter(of site: SiteName, _ key: JobKey) -> String { "jobs.\(site).*.\(key)" }

    /// What is said of all jobs of a site.
    package static func reportsFilter(of site: SiteName) -> String { "reports.\(site).*" }

    /// The states of all kiosks of all sites.
    package static let statusFilter = "$KV.STATUS.*.*"

    /// The states of the kiosks of a site.
    package static func statusFilter(of site: SiteName) -> String { "$KV.STATUS.\(site).*" }

    /// The configurations of all sites, as they are wanted and as they are reported.
    package static let desiredFilter = "$KV.DESIRED.*"
    package static let reportedFilter = "$KV.REPORTED.*"

    /// The subject of a job. Throws `invalid-name` for a role that a cancellation stands for.
    package static func job(to role: RoleName, of site: SiteName, _ key: JobKey) throws(FleetError) -> FleetSubject {
        guard role.rawValue != cancel else {
            throw FleetError(
                .invalidName, "no job of the fleet goes to a role named \"\(cancel)\", which cancels jobs at the hub")
        }
        return .job(site, role, key)
    }

    /// Reads a subject that came from the hub; nil where it is none of these.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let tokens = text.split(separator: ".", omittingEmptySubsequences: false)
        if tokens.first == "$KV" {
            guard tokens.count >= 3, let site = try? SiteName(String(tokens[2])) else { return nil }
            switch (tokens[1], tokens.count) {
            case ("STATUS", 4):
                guard let node = try? NodeName(String(tokens[3])) else { return nil }
                self = .status(site, node)
            case ("LEASE", 3): self = .lease(site)
            case ("DESIRED", 3): self = .desired(site)
            case ("REPORTED", 3): self = .reported(site)
            case ("TOKENS", 4):
                guard let key = try? NKey(tokens[3], of: .user) else { return nil }
                self = .token(site, key)
            default: return nil
            }
            return
        }
        guard tokens.count >= 2, let site = try? SiteName(String(tokens[1])) else { return nil }
        let key = tokens.count > 2 ? JobKey(subjectToken: tokens[tokens[0] == "jobs" ? tokens.count - 1 : 2]) : nil
        switch (tokens[0], tokens.count, key) {
        case ("jobs", 4, let key?) where tokens[2] == Self.cancel: self = .cancellation(site, key)
        case ("jobs", 4, let key?):
            guard let role = RoleName(rawValue: String(tokens[2])) else { return nil }
            self = .job(site, role, key)
        case ("docs", 4, let key?):
            guard tokens[3].utf8.count <= 9, let number = Int(tokens[3]), "\(number)" == tokens[3], number >= 0 else {
                return nil
            }
            self = .documentChunk(site, key, number: number)
        case ("reports", 3, let key?): self = .report(site, key)
        case ("audit", 2, nil): self = .audit(site)
        default: return nil
        }
    }

    /// In bytes; longer than any of these.
    package static let maximumLength = 255
}
