import KioskDigests

/// Documents as a job names them: in its own message, in numbered chunks at the hub, or at an address.
package enum FleetDocument {
    /// In bytes: what one message holds.
    package static let chunkLength = 256 * 1024
    /// In bytes.
    package static let maximumLength = 1 << 30

    /// SHA-256 in hexadecimal.
    static func digest(of bytes: [UInt8]) throws(FleetError) -> String {
        let digest = try begin()
        digest.update(bytes)
        return digest.hexadecimal()
    }

    /// Whether a text is a SHA-256 as `digest` writes it.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func begin() throws(FleetError) -> MessageDigest {
        do {
            return try MessageDigest(.sha256)
        } catch {
            throw FleetError(.libraryFailed, error.message)
        }
    }

    /// Hands over the document of a job in pieces, in order. Returns once all of it was handed over and its digest is
    /// the one that the job names. Throws `missing` where the hub has a chunk no more, what `fetcher` throws for one that
    /// lies at an address, and `malformed` where length or digest are not the job's: then nothing that was handed over
    /// may be printed.
    package static func read(
        _ job: FleetJob, _ message: HubMessage, at jetStream: JetStream, and fetcher: (any DocumentFetcher)? = nil,
        into append: ([UInt8]) async throws -> Void
    ) async throws {
        let digest = try begin()
        var length = 0
        func take(_ bytes: [UInt8], of expected: Int? = nil) async throws {
            guard bytes.count == expected ?? bytes.count, bytes.count <= job.length - length else {
                throw mismatch(job)
            }
            length += bytes.count
            digest.update(bytes)
            try await append(bytes)
        }
        switch job.place {
        case .inline: try await take(message.body, of: job.length)
        case .chunks:
            let key = try job.key()
            while length < job.length {
                let number = length / chunkLength
                let subject = FleetSubject.documentChunk(job.site, key, number: number)
                guard let chunk = try await jetStream.lastMessage(of: subject, in: HubLayout.documents) else {
                    throw FleetError(.missing, "the hub has chunk \(number) of the job \(key) no more; send it anew")
                }
                try await take(chunk.body, of: min(chunkLength, job.length - length))
            }
        case .url(let address):
            guard let fetcher else {
                throw FleetError(
                    .storeRefused, "this kiosk fetches no documents by their address; send it through the hub")
            }
            try await fetcher.fetch(address, length: job.length) { try await take($0) }
        }
        guard length == job.length, digest.hexadecimal() == job.digest else { throw mismatch(job) }
    }

    private static func mismatch(_ job: FleetJob) -> FleetError {
        FleetError(
            .malformed, "the document of the job \(job.idempotencyKey) is not the one that its sender has described")
    }
}
