package import KioskPrintModel

/// The form of a role's settings, without its printers: as it is shown, and as it came back.
package struct RoleForm: Hashable, Sendable {
    /// The keyword of the choice of the printer.
    package var policy: String
    /// The keyword of the job type; empty for any.
    package var jobType: String
    /// The keyword of what becomes of an unconfirmed job.
    package var unconfirmed: String
    /// A period such as `10m`; empty for the standard.
    package var expiresAfter: String
    /// A number of pages; empty for no limit.
    package var pageLimit: String
    /// `true` or `false`: whether its jobs are mirrored.
    package var mirror: String
    /// A period for the history; empty for the standard.
    package var keepJobs: String
    /// A period for documents; empty for the standard.
    package var keepDocuments: String
    /// The keyword of the sides; empty leaves them open.
    package var sides: String
    /// The keyword of the colour mode; empty leaves it open.
    package var colorMode: String
    /// The keyword of the cut; empty leaves it open.
    package var cut: String

    /// The form that shows a role as it is saved.
    package init(_ role: Role) {
        policy = role.policy.rawValue
        jobType = role.jobType?.keywords.first ?? ""
        unconfirmed = role.unconfirmed.rawValue
        expiresAfter = role.expiresAfter.map(Duration.fileText) ?? ""
        pageLimit = role.pageLimit.map(String.init) ?? ""
        mirror = role.mirror ? "true" : "false"
        keepJobs = role.keep.jobs.map(Duration.fileText) ?? ""
        keepDocuments = role.keep.documents.map(Duration.fileText) ?? ""
        sides = role.defaults.sides?.rawValue ?? ""
        colorMode = role.defaults.colorMode?.rawValue ?? ""
        cut = role.defaults.cut?.rawValue ?? ""
    }

    /// The form as a browser sent it.
    package init(_ fields: FormFields) {
        policy = fields.text("policy") ?? ""
        jobType = fields.text("job-type") ?? ""
        unconfirmed = fields.text("unconfirmed") ?? ""
        expiresAfter = fields.text("expires-after") ?? ""
        pageLimit = fields.text("page-limit") ?? ""
        mirror = fields.text("mirror") ?? ""
        keepJobs = fields.text("keep-jobs") ?? ""
        keepDocuments = fields.text("keep-documents") ?? ""
        sides = fields.text("sides") ?? ""
        colorMode = fields.text("color-mode") ?? ""
        cut = fields.text("cut") ?? ""
    }

    /// The fields whose value is no number or period.
    package struct Mistakes: Error, Hashable, Sendable {
        /// The names of the fields.
        package var fields: Set<String>

        /// Creates a list of mistakes.
        package init(fields: Set<String> = []) { self.fields = fields }
    }

    /// The role with these settings; whatever the form does not show stays as it is.
    package func applied(to role: Role) throws(Mistakes) -> Role {
        var role = role
        var mistakes = Mistakes()
        func seconds(_ text: String, _ field: String) -> Int? {
            guard !text.isEmpty else { return nil }
            guard let seconds = Duration.seconds(of: text.filter { !$0.isWhitespace }.lowercased()) else {
                mistakes.fields.insert(field)
                return nil
            }
            return seconds
        }
        role.policy = Role.PrinterPolicy(rawValue: policy) ?? role.policy
        role.jobType = JobTypes(keyword: jobType)
        role.unconfirmed = Role.UnconfirmedPolicy(rawValue: unconfirmed) ?? role.unconfirmed
        role.expiresAfter = seconds(expiresAfter, "expires-after")
        role.keep.jobs = seconds(keepJobs, "keep-jobs")
        role.keep.documents = seconds(keepDocuments, "keep-documents")
        role.pageLimit = Int(pageLimit)
        if role.pageLimit == nil, !pageLimit.isEmpty { mistakes.fields.insert("page-limit") }
        role.mirror = Bool(mirror) ?? role.mirror
        role.defaults.sides = Ticket.Sides(rawValue: sides)
        role.defaults.colorMode = Ticket.ColorMode(rawValue: colorMode)
        role.defaults.cut = Ticket.Cut(rawValue: cut)
        guard mistakes.fields.isEmpty else { throw mistakes }
        return role
    }
}
