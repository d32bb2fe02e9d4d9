import KioskPrintModel
import KioskQueueListings
import KioskSSH
import Logging

/// Queries and removals for one print queue on one host, for one call of the transport: runs `lpq`, `lprm` and the
/// profile's quota command over SSH, and turns their failures into `TransportError`s. `LprDelivery` runs `lpr`.
struct QueueClient: Sendable {
    let printer: PrinterURL
    let queue: String
    let host: PrintHost
    let settings: LprSettings
    let deadlines: SSHLprTransport.Deadlines
    let trace: WireTrace

    /// The host's connection, for this call.
    var remote: any RemoteHost {
        get throws(SSHError) { TracedHost(host: try host.remote, trace: trace, printer: printer) }
    }

    /// The dialect of the host's `lpr`, and the host's facts.
    func facts() async throws -> (dialect: LprSettings.Dialect, facts: HostFacts) {
        guard let facts = try await host.loadFacts(over: remote) else {
            throw TransportError(
                .protocolViolation, operation: "exec",
                message: "\(printer): the host does not run shell commands unchanged for this user; "
                    + "give the user a login shell such as /bin/sh and no forced command"
            )
        }
        for program in ["lpr", "lpq"] where !facts.programs.contains(program) {
            host.invalidateFacts()
            throw missing(program, package: "cups-bsd")
        }
        guard let dialect = settings.dialect ?? facts.dialect else {
            host.invalidateFacts()
            throw TransportError(
                .notSupported, operation: "lpr -V",
                message: "\(printer): the host's lpr is of an unknown kind; "
                    + "name it in the printer's profile (lpr: dialect: cups, lprng or bsd)"
            )
        }
        return (dialect, facts)
    }

    // MARK: - Queries

    func listing(_ dialect: LprSettings.Dialect, owner: String) async throws -> QueueListing {
        var command = ShellScript.listing(dialect).command([queue, ShellWord.escaped(owner)])
        command.total = deadlines.query
        let result = try await remote.run(command)
        guard let lines = result.response else { throw failure(of: result, "lpq") }
        return listing(lines, of: result, dialect)
    }

    /// Reads the output of `lpq`. If it failed or was ended, the list of jobs is not complete.
    func listing(_ lines: [Substring], of result: RemoteResult, _ dialect: LprSettings.Dialect) -> QueueListing {
        var listing = QueueListing(lines, dialect: dialect, queue: queue)
        if result.exit != .status(0) { listing.isComplete = false }
        return listing
    }

    func contact(_ dialect: LprSettings.Dialect) async throws -> ContactResponse {
        var command = ShellScript.contact(dialect).command([queue])
        command.total = deadlines.query
        let result = try await remote.run(command)
        guard let lines = result.response, result.exit == .status(0) else { throw failure(of: result, "lpq") }
        return ContactResponse(lines)
    }

    /// Runs the profile's quota command; nil where there is none, or its output has no number of pages.
    func pagesLeft(_ logger: Logger) async throws -> Int? {
        guard let quota = settings.quota else { return nil }
        var command = ShellScript.quota.command(quota.arguments(queue: queue, user: printer.user ?? ""))
        command.total = deadlines.query
        command.maximumOutput = 16 * 1024
        let result: RemoteResult
        do {
            result = try await remote.run(command)
        } catch let error as SSHError where error.code == .tooMuchOutput || error.code == .timedOut {
            logger.warning("\(printer): the quota command failed: \(error.reason.withoutControlCharacters)")
            return nil
        }
        guard result.exit == .status(0), let response = result.response, let pages = quota.pagesLeft(response) else {
            logger.warning(
                """
                \(printer): the quota command failed, or its pattern finds no pages left \
                (\(result.exit)\(result.detail))
                """)
            return nil
        }
        return pages
    }

    // MARK: - Removal

    /// Removes a job from the queue, and checks that it is gone.
    func remove(_ job: LprJobID, _ dialect: LprSettings.Dialect, owner: String) async throws {
        var command = ShellScript.removal(dialect).command([queue, ShellWord.escaped(owner), job.number])
        command.total = deadlines.query
        let result = try await remote.run(command)
        guard let lines = result.response, result.exit != .status(RemoteStatus.programMissing) else {
            throw failure(of: result, "lprm")
        }
        let after = try await listing(dialect, owner: owner)
        guard JobReport(job, in: after) != nil else {
            // CUPS's lprm fails if the job had ended before.
            if after.wouldShow(job), dialect != .cups || result.exit == .status(0) { return }
            throw notInQueue(job, after)
        }
        let output = lines.joined(separator: " ").withoutControlCharacters.prefix(utf8Count: 300)
        throw TransportError(
            .accessDenied, operation: "lprm",
            message: "\(printer): the host did not remove job \(job.number) (\(output)); remove it there by hand",
            underlying: result.exit.native, remoteJob: job.remoteJob
        )
    }

    // MARK: - Errors

    func notInQueue(_ job: LprJobID, _ listing: QueueListing) -> TransportError {
        let reason =
            listing.wouldShow(job)
            ? "job \(job.number) is not in the queue any more"
            : "it is unknown whether job \(job.number) is in the queue\(listing.detail)"
        return TransportError(
            .outcomeUnknown, operation: "lprm", message: "\(printer): \(reason); look whether it printed",
            remoteJob: job.remoteJob
        )
    }

    func noSuchQueue(_ listing: QueueListing) -> TransportError {
        TransportError(
            .printerNotFound, operation: "lpq",
            message: "\(printer): the host has no queue \(queue)\(listing.detail); "
                + "correct the printer's URL, or set up the queue there"
        )
    }

    func unknownJob(_ job: RemoteJob) -> TransportError {
        let name = job.identifier.withoutControlCharacters.prefix(utf8Count: 60)
        return TransportError(
            .outcomeUnknown, operation: "lpq",
            message: "\(printer): \"\(name)\" is not a job of a line printer queue; look whether it printed"
        )
    }

    /// The error of a query whose output is missing.
    private func failure(of result: RemoteResult, _ program: String) -> TransportError {
        if result.exit == .status(RemoteStatus.programMissing) {
            host.invalidateFacts()
            return missing(program, package: "cups-bsd")
        }
        return TransportError(
            .protocolViolation, operation: program,
            message: "\(printer): \(program) on the host did not answer (\(result.exit)\(result.detail)); "
                + "try it there by hand",
            underlying: result.exit.native
        )
    }

    func missing(_ program: String, package: String) -> TransportError {
        TransportError(
            .programMissing, operation: program,
            message: "\(printer): the host has no program \(program) where this user finds it; "
                + "install it there (on Debian, in the package \(package))"
        )
    }
}

extension LprSettings.Quota {
    /// The words of the command for a queue and a user, escaped.
    fileprivate func arguments(queue: String, user: String) -> [String] {
        command.map { word in
            ShellWord.escaped(word.replacing("%queue", with: queue).replacing("%user", with: user))
        }
    }

    /// The pages left, from the output of the command; nil if the pattern finds none.
    fileprivate func pagesLeft(_ output: [Substring]) -> Int? {
        // A site's own pattern may be slow on long texts.
        let text = output.joined(separator: "\n").prefix(utf8Count: 4096)
        guard let pattern = try? Regex(pattern), let match = text.firstMatch(of: pattern), match.output.count > 1,
            let digits = match.output[1].substring, let pages = Int(digits)
        else { return nil }
        return pages
    }
}
