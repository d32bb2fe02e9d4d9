import PrintModel
import SSH

/// A document that goes to a file in the user's home on the host first, by SFTP, and from there to `lpr`.
struct UploadedFile: Sendable {
    private let job: LprDelivery
    /// In the user's home. No two uploads have the same.
    private let name: String

    private var client: QueueClient { job.client }

    init(_ job: LprDelivery) {
        self.job = job
        // BSD's lpq shows names of up to 34 octets.
        let suffix = String(UInt16.random(in: 0...UInt16.max), radix: 16)
        name = "\(QueuedJob.filePrefix)\(job.delivery.jobID)-\(suffix)"
    }

    /// The file is gone afterwards, whatever happens.
    func send(_ conversion: Conversion?, _ options: LprOptions) async throws -> QueueListing {
        for program in conversion?.programs ?? [] where !job.facts.programs.contains(program.name) {
            client.host.doubtFacts()
            throw client.missing(program.name, package: program.package)
        }
        do {
            try await upload()
            if let conversion { try await convert(conversion) }
            return try await print(options)
        } catch {
            client.host.remove(["\(name).part", name] + (1...4).map { "\(name).\($0)" })
            throw error
        }
    }

    private func upload() async throws {
        let (length, progress) = (job.length, job.progress)
        progress(.uploading(bytes: 0, of: length))
        try await client.host.live.upload(job.source, to: "\(name).part") { step in
            if case .sending(let octets, _) = step { progress(.uploading(bytes: octets, of: length)) }
        }
        try await client.host.live.rename("\(name).part", to: name)
    }

    private func convert(_ conversion: Conversion) async throws {
        job.progress(.converting)
        var command = ShellScript.convert.command(conversion.arguments(file: name))
        command.lane = .delivery
        command.stall = client.deadlines.conversion
        command.total = client.deadlines.conversion
        let result = try await client.host.live.run(command)
        guard result.exit != .status(0) || result.answer == nil else { return }
        if result.exit == .status(RemoteStatus.programMissing) { client.host.doubtFacts() }
        let isMissing = result.exit == .status(RemoteStatus.programMissing)
        throw TransportError(
            isMissing
                ? .programMissing
                : LprFailure(result) == .failed && result.saysDiskIsFull ? .printerFailed : .jobRefused,
            operation: "convert",
            message:
                "\(client.printer): the host could not convert the document (\(result.words)); look whether it is sound, and whether poppler-utils and psutils are there with room on the disk",
            underlying: result.exit.native
        )
    }

    private func print(_ options: LprOptions) async throws -> QueueListing {
        let end = "\(job.delivery.jobID) sent"
        var command = ShellScript.file(to: job.dialect).command(job.arguments([end, name], options))
        command.input = .document(.bytes([]), trailer: Array("\(end)\n".utf8))
        job.progress(.sending(bytes: 0, of: job.length))
        let listing = try await job.take(command)
        job.progress(.sending(bytes: job.length, of: job.length))
        return listing
    }
}

extension RemoteResult {
    /// Words of the system, in the C locale (errno 28 and 122).
    fileprivate var saysDiskIsFull: Bool {
        words.firstRange(ofText: "No space left") != nil || words.firstRange(ofText: "quota exceeded") != nil
    }
}
