import FoundationEssentials
import KioskTestSupport
import Synchronization

@testable import KioskFleet

/// All that was ever written as the lease of the site, from the oldest on.
struct LeaseHistory {
    struct Entry: Hashable, Sendable {
        /// Which kiosk has the lease by it.
        var node: String
        /// In ns since 1970 by the hub's clock.
        var storedAt: Int64
    }
    let entries: [Entry]

    /// How a lease came from one kiosk to another.
    struct Change: Hashable, Sendable {
        var last: Entry
        var next: Entry

        /// For how long nobody had renewed it.
        var silence: Duration { .nanoseconds(next.storedAt - last.storedAt) }
    }

    var changes: [Change] {
        zip(entries, entries.dropFirst()).filter { $0.node != $1.node }.map { Change(last: $0, next: $1) }
    }

    private struct Holder: Decodable {
        var node: String
    }

    /// From now on the hub keeps each entry, and not only the last.
    static func keep(at office: FleetOffice) async throws {
        guard
            var bucket = HubLayout(replicas: office.servers.count).streams.first(where: { $0.name == HubLayout.lease })
        else { throw TestSupportError("a hub has no leases") }
        bucket.maximumMessagesPerSubject = -1
        try await office.repeating("the hub to keep all leases") { try await office.jetStream.update(bucket) }
    }

    /// Reads it at a hub that keeps each entry.
    init(at office: FleetOffice) async throws {
        entries = try await office.repeating("the hub to tell of the leases") {
            let read = Mutex<[Entry]>([])
            let subject = FleetSubject.lease(FleetOffice.site).text
            try await office.jetStream.readAllMessages(of: subject, in: HubLayout.lease) { message, position in
                let holder = try JSONDecoder().decode(Holder.self, from: Data(message.body))
                read.withLock { $0.append(Entry(node: holder.node, storedAt: position.storedAt)) }
            }
            return read.withLock(\.self)
        }
    }
}
