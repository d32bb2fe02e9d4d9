import KioskPrintModel
import KioskQueueListings
import NIOCore

/// One queue of a line printer daemon, for one call of the transport: asks it, and removes jobs.
struct LPDQueue: Sendable {
    let printer: PrinterURL
    let name: String
    let deadlines: LPDTransport.Deadlines
    let group: any EventLoopGroup
    let trace: WireTrace

    func tell(_ message: @autoclosure () -> String) { trace.tell(.lpd, printer, message()) }

    /// How the queue stands. LPRng's short listing has no jobs; its own command has all of them.
    func listing() async throws -> LPDListing {
        let short = try await listing(.shortListing(queue: name))
        return short.isOnlyCount ? try await listing(.wholeListing(queue: name)) : short
    }

    private func listing(_ command: LPDCommand) async throws -> LPDListing {
        let answer = try await ask(command, operation: "lpq")
        let listing = LPDListing(answer.octets, queue: name, isCut: answer.isCut)
        tell("the queue is listed in \(answer.octets.count) octets: \(listing.summary)")
        return listing
    }

    private func ask(_ command: LPDCommand, operation: String) async throws -> QueryHandler.Answer {
        let deadline = deadlines.query
        do {
            return try await LPDConnection.run(at: printer, connecting: deadlines.connect, on: group) {
                QueryHandler(command, on: $0, within: deadline, $1)
            }
        } catch {
            let error = TransportError(LPDFailure(error), operation: operation, printer: printer)
            tell("\(operation) failed: \(error.message)")
            throw error
        }
    }

    /// Removes a job, and checks that it is gone: daemons say nothing, or what they like.
    func remove(_ job: LprJobID, owner: String) async throws {
        let before = try await listing()
        guard JobReport(job, in: before.queue) != nil else { throw notInQueue(job, before) }
        let answer = try await ask(.removeJob(queue: name, agent: owner, number: job.number), operation: "lprm")
        tell("removal of job \(job.number) asked for")
        let after = try await listing()
        guard JobReport(job, in: after.queue) != nil else {
            if after.queue.wouldShow(job) { return }
            throw notInQueue(job, after)
        }
        let said = String(decoding: answer.octets.prefix(300), as: UTF8.self).withoutControlCharacters
        throw TransportError(
            .accessDenied, operation: "lprm",
            message:
                "\(printer): job \(job.number) is still in the queue\(said.isEmpty ? "" : " (\(said))"); remove it "
                + "there by hand, or allow this computer to",
            remoteJob: job.remoteJob)
    }

    // MARK: - Errors

    var missing: TransportError {
        TransportError(
            .printerNotFound, operation: "lpq",
            message: "\(printer): it has no queue \(name); correct the queue in the printer's URL, or set it up there")
    }

    /// `said`: the daemon's words.
    func accessDenied(_ said: String) -> TransportError {
        TransportError(
            .accessDenied, operation: "lpq",
            message:
                "\(printer): it does not let this computer print (\(said)); allow it there (hosts.lpd), and from any "
                + "port: the daemon may take only those from 721 to 731, which are not used")
    }

    func unknownJob(_ job: RemoteJob) -> TransportError {
        let name = job.identifier.withoutControlCharacters.prefix(utf8Count: 60)
        return TransportError(
            .outcomeUnknown, operation: "lpq",
            message: "\(printer): \"\(name)\" is not a job of a line printer queue; look whether it printed")
    }

    private func notInQueue(_ job: LprJobID, _ listing: LPDListing) -> TransportError {
        let reason =
            listing.queue.wouldShow(job)
            ? "job \(job.number) is not in the queue any more"
            : "it is unknown whether job \(job.number) is in the queue\(listing.queue.detail)"
        return TransportError(
            .outcomeUnknown, operation: "lprm", message: "\(printer): \(reason); look whether it printed",
            remoteJob: job.remoteJob)
    }
}

extension LPDListing {
    /// For a trace.
    fileprivate var summary: String {
        guard let dialect else { return "it is not understood" }
        return "\(dialect.rawValue), \(queue.jobs.count) jobs\(queue.isComplete ? "" : ", not complete")"
    }
}
