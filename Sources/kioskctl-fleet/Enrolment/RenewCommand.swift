import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet renew`: signs kiosks' tokens anew, which they fetch from the hub.
struct RenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Renew the tokens of kiosks, which fetch them from the hub.",
        discussion: """
            Signs a new token for each kiosk whose own ends soon, and stores it at the hub. The kiosk takes it within \
            two hours, or at its next connection, and logs in with it from then on. Logs in with admin.creds of the \
            authority's folder unless --credentials names another file. What the hub did not get is sent when this is \
            called again. A kiosk whose token has ended has to be admitted and joined again: have this run each week.

            Where the hub's account is from before kiosks might fetch tokens, it is signed anew, with system.creds, and \
            every kiosk connects again: put accounts.conf, which is written with it, on the hub's servers.

            EXAMPLES
              kioskctl fleet renew --dir fleet-authority --dry-run
              kioskctl fleet renew --dir fleet-authority
              kioskctl fleet renew --dir fleet-authority --site 0147 --before 400d --json
            """
    )

    @OptionGroup var authority: AuthorityOptions

    @Option(help: ArgumentHelp("Renew tokens that end within this time.", valueName: "days"))
    var before = DayCount(60)

    @Option(help: ArgumentHelp("For how many days.", valueName: "n"))
    var days = 365

    @Option(help: ArgumentHelp("Only the kiosks of this site.", valueName: "name"), transform: SiteOptions.site)
    var site: SiteName?

    @Option(help: ArgumentHelp("Only this kiosk of the site.", valueName: "name"), transform: KioskNameOptions.node)
    var node: NodeName?

    @Flag(help: "Show what is due, and sign nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func validate() throws {
        guard (1...3650).contains(days) else { throw ValidationError("--days is \(days); write 1 to 3650.") }
        guard node == nil || site != nil else { throw ValidationError("--node needs --site; name the kiosk's site.") }
    }

    func run() async throws {
        let (folder, now) = (authority.folder, TokenTime.now)
        let renewal = TokenRenewal(
            time: now, dueBefore: now + before.seconds, end: now + Int64(days) * TokenTime.day, site: site,
            node: node)
        guard !dryRun else { return try show(renewal.look(at: folder.kiosks())) }
        var hub = hub
        hub.credentials = hub.credentials ?? folder.adminCredentials
        var (kiosks, failure) = try await hub.withHub { session in
            // Once the hub is reached, so that nothing is signed in vain.
            var kiosks = try folder.renew(renewal)
            let failure = await send(&kiosks, to: session)
            try folder.noteSent(kiosks)
            return (kiosks, failure)
        }
        var advice = "the hub has not got all of the new tokens; call this again"
        var account: AccountState?
        if failure == nil {
            do {
                account = try await renewAccount(of: folder, at: now)
            } catch {
                failure = error
                advice = "the hub has the tokens, and whether it lets kiosks fetch them is not known; call this again"
            }
        }
        try show(kiosks, account)
        if account == .renewed {
            Console.writeMessage(
                "the hub's account did not give kiosks all of their rights: it is signed anew, and every kiosk connects again; put \(folder.path)/\(AuthorityFolder.hubConfiguration) on the hub's servers"
            )
        }
        guard let failure else { return }
        Console.writeMessage(advice)
        throw failure
    }

    /// What became of the hub's account.
    private enum AccountState: String {
        case unchanged
        /// It was signed anew, since it did not give kiosks all of their rights.
        case renewed
    }

    /// Comes behind the tokens: kiosks connect again when their rights change, and look for tokens then.
    private func renewAccount(of folder: AuthorityFolder, at time: Int64) async throws -> AccountState {
        var hub = hub
        hub.credentials = folder.systemCredentials
        return try await hub.withHub { session in
            let key = try folder.accountKey()
            let known = try await session.retrying { try await session.accounts.token(of: key) }
            guard let account = try folder.signAccount(inPlaceOf: known, at: time) else { return .unchanged }
            try await session.retrying { try await session.accounts.send(account: account) }
            return .renewed
        }
    }

    /// Stores the tokens at the hub. Returns why the first that failed did; those behind it are not tried.
    private func send(_ kiosks: inout [TokenRenewal.Kiosk], to session: HubSession) async -> (any Error)? {
        defer { Console.progress("") }
        do {
            for index in kiosks.indices {
                guard let token = kiosks[index].token else { continue }
                let site = try SiteName(kiosks[index].site)
                Console.progress("renewing \(site), \(token.publicKey)")
                _ = try await session.retrying {
                    try await session.jetStream.publish(.token(site, token.publicKey), body: Array(token.text.utf8))
                }
                kiosks[index].sent()
            }
            return nil
        } catch {
            return error
        }
    }

    private func show(_ kiosks: [TokenRenewal.Kiosk], _ account: AccountState? = nil) throws {
        guard !output.json else {
            return try Console.write(
                json: RenewalJSON(kiosks: kiosks.map { .init($0) }, account: account?.rawValue))
        }
        guard !kiosks.isEmpty else {
            let whose = site.map { " of the site \($0)" } ?? ""
            return Console.writeMessage("no kiosk\(whose) was admitted; `kioskctl fleet admit` does it")
        }
        Console.write(RenewalText.table(kiosks))
    }
}

/// A time in whole days, written as `60d` or `60`.
struct DayCount: ExpressibleByArgument, CustomStringConvertible {
    private let days: Int64
    var description: String { "\(days)d" }
    var seconds: Int64 { days * TokenTime.day }

    init(_ days: Int64) { self.days = days }

    /// Nil where it is none from 1 day to ten years.
    init?(argument text: String) {
        let digits = text.hasSuffix("d") ? text.dropLast() : text[...]
        guard digits.utf8.count <= 4, let days = Int64(digits), (1...3650).contains(days) else { return nil }
        self.init(days)
    }
}

/// What became of tokens, for people.
enum RenewalText {
    static func table(_ kiosks: [TokenRenewal.Kiosk], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "SITE"), .init(heading: "KIOSK"), .init(heading: "TOKEN"), .init(heading: "UNTIL"),
            .init(heading: "PUBLIC KEY"), .init(heading: "WHY"),
        ])
        for kiosk in kiosks {
            let color: Style.Color? =
                switch kiosk.state {
                case .renewed: .green
                case .due: .yellow
                case .unsent: .red
                case .skipped: nil
                }
            table.add([
                .init(kiosk.site), .init(kiosk.node), .init(kiosk.state.rawValue, color),
                .init(kiosk.expiresAt.map { TokenTime.text($0) }), .init(kiosk.publicKey),
                .init(kiosk.reason.map(text)),
            ])
        }
        return table.text(style)
    }

    private static func text(_ reason: TokenRenewal.Kiosk.Reason) -> String {
        switch reason {
        case .revoked: "it is revoked"
        case .expired: "it has ended: admit and join the kiosk again"
        case .notDue: "it ends later than --before says"
        case .notLater: "the new one would end no later: use more --days"
        }
    }
}

/// What became of tokens, as JSON.
private struct RenewalJSON: Encodable {
    var kiosks: [Kiosk]
    /// `unchanged` or `renewed`; left out where the hub was not asked.
    var account: String?

    struct Kiosk: Encodable {
        var publicKey: String
        var site: String
        var node: String?
        var state: TokenRenewal.Kiosk.State
        /// In seconds since 1970.
        var expiresAt: Int64?
        var reason: TokenRenewal.Kiosk.Reason?

        init(_ kiosk: TokenRenewal.Kiosk) {
            (publicKey, site, node, state) = (kiosk.publicKey, kiosk.site, kiosk.node, kiosk.state)
            (expiresAt, reason) = (kiosk.expiresAt, kiosk.reason)
        }
    }
}
