import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Make a link and a code that log in to the admin page, once, for ten minutes.",
        discussion: """
            For administrators, on the kiosk itself. The session has your rights, and ends after twelve hours, at \
            logout, or when kioskd stops. The page is served where kioskd listens over TCP (kioskd --listen).

            The certificate of a kiosk is its own, so a browser warns of it: go on only where it shows this \
            fingerprint. --print prints the link as a QR code, for a telephone or a tablet.

            EXAMPLES
              sudo kioskctl admin
              sudo kioskctl admin --print receipt
              sudo kioskctl admin --json
            """,
        aliases: ["setup"]
    )

    @Option(
        name: .customLong("print"),
        help: ArgumentHelp("Print the link on a receipt printer too.", valueName: "role|printer"),
        completion: Completion.roles)
    var destination: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let client = try connection.client
        let server = try client.perform(.server())
        guard !server.addresses.isEmpty else {
            throw CommandFailure(
                message:
                    "the admin page is not served: kioskd listens at its socket alone; start it with --listen 127.0.0.1:8631, or with --listen 0.0.0.0:8631 for other machines too"
            )
        }
        let target = try destination.map { try self.target($0, client) }
        let code = try client.perform(.makeLoginCode())
        let login = AdminLogin(code, server)
        var job: Job?
        if let target {
            var parameters = target
            parameters.name = "login"
            parameters.format = .receiptLine
            // A code that is over is not worth paper.
            parameters.ticket.expiresAfter = 600
            job = try client.perform(.submit(.bytes(Array(AdminText.receipt(login).utf8)), parameters))
        }
        if output.json { return try Console.write(json: AdminLogin.Output(login, job: job?.id)) }
        Console.write(AdminText.details(login))
        if let job { Console.writeMessage("the link is printed as job \(job.id)") }
    }

    /// A role of this name, else the printer.
    private func target(_ name: String, _ client: BlockingClient) throws -> SubmissionParameters {
        var parameters = SubmissionParameters()
        let roles = try client.perform(.roles()).roles
        if let role = roles.first(where: { $0.name.rawValue == name }) {
            parameters.role = role.name
        } else if let printer = PrinterID(rawValue: name) {
            parameters.printer = printer
        } else {
            throw CommandFailure(message: "there is no role or printer \"\(name)\"; see them with: kioskctl roles list")
        }
        return parameters
    }
}

/// A one-time code, with the links at which it logs in.
struct AdminLogin {
    let code: NewLoginCode
    /// The likeliest first.
    let links: [String]
    let certificate: Certificate?

    init(_ code: NewLoginCode, _ server: ServerInformation) {
        self.code = code
        links = Self.origins(server).map { $0 + code.path }
        certificate = server.certificate
    }

    /// The origins under which browsers reach the daemon: for an address that stands for all, one for each name.
    private static func origins(_ server: ServerInformation) -> [String] {
        let named = server.addresses.flatMap { address -> [String] in
            guard let host = ["://0.0.0.0:", "://[::]:"].first(where: { address.contains($0) }),
                let start = address.firstRange(ofText: host)
            else { return [address] }
            let (scheme, port) = (address[..<start.lowerBound], address[start.upperBound...])
            return server.names.map { "\(scheme)://\($0.contains(":") ? "[\($0)]" : $0):\(port)" }
        }
        var seen: Set<String> = []
        let unique = named.filter { seen.insert($0).inserted }
        // Other machines do not reach it by these.
        let isLoopback = { (origin: String) in
            ["://localhost:", "://127.0.0.1:", "://[::1]:"].contains { origin.contains($0) }
        }
        return unique.filter { !isLoopback($0) } + unique.filter(isLoopback)
    }

    /// The form of `--json`.
    struct Output: Encodable {
        let code: String
        let links: [String]
        let expiresAt: Timestamp
        let user: String
        let certificate: Fingerprint?
        let job: Job.ID?

        init(_ login: AdminLogin, job: Job.ID?) {
            code = login.code.code
            links = login.links
            expiresAt = login.code.expiresAt
            user = login.code.user
            certificate = login.certificate?.fingerprint
            self.job = job
        }

        private enum CodingKeys: String, CodingKey {
            case code, links, user, job
            case expiresAt = "expires-at"
            case certificate = "certificate-fingerprint"
        }
    }
}

/// Formats a login for people, on a terminal and on paper.
enum AdminText {
    static func details(_ login: AdminLogin, _ style: Style = .current) -> String {
        var details = Details("admin page")
        for (index, link) in login.links.enumerated() { details.add(index == 0 ? "open" : "or", link) }
        details.add("code", login.code.code)
        details.add("works until", "\(login.code.expiresAt), once")
        details.add("user", login.code.user)
        if let certificate = login.certificate {
            details.add("certificate's SHA-256", certificate.fingerprint.withColons)
        }
        return details.text(style)
    }

    /// A receipt in markup, with the first link as a QR code.
    static func receipt(_ login: AdminLogin) -> String {
        var lines = ["^^^Admin page", ""]
        if let link = login.links.first {
            lines += ["{code:\(escaped(link, also: [";"])); option:qrcode,5,m}", "", escaped(link), ""]
        }
        lines += ["^^^\(escaped(login.code.code))", "", "Works once, until", escaped(login.code.expiresAt.description)]
        if let certificate = login.certificate {
            lines += ["", "Certificate's SHA-256", escaped(certificate.fingerprint.withColons)]
        }
        return (lines + ["="]).joined(separator: "\n") + "\n"
    }

    /// Text in which no character is markup.
    private static func escaped(_ text: String, also more: Set<Character> = []) -> String {
        let special: Set<Character> = more.union(["\\", "{", "}", "|", "-", "=", "~", "_", "\"", "`", "^"])
        return text.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : "\($1)" }
    }
}
