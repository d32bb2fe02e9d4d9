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
        let format = delivery.document.format
        do {
            let conversion = client.settings.conversion == nil ? nil : try Conversion(delivery.ticket, format: format)
            let wishes = conversion?.rest ?? PageWish.all(of: delivery.ticket)
            let options = try LprOptions(
                delivery.ticket, wishes: wishes, format: conversion == nil ? format : .postScript, dialect: dialect,
                isConverted: conversion != nil
            )
            if conversion != nil || client.settings.upload == .sftp {
                return try await UploadedFile(self).send(conversion, options)
            }
            // BSD's queue shows file names and no titles.
            return dialect == .bsd || !facts.hasExactHead ? try await spool(options) : try await stream(options)
        } catch let error as UnfulfilledTicket {
            throw TransportError(error, printer: client.printer)
        }
    }

    /// Into `lpr` while it comes.
    private func stream(_ options: LprOptions) async throws -> QueueListing {
        let end = "\(delivery.jobID) sent"
        let words = ["\(length)", end, delivery.jobID]
        var command = ShellScript.stream(to: dialect).command(arguments(words, options))
        command.input = .document(source, trailer: Array("\(end)\n".utf8))
        return try await take(command)
    }

    /// Into a file on the host that `lpr` gets once it is whole.
    private func spool(_ options: LprOptions) async throws -> QueueListing {
        var command = ShellScript.spool(to: dialect).command(arguments(["\(length)", delivery.jobID], options))
        command.input = .document(source, trailer: [])
        return try await take(command)
    }

    /// What each script gets: whether title and owner are coded; `words`; queue, owner and title; `lpr`'s options.
    func arguments(_ words: [String], _ options: LprOptions) -> [String] {
        let isCoded = !ShellWord.isPlain(title) || !ShellWord.isPlain(owner)
        return [isCoded ? "1" : "0"] + words + [client.queue]
            + [owner, title].map { isCoded ? ShellWord.coded($0) : $0 } + options.words
    }

    /// Runs the command that hands the document to `lpr`, and reads the queue from its answer.
    func take(_ command: RemoteCommand) async throws -> QueueListing {
        var command = command
        command.lane = .delivery
        command.stall = client.deadlines.stall
        command.total = client.deadlines.delivery
        let result: RemoteResult
        do {
            result = try await client.host.live.run(command) { step in
                if case .sending(let octets, length) = step { progress(.sending(bytes: octets, of: length)) }
            }
        } catch let error as SSHError {
            // Before the last octet of the input was out, nothing can print.
            throw TransportError(error, printer: client.printer, mayPrint: error.isInputComplete ? length : 0)
        }
        // Whoever answers without having had the whole document took no job, whatever the answer.
        guard result.isInputComplete, let answer = result.answer else {
            throw failure(LprFailure(result), result, queue: try await checkedQueue(after: LprFailure(result)))
        }
        return client.listing(answer, of: result, dialect)
    }

    /// CUPS's `lpr` says that a queue does not exist where it only cannot reach its server; `lpq` keeps both apart.
    private func checkedQueue(after failure: LprFailure) async throws -> QueueListing? {
        guard failure == .queueUnknown, dialect == .cups else { return nil }
        return try await client.listing(dialect, owner: owner)
    }

    var source: DocumentSource {
        switch delivery.document.body {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path, let length): .file(path: path, length: length)
        }
    }
}
