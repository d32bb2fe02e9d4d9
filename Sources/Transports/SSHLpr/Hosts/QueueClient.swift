import PrintModel
import SSH

/// One queue on one host, and what one call needs to ask it.
struct QueueClient: Sendable {
    let printer: PrinterURL
    let queue: String
    let host: PrintHost
    let settings: LprSettings
    let deadlines: SSHLprTransport.Deadlines

    /// Whose `lpr` the host has, and what else.
    func facts() async throws -> (dialect: LprSettings.Dialect, facts: HostFacts) {
        guard let facts = try await host.knownFacts() else {
            throw TransportError(
                .protocolViolation, operation: "exec",
                message:
                    "\(printer): the host does not run a shell's commands for this user as they are; give the user a login shell such as /bin/sh and no forced command"
            )
        }
        for program in ["lpr", "lpq"] where !facts.programs.contains(program) {
            host.doubtFacts()
            throw missing(program, package: "cups-bsd")
        }
        guard let dialect = settings.dialect ?? facts.dialect else {
            host.doubtFacts()
            throw TransportError(
                .notSupported, operation: "lpr -V",
                message:
                    "\(printer): the host's lpr is none that is known; say in the printer's profile whose it is (lpr: dialect: cups, lprng or bsd)"
            )
        }
        return (dialect, facts)
    }

    /// What `lpq` says now.
    func listing(_ dialect: LprSettings.Dialect, owner: String) async throws -> QueueListing {
        var command = ShellScript.listing(dialect).command([queue, ShellWord.coded(owner)])
        command.total = deadlines.question
        let result = try await host.live.run(command)
        guard let lines = result.answer else { throw failure(of: result, "lpq") }
        return listing(lines, of: result, dialect)
    }

    /// What `lpq` answered. One that failed or was ended has not told of every job.
    func listing(_ lines: [Substring], of result: RemoteResult, _ dialect: LprSettings.Dialect) -> QueueListing {
        var listing = QueueListing(lines, dialect: dialect, queue: queue)
        if result.exit != .status(0) { listing.isComplete = false }
        return listing
    }

    /// Why a question brought no answer.
    func failure(of result: RemoteResult, _ program: String) -> TransportError {
        if result.exit == .status(RemoteStatus.programMissing) {
            host.doubtFacts()
            return missing(program, package: "cups-bsd")
        }
        return TransportError(
            .protocolViolation, operation: program,
            message:
                "\(printer): \(program) on the host did not answer (\(result.exit)\(result.saying)); try it there by hand",
            underlying: result.exit.native
        )
    }

    func missing(_ program: String, package: String) -> TransportError {
        TransportError(
            .programMissing, operation: program,
            message:
                "\(printer): the host has no program \(program) where this user finds it; install it there (on Debian, in the package \(package))"
        )
    }
}
