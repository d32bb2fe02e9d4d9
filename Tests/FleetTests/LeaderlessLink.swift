import Synchronization

@testable import KioskFleet

/// A way to the hub on which some of the first requests find nobody, as while the stream that they ask has no leader;
/// or get no response, as of a busy hub that does late what was asked.
final class LeaderlessLink: ForwardingLink {
    let link: any FleetLink
    private let isConcerned: @Sendable (HubMessage) -> Bool
    private let isBusy: Bool
    private let left: Mutex<Int>

    /// `count`: how many of the requests for which `isConcerned` holds find nobody, or a busy hub.
    init(
        _ link: any FleetLink, first count: Int, isBusy: Bool = false,
        where isConcerned: @escaping @Sendable (HubMessage) -> Bool
    ) {
        (self.link, self.isConcerned, self.isBusy) = (link, isConcerned, isBusy)
        left = Mutex(count)
    }

    func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        if isConcerned(message) {
            let fails = left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            if fails, isBusy {
                _ = try await link.request(message, timeout: timeout)
                throw FleetError(.noResponse, "the hub has not responded to \(message.subject)")
            }
            if fails { throw FleetError(.noResponders, "nobody at the hub serves \(message.subject)") }
        }
        return try await link.request(message, timeout: timeout)
    }
}
