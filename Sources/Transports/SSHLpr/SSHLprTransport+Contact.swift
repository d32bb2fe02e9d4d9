import Logging
public import PrintModel
import SSH

extension SSHLprTransport {
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        try await call(printer) { client in
            let (dialect, _) = try await client.facts()
            let answer = try await client.contact(dialect)
            let listing = QueueListing(answer[.queue], dialect: dialect, queue: client.queue)
            if listing.isMissing { throw client.noSuchQueue(listing) }
            // The host may have changed to another lpr since it was asked.
            if !listing.isComplete, listing.state == .unknown { client.host.doubtFacts() }
            var description = PrinterDescription(answer)
            description.pagesLeft = try await client.pagesLeft(logger)
            return ContactReport(description: description, availability: Availability(answer, listing))
        }
    }
}

extension QueueClient {
    fileprivate func contact(_ dialect: LprSettings.Dialect) async throws -> ContactAnswer {
        var command = ShellScript.contact(dialect).command([queue])
        command.total = deadlines.question
        let result = try await host.live.run(command)
        guard let lines = result.answer, result.exit == .status(0) else { throw failure(of: result, "lpq") }
        return ContactAnswer(lines)
    }

    /// What the profile's quota command says; nil where there is none, or it says nothing.
    fileprivate func pagesLeft(_ logger: Logger) async throws -> Int? {
        guard let quota = settings.quota else { return nil }
        var command = ShellScript.quota.command(quota.words(queue: queue, user: printer.user ?? ""))
        command.total = deadlines.question
        command.longestOutput = 16 * 1024
        let result: RemoteResult
        do {
            result = try await host.live.run(command)
        } catch let error as SSHError where error.code == .tooMuchOutput || error.code == .timedOut {
            logger.warning("\(printer): the quota command failed: \(error.reason.withoutControlCharacters)")
            return nil
        }
        guard result.exit == .status(0), let answer = result.answer, let pages = quota.pagesLeft(answer) else {
            logger.warning(
                "\(printer): the quota command failed, or its pattern finds no pages left (\(result.exit)\(result.saying))"
            )
            return nil
        }
        return pages
    }

    fileprivate func noSuchQueue(_ listing: QueueListing) -> TransportError {
        TransportError(
            .printerNotFound, operation: "lpq",
            message:
                "\(printer): the host has no queue \(queue)\(listing.saying); correct the printer's URL, or set up the queue there"
        )
    }
}
