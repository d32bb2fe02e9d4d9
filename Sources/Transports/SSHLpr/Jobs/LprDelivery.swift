import KioskPrintModel
import KioskQueueListings
import KioskSSH

/// The delivery of one document into a queue.
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
    var owner: String { LprOwner.make(delivery.user) }

    /// Returns the queue after `lpr` has accepted the document.
    func send() async throws -> QueueListing {
        let format = delivery.document.format
        do {
            let conversion = client.settings.conversion == nil ? nil : try Conversion(delivery.ticket, format: format)
            let pageOptions = conversion?.rest ?? PageOption.all(of: delivery.ticket)
            let options = try LprOptions(
                delivery.ticket, pageOptions: pageOptions, format: conversion == nil ? format : .postScript,
                dialect: dialect,
                isConverted: conversion != nil
            )
            if conversion != nil || client.settings.upload == .sftp {
                return try await UploadedFile(self).send(conversion, options)
            }
            // BSD's queue shows file names, not titles.
            return dialect == .bsd || !facts.hasExactHead ? try await spool(options) : try await stream(options)
        } catch let error as UnsupportedTicket {
            throw TransportError(error, printer: client.printer)
        }
    }

    /// Streams the document into `lpr`.
    private func stream(_ options: LprOptions) async throws -> QueueListing {
        let end = "\(delivery.jobID) sent"
        let own = ["\(length)", end, delivery.jobID]
        var command = ShellScript.stream(to: dialect).command(arguments(own, options))
        command.input = .document(source, trailer: Array("\(end)\n".utf8))
        return try await run(command)
    }

    /// Stores the document in a file on the host, which `lpr` gets once it is complete.
    private func spool(_ options: LprOptions) async throws -> QueueListing {
        var command = ShellScript.spool(to: dialect).command(arguments(["\(length)", delivery.jobID], options))
        command.input = .document(source, trailer: [])
        return try await run(command)
    }

    /// The arguments of each script: whether title and owner are escaped; `own`; queue, owner and title; `lpr`'s
    /// options.
    func arguments(_ own: [String], _ options: LprOptions) -> [String] {
        let isEscaped = !ShellWord.isPlain(title) || !ShellWord.isPlain(owner)
        return [isEscaped ? "1" : "0"] + own + [client.queue]
            + [owner, title].map { isEscaped ? ShellWord.escaped($0) : $0 } + options.words
    }

    /// Runs the command that passes the document to `lpr`, and reads the queue from its response.
    func run(_ command: RemoteCommand) async throws -> QueueListing {
        var command = command
        command.kind = .delivery
        command.stall = client.deadlines.stall
        command.total = client.deadlines.delivery
        let result: RemoteResult
        do {
            result = try await client.remote.run(command) { step in
                if case .sending(let octets, length) = step { progress(.sending(bytes: octets, of: length)) }
            }
        } catch let error as SSHError {
            // Before the last octet of the input was out, nothing can print.
            throw TransportError(error, printer: client.printer, mayPrint: error.isInputComplete ? length : 0)
        }
        // Without the whole input no job was accepted, whatever the response.
        guard result.isInputComplete, let response = result.response else {
            throw failure(LprFailure(result), result, queue: try await checkedQueue(after: LprFailure(result)))
        }
        return client.listing(response, of: result, dialect)
    }

    /// Queries `lpq` when CUPS's `lpr` says that a queue does not exist: it says so also when its server is
    /// unreachable.
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

/// The title of a job in a queue: the delivery's id, by which the job is found, and its name.
enum JobTitle {
    /// The limit in octets. CUPS takes names of 255 (RFC 8011 §5.1.3), and line printer daemons lines of 131 (RFC 1179
    /// §7).
    private static let maximumLength = 127

    static func make(_ delivery: Delivery) -> String {
        "\(delivery.jobID) \(delivery.name.withoutControlCharacters)".prefix(utf8Count: maximumLength)
    }
}

/// The owner of a job in a CUPS queue: the user that the caller named, else the login.
enum LprOwner {
    /// Empty for the login's own name. A name that begins with a hyphen would be read as an option.
    static func make(_ user: String?) -> String {
        guard let user, !user.hasPrefix("-"), !user.hasControlCharacters, (1...127).contains(user.utf8.count) else {
            return ""
        }
        return user
    }
}
