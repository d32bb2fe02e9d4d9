/// Fetches documents that jobs name by an address.
package protocol DocumentFetcher: Sendable {
    /// Hands over the document at an address in pieces, in order, and at most `length` bytes. Ends at once where the
    /// task is cancelled. Throws `store-refused`, `store-unavailable`, what `append` throws, and `CancellationError`.
    func fetch(
        _ address: DocumentAddress, length: Int, into append: ([UInt8]) async throws -> Void
    ) async throws
}
