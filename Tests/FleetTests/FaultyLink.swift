import Synchronization

@testable import KioskFleet

/// A link on which the first matching requests fail.
final class FaultyLink: ForwardingLink {
    enum Fault: Sendable {
        /// Nobody serves the subject, as while a stream has no leader.
        case noResponders
        /// The hub does what was asked, and its response comes too late or not at all.
        case lostResponse
        /// The hub gets to the request so much later.
        case late(Duration)
        /// The request is for a server that has died.
        case lostRequest
    }

    let link: any FleetLink
    private let fault: Fault
    private let isAffected: @Sendable (HubMessage) -> Bool
    private let left: Mutex<Int>

    /// `count`: how many of the requests for which `isAffected` holds fail.
    init(
        _ link: any FleetLink, first count: Int, _ fault: Fault,
        where isAffected: @escaping @Sendable (HubMessage) -> Bool
    ) {
        (self.link, self.fault, self.isAffected) = (link, fault, isAffected)
        left = Mutex(count)
    }

    func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        guard isAffected(message), takesOne() else { return try await link.request(message, timeout: timeout) }
        switch fault {
        case .noResponders: throw FleetError(.noResponders, "nobody at the hub serves \(message.subject)")
        case .lostResponse:
            _ = try await link.request(message, timeout: timeout)
            throw FleetError(.noResponse, "the hub has not responded to \(message.subject)")
        case .late(let time):
            try await Task.sleep(for: time)
            return try await link.request(message, timeout: timeout)
        case .lostRequest:
            try await Task.sleep(for: timeout)
            throw FleetError(.noResponse, "the hub has not responded to \(message.subject)")
        }
    }

    private func takesOne() -> Bool {
        left.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
    }
}
