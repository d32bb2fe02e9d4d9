import PrintModel
import SSH

/// One document on its way into a queue.
struct LprDelivery: Sendable {
    let delivery: Delivery
    let dialect: LprSettings.Dialect
    let facts: HostFacts
    let client: QueueClient
    let progress: @Sendable (DeliveryProgress) -> Void

    init(
        _ delivery: Delivery, dialect: LprSettings.Dialect, facts: HostFacts, client: QueueClient,
        progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) {
        self.delivery = delivery
        self.dialect = dialect
        self.facts = facts
        self.client = client
        self.progress = progress
    }

    var length: Int64 { delivery.document.length }
    var title: String { JobTitle.make(delivery) }
    var owner: String { JobOwner.make(delivery.user) }

    /// Returns the queue as it was once `lpr` had taken the document.
    func send() async throws -> QueueListing {
        try await stream(try options())
    }

    /// Into `lpr` while it comes.
    private func stream(_ options: LprOptions) async throws -> QueueListing {
        let end = "\(delivery.jobID) sent"
        let isCoded = !ShellWord.isPlain(title) || !ShellWord.isPlain(owner)
        let words = [isCoded ? "1" : "0", "\(length)", end, delivery.jobID, client.queue] + [owner, title].map { isCoded ? ShellWord.coded($0) : $0 }
        var command = ShellScript.stream(to: dialect).command(words + options.words)
        command.input = .document(source, trailer: Array("\(end)\n".utf8))
        return try await take(command)
    }

    /// Runs the command that hands the document to `lpr`, and reads the queue from its answer.
    func take(_ command: RemoteCommand) async throws -> QueueListing {
        var command = command
        command.lane = .delivery
        command.stall = client.deadlines.stall
        command.total = client.deadlines.delivery
        let result: RemoteResult
        do {
            result = try await client.host.connection.run(command) { step in
                if case .sending(let octets, let length) = step { progress(.sending(bytes: octets, of: length)) }
            }
        } catch let error as SSHError {
            // Before its last line was out, nothing can print.
            throw TransportError(error, printer: client.printer, mayPrint: error.isInputComplete ? length : 0)
        }
        guard result.exit == .status(0), let answer = result.answer else {
            throw failure(LprFailure(result), result, queue: try await checkedQueue(after: LprFailure(result)))
        }
        return QueueListing(answer, dialect: dialect, queue: client.queue)
    }

    /// CUPS's `lpr` says that a queue does not exist where it only cannot reach its server; `lpq` keeps both apart.
    private func checkedQueue(after failure: LprFailure) async throws -> QueueListing? {
        guard failure == .queueUnknown, dialect == .cups else { return nil }
        return try await client.listing(dialect, owner: owner)
    }

    func options(arranged: Bool = false) throws -> LprOptions {
        do {
            return try LprOptions(delivery.ticket, format: delivery.document.format, dialect: dialect, arranged: arranged)
        } catch {
            throw TransportError(error, printer: client.printer)
        }
    }

    var source: DocumentSource {
        switch delivery.document.body {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path, let length): .file(path: path, length: length)
        }
    }
}
