public import PrintModel
import SSH

extension SSHLprTransport {
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        try await call(printer) { client in
            let (dialect, _) = try await client.facts()
            let listing = try await client.listing(dialect, owner: "")
            if listing.isMissing { throw client.noSuchQueue(listing) }
            return ContactReport(description: PrinterDescription(jobTypes: [.general, .document]), availability: Availability(listing))
        }
    }
}

extension QueueClient {
    fileprivate func noSuchQueue(_ listing: QueueListing) -> TransportError {
        TransportError(
            .printerNotFound, operation: "lpq", message: "\(printer): the host has no queue \(queue)\(listing.saying); correct the printer's URL, or set up the queue there"
        )
    }
}
