import ArgumentParser
import KioskFleet
import KioskPrintModel
import KioskTerminal

/// `kioskctl fleet print`: a file, or a document at an address, to a site's role.
struct PrintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Send a file to a role of a site.",
        discussion: """
            Returns once the hub keeps the job, also for a site that is offline. With --wait accepted it returns once \
            a kiosk of the site has the job on its disk, with --wait final once it is settled. Sending the same again \
            under its --key makes no second job: repeat a command that has failed until the kiosk has accepted.

            A document may also lie in a store of yours, such as one that speaks S3: name its https address, presigned \
            for a GET, with its size and SHA-256, and the kiosk fetches it. The address has to be valid for as long as \
            the kiosk may be away. Other users of this machine can read it while the command runs.

            EXAMPLES
              kioskctl fleet print receipt.txt --site 0147 --role receipt
              kioskctl fleet print a.zpl --site 0147 -r label --key 4711 --wait accepted
              kioskctl fleet print a.pdf --site 0147 --role document --wait final --json
              till | kioskctl fleet print - --site 0147 --role receipt --type receiptline
              kioskctl fleet print a.pdf --site 0147 --role page --ticket '{"copies": 2}'
              kioskctl fleet print "$url" --site 0147 -r page --size 812000 --sha256 "$sum"
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The file to print; - is standard input. Or the https address of a document.", valueName: "file"),
        completion: .file())
    var file: String

    @OptionGroup var site: SiteOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("The role of the site.", valueName: "name"), transform: Self.role)
    var role: RoleName

    @Option(
        help: ArgumentHelp(
            "Your own key of the job; else a random one, which is shown. Use each key for one job only.",
            valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("The size of the document at an address, in bytes.", valueName: "bytes"))
    var size: Int?

    @Option(
        name: .customLong("sha256"),
        help: ArgumentHelp("The SHA-256 of the document at an address, in hexadecimal.", valueName: "digest"))
    var digest: String?

    @Option(help: ArgumentHelp("What the job is called; else as its file.", valueName: "name"))
    var name: String?

    @Option(
        name: [.long, .customLong("format")],
        help: ArgumentHelp(
            "The document's format: a media type such as text/plain, or receiptline or receipt-json. Else the file's name tells, else its first bytes.",
            valueName: "format"),
        transform: Self.format)
    var type: DocumentFormat?

    @Option(
        help: ArgumentHelp(
            "Seconds after which it is not worth printing, from when the hub has it.", valueName: "seconds"))
    var expiresAfter: Int?

    @Option(help: ArgumentHelp("The ticket, as the kiosk's API has it.", valueName: "json"))
    var ticket: String?

    @Option(help: "Wait until the kiosk has the job, or until it is settled.")
    var wait: WaitGoal?

    @Option(help: ArgumentHelp("Seconds to wait at most; else as long as it takes.", valueName: "seconds"))
    var waitTimeout: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func validate() throws {
        guard waitTimeout == nil || wait != nil else {
            throw ValidationError("--wait-timeout bounds the waiting; add --wait.")
        }
        guard waitTimeout.map({ $0 > 0 }) ?? true else { throw ValidationError("--wait-timeout is seconds from 1.") }
        guard expiresAfter.map({ (1...FleetJob.longestExpiry).contains($0) }) ?? true else {
            throw ValidationError("--expires-after is a number of seconds from 1 to \(FleetJob.longestExpiry).")
        }
        guard isAddress ? size != nil && digest != nil : size == nil && digest == nil else {
            throw ValidationError(
                isAddress
                    ? "kioskctl does not fetch the document itself: add --size and --sha256, which `stat -c %s FILE` and `sha256sum FILE` show."
                    : "--size and --sha256 describe a document at an https:// address; leave them out for a file, or write the address as https://…"
            )
        }
    }

    /// Whether the document lies at an address.
    private var isAddress: Bool { ["https://", "http://"].contains { file.lowercased().hasPrefix($0) } }

    @Sendable private static func role(_ text: String) throws -> RoleName {
        guard let name = RoleName(rawValue: text) else {
            throw ValidationError(
                "it is not a role name; write words of lower-case letters and digits joined by hyphens")
        }
        return name
    }

    @Sendable private static func format(_ text: String) throws -> DocumentFormat {
        guard let format = DocumentFormat.receiptNames[text] ?? DocumentFormat(text) else {
            throw ValidationError(
                "it is not a media type; write one such as text/plain or application/pdf, or receiptline or receipt-json"
            )
        }
        return format
    }

    func run() async throws {
        let document = isAddress ? [] : try Self.read(file)
        let job = isAddress ? try makeJob(at: DocumentAddress(file)) : try makeJob(document)
        try await hub.withHub { session in
            let outcome = try await send(job, document, session)
            var sent = SentJob(job, outcome)
            if !output.json { Console.writeLine(ReportText.stored(job, outcome).terminalEscaped) }
            guard let wait else {
                if output.json { try Console.write(json: sent) }
                return
            }
            let waiting = ReportWaiting(
                site: job.site, role: job.role, key: try job.key(), name: job.idempotencyKey, goal: wait)
            sent.report = try await waiting.report(from: session, timeout: waitTimeout.map { .seconds($0) })
            if output.json { try Console.write(json: sent) }
            try waiting.show(sent.report, isQuiet: output.json)
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: FleetDocument.maximumLength + 1)
        } catch {
            throw CommandFailure(message: "\(path): it cannot be read: \(error)")
        }
        guard !bytes.isEmpty else { throw CommandFailure(message: "\(path): it is empty; there is nothing to print") }
        return bytes
    }

    private func makeJob(_ document: [UInt8]) throws -> FleetJob {
        let baseName =
            file == "-"
            ? "standard input" : String(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])
        return try FleetJob(
            site: site.site, role: role, idempotencyKey: key ?? RandomToken.text(),
            name: name ?? baseName.withoutControlCharacters.prefix(utf8Count: Self.longestName), document: document,
            format: type ?? DocumentFormat(fileName: baseName), expiresAfter: expiresAfter,
            ticket: try ticket.map(FleetJSON.ticket))
    }

    private func makeJob(at address: DocumentAddress) throws -> FleetJob {
        let name = name ?? (address.fileName ?? address.host).prefix(utf8Count: Self.longestName)
        return try FleetJob(
            site: site.site, role: role, idempotencyKey: key ?? RandomToken.text(), name: name, documentAt: address,
            length: size ?? 0, digest: digest ?? "",
            format: type ?? address.fileName.flatMap { DocumentFormat(fileName: $0) },
            expiresAfter: expiresAfter, ticket: try ticket.map(FleetJSON.ticket))
    }

    /// In bytes, as the kiosk's API has it.
    private static let longestName = 255

    private func send(_ job: FleetJob, _ document: [UInt8], _ session: HubSession) async throws -> JobSender.Outcome {
        do {
            return try await session.retrying {
                try await JobSender(at: session.jetStream).send(job, document: document)
            }
        } catch let error as FleetError where error.isRetryable {
            throw CommandFailure(
                message:
                    "\(error.description) (the hub may have the job or not: send it again with --key \(job.idempotencyKey), which makes no second one)",
                code: ExitStatus.unavailable)
        }
    }
}

/// A job that the hub has, as JSON.
private struct SentJob: Encodable {
    var site: String
    var role: String
    var key: String
    /// `stored` or `already-stored`.
    var outcome: String
    /// The last that a kiosk has said; nil without waiting, and before the first.
    var report: FleetReport?

    init(_ job: FleetJob, _ outcome: JobSender.Outcome) {
        (site, role, key) = (job.site.text, job.role.rawValue, job.idempotencyKey)
        self.outcome = outcome == .stored ? "stored" : "already-stored"
    }
}
