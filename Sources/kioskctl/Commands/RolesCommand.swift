import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct RolesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles",
        abstract: "List, assign and remove roles.",
        subcommands: [RolesListCommand.self, RolesAssignCommand.self, RolesRemoveCommand.self],
        defaultSubcommand: RolesListCommand.self
    )
}

struct RolesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List roles and their printers.",
        discussion: """
            EXAMPLES
              kioskctl roles list
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let roles = try connection.client.perform(.roles()).roles
        if output.json { return try Console.write(json: RoleList(roles: roles)) }
        Console.write(RoleText.table(roles))
        if roles.isEmpty { Console.writeMessage("no role is saved; assign one with `kioskctl roles assign`") }
    }
}

struct RolesAssignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Give a role its printers, first preference first.",
        discussion: """
            The printers replace those that the role had; its other settings stay unless they are said. Ticket options \
            become what a job's ticket leaves open.

            EXAMPLES
              kioskctl roles assign receipt till-1 till-2
              kioskctl roles assign label shipping-1 shipping-2 --policy least-busy
              kioskctl roles assign kitchen grill bar --policy all
              kioskctl roles assign kitchen bar-1 --job-type receipt --unconfirmed hold
              kioskctl roles assign label shipping --expires-after 1800
              kioskctl roles assign receipt till-1 --keep jobs=7d,documents=0
              kioskctl roles assign visitors lobby --page-limit 20
              kioskctl roles assign receipt till-1 --mirror
            """
    )

    @Argument(
        help: ArgumentHelp("The role.", valueName: "role"), completion: Completion.roles, transform: Arguments.role)
    var role: RoleName

    @Argument(
        help: ArgumentHelp("Its printers, first preference first.", valueName: "printer"),
        completion: Completion.printers, transform: Arguments.printer)
    var printers: [PrinterID]

    @Option(help: "Which of its printers gets a job.")
    var policy: Role.PrinterPolicy?

    @Option(
        help: ArgumentHelp("The job type that its printers must do.", valueName: "type"),
        completion: Completion.jobTypes, transform: Arguments.jobType)
    var jobType: JobTypes?

    @Option(help: "What becomes of a job whose fate cannot be known.")
    var unconfirmed: Role.UnconfirmedPolicy?

    @Option(
        help: ArgumentHelp(
            "The most pages of a job, as sides of sheets and of all copies together; 0 is no limit.", valueName: "n"))
    var pageLimit: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Keep its jobs at the kiosk's partner too, which takes them over where this kiosk falls silent.")
    var mirror: Bool?

    @Option(
        help: ArgumentHelp(
            "How long final jobs and their documents are kept, and how much of these: jobs=30d,documents=1d,size=200MB unless said.",
            valueName: "bounds"),
        transform: Arguments.retention)
    var keep: Retention?

    @OptionGroup(title: "What tickets leave open") var ticket: TicketOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let client = try connection.client
        var change = try client.roleChange(role)
        change.printers = printers
        change.policy = policy ?? change.policy
        change.jobType = jobType ?? change.jobType
        change.unconfirmed = unconfirmed ?? change.unconfirmed
        change.expiresAfter = ticket.expiresAfter ?? change.expiresAfter
        if let pageLimit { change.pageLimit = pageLimit == 0 ? nil : pageLimit }
        if let mirror { change.mirror = mirror ? true : nil }
        if let keep {
            let known = change.keep ?? Retention()
            change.keep = Retention(
                jobs: keep.jobs ?? known.jobs, documents: keep.documents ?? known.documents,
                size: keep.size ?? known.size)
        }
        change.defaults = defaults.filled(from: change.defaults ?? Ticket())
        let saved = try client.perform(.save(change, as: role))
        try output.json ? Console.write(json: saved) : Console.write(RoleText.table([saved]))
    }

    /// The ticket's options. The expiry is left out, since it is the role's own setting.
    private var defaults: Ticket {
        var defaults = ticket.ticket
        defaults.expiresAfter = nil
        return defaults
    }
}

struct RolesRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a role; its printers stay saved.",
        discussion: """
            EXAMPLES
              kioskctl roles remove kitchen
            """
    )

    @Argument(
        help: ArgumentHelp("The role.", valueName: "role"), completion: Completion.roles, transform: Arguments.role)
    var role: RoleName

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        try connection.client.perform(.removeRole(role))
        try output.json ? Console.write(json: ["removed": role]) : Console.writeLine("\(role) is removed")
    }
}

extension BlockingClient {
    /// A change of a role that keeps its settings; of a new role, if there is none by this name.
    func roleChange(_ name: RoleName) throws -> RoleChange {
        do {
            return RoleChange(try perform(.role(name)))
        } catch let error as KioskClientError where error.problem?.code == .unknownRole {
            return RoleChange(printers: [])
        }
    }
}

/// Formats roles for people.
enum RoleText {
    static func table(_ roles: [Role], _ style: Style = .current) -> String {
        let hasLimits = roles.contains { $0.pageLimit != nil }
        let areMirrored = roles.contains(where: \.mirror)
        var columns: [Table.Column] = [
            .init(heading: "ROLE"), .init(heading: "PRINTERS"), .init(heading: "POLICY"), .init(heading: "JOB TYPE"),
            .init(heading: "UNCONFIRMED"), .init(heading: "EXPIRES", isNumber: true),
            .init(heading: "KEEPS JOBS", isNumber: true),
            .init(heading: "DOCUMENTS"),
        ]
        if hasLimits { columns.append(.init(heading: "PAGES", isNumber: true)) }
        if areMirrored { columns.append(.init(heading: "MIRRORED")) }
        var table = Table(columns)
        for role in roles {
            var cells: [Table.Cell] = [
                .init(role.name.rawValue),
                .init(
                    role.printers.isEmpty ? "none" : role.printers.map(\.rawValue).joined(separator: ", "),
                    role.printers.isEmpty ? .red : nil),
                .init(role.policy.rawValue), .init(role.jobType?.description ?? "any"),
                .init(role.unconfirmed.rawValue),
                .init(Quantities.period(seconds: role.effectiveExpiry)),
                .init(Quantities.period(seconds: role.keep.effectiveJobs)), .init(documents(role.keep)),
            ]
            if hasLimits { cells.append(.init(role.pageLimit.map(String.init))) }
            if areMirrored { cells.append(.init(role.mirror ? "yes" : "no")) }
            table.add(cells)
        }
        return table.text(style)
    }

    private static func documents(_ keep: Retention) -> String {
        guard keep.effectiveDocuments > 0, keep.effectiveSize > 0 else { return "none" }
        return "\(Quantities.period(seconds: keep.effectiveDocuments)), \(ByteCounts.text(of: keep.effectiveSize))"
    }
}
