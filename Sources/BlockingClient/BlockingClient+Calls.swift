package import KioskPrintModel

/// The calls that take several requests or a part of their response. All others are `perform` and the call.
extension BlockingClient {
    /// Submits a document. Returns once the daemon has it on disk, or, with `parameters.wait`, once the job is settled
    /// or that time is over. `progress` is called with the number of bytes sent so far. What comes after the first
    /// request throws only `CancellationError`: the job is returned as it was last known, so that nobody sends it
    /// again.
    package func submit(
        _ document: DocumentSource, _ parameters: SubmissionParameters, progress: (Int64) -> Void = { _ in }
    ) throws -> Job {
        let call = try APICall.submit(document, parameters)
        let job = try perform(call, progress: progress)
        if case .bytes(let bytes) = call.body { progress(Int64(bytes.count)) }
        return try settled(job, within: (parameters.wait ?? 0) - call.wait)
    }

    /// Prints a final job's document again. Returns the new job; waits as `submit` does.
    package func reprint(_ id: Job.ID, _ parameters: ReprintParameters) throws -> Job {
        let call = APICall.reprint(id, parameters)
        return try settled(perform(call), within: (parameters.wait ?? 0) - call.wait)
    }

    /// Returns a job; with `wait`, once it is settled or that time is over.
    package func job(_ id: Job.ID, wait: Duration = .zero) throws -> Job {
        var remaining = wait.wholeSeconds
        while true {
            let call = APICall.job(id, wait: remaining)
            let job = try perform(call)
            remaining -= call.wait
            if job.isSettled || remaining <= 0 { return job }
        }
    }

    private func settled(_ job: Job, within seconds: Int) throws -> Job {
        var (job, remaining) = (job, seconds)
        while remaining > 0, !job.isSettled {
            let call = APICall.job(job.id, wait: remaining)
            do {
                job = try perform(call)
            } catch is KioskClientError {
                break
            }
            remaining -= call.wait
        }
        return job
    }

    /// The same document in memory, if it could be read only once. A document longer than any receipt is cut: the piece
    /// that exceeds `maximumPreviewLength` is the last one.
    package func rereadable(_ document: DocumentSource) throws -> DocumentSource {
        guard !document.isRepeatable, case .document(let descriptor) = document.body else { return document }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: DocumentDescriptor.pieceLength)
        while bytes.count <= Self.maximumPreviewLength {
            try Interruption.waitForInput(of: descriptor)
            let read = try piece.withUnsafeMutableBytes {
                try descriptor.read(into: $0, at: Int64(bytes.count), address)
            }
            guard let count = read else { continue }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return .bytes(bytes)
    }

    /// The bytes that the daemon accepts for a preview of a document at most.
    private static let maximumPreviewLength = 256 << 20
}
