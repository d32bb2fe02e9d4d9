import KioskPrintModel
import KioskQueueListings
import KioskSSH

/// A document that is uploaded into the user's home on the host by SFTP, and printed from there by `lpr`.
struct UploadedFile: Sendable {
    private let job: LprDelivery
    /// The file's name in the user's home, unique for each upload.
    private let name: String

    private var client: QueueClient { job.client }

    init(_ job: LprDelivery) {
        self.job = job
        // BSD's lpq shows names of up to 34 octets.
        let suffix = String(UInt16.random(in: 0...UInt16.max), radix: 16)
        name = "\(QueuedJob.filePrefix)\(job.delivery.jobID)-\(suffix)"
    }

    /// Uploads, converts and prints the document, and removes the file in any case.
    func send(_ conversion: Conversion?, _ options: LprOptions) async throws -> QueueListing {
        for program in conversion?.programs ?? [] where !job.facts.programs.contains(program.name) {
            client.host.invalidateFacts()
            throw client.missing(program.name, package: program.package)
        }
        do {
            try await upload()
            if let conversion { try await convert(conversion) }
            return try await print(options)
        } catch {
            client.trace.tell(.ssh, client.printer, "SFTP: remove what is left of \(name)")
            client.host.remove(["\(name).part", name] + (1...4).map { "\(name).\($0)" })
            throw error
        }
    }

    private func upload() async throws {
        let (length, progress) = (job.length, job.progress)
        progress(.uploading(bytes: 0, of: length))
        try await client.remote.upload(job.source, to: "\(name).part") { step in
            if case .sending(let octets, _) = step { progress(.uploading(bytes: octets, of: length)) }
        }
        try await client.remote.rename("\(name).part", to: name)
    }

    private func convert(_ conversion: Conversion) async throws {
        job.progress(.converting)
        var command = ShellScript.convert.command(conversion.arguments(file: name))
        command.kind = .delivery
        command.stall = client.deadlines.conversion
        command.total = client.deadlines.conversion
        let result = try await client.remote.run(command)
        guard result.exit != .status(0) || result.response == nil else { return }
        if result.exit == .status(RemoteStatus.programMissing) { client.host.invalidateFacts() }
        let isMissing = result.exit == .status(RemoteStatus.programMissing)
        throw TransportError(
            isMissing
                ? .programMissing
                : LprFailure(result) == .failed && result.isDiskFull ? .printerFailed : .jobRefused,
            operation: "convert",
            message:
                "\(client.printer): the host could not convert the document (\(result.message)); look whether it is "
                + "sound, and whether poppler-utils and psutils are there with room on the disk",
            underlying: result.exit.native
        )
    }

    private func print(_ options: LprOptions) async throws -> QueueListing {
        let end = "\(job.delivery.jobID) sent"
        var command = ShellScript.file(to: job.dialect).command(job.arguments([end, name], options))
        command.input = .document(.bytes([]), trailer: Array("\(end)\n".utf8))
        job.progress(.sending(bytes: 0, of: job.length))
        let listing = try await job.run(command)
        job.progress(.sending(bytes: job.length, of: job.length))
        return listing
    }
}

extension RemoteResult {
    /// Whether the message is the system's for a full disk or quota, in the C locale (errno 28 and 122).
    fileprivate var isDiskFull: Bool {
        message.firstRange(ofText: "No space left") != nil || message.firstRange(ofText: "quota exceeded") != nil
    }
}
