import Synchronization

@testable import KioskFleet

/// A link to a hub of which each second read of a subject is answered by a server that lags behind.
final class LaggingLink: ForwardingLink {
    let link: any FleetLink
    private let subject: String
    private let older: HubMessage
    private let reads = Mutex(0)

    /// `older`: what that server gives.
    init(_ link: any FleetLink, reading subject: String, gives older: HubMessage) {
        (self.link, self.subject, self.older) = (link, subject, older)
    }

    func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        let response = try await link.request(message, timeout: timeout)
        guard message.subject == subject else { return response }
        return reads.withLock { reads in
            reads += 1
            return reads.isMultiple(of: 2) ? older : response
        }
    }
}
