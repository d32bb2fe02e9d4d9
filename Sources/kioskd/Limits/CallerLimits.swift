import Glibc
import NIOCore

/// The limits on what callers may take up of the daemon, each user and all together. docs/limits.md lists them.
struct CallerLimits: Sendable {
    /// Connections that are served.
    let connections: SharedQuota
    /// Connections over the limit that are kept until their first request is answered; `DescriptorLimit` counts with
    /// them. Others are closed at once.
    let refusals: SharedQuota
    let eventStreams: SharedQuota
    /// Requests that wait for a job's end.
    let waits: SharedQuota
    /// Previews that are made.
    let previews: SharedQuota
    /// Bytes of JSON bodies that are held in memory.
    let bodies: SharedQuota
    /// Bytes of receipts for previews, counted apart so that they take nothing from printing.
    let previewBodies: SharedQuota
    /// The time for a body that is held in memory, from the moment when it is asked for to its end.
    let bodyTime: TimeAmount
    private let privilegedUsers: Set<UInt32>

    /// `descriptors` is how many the process may have open, `ownUser` whom it runs as.
    init(idleTimeout: TimeAmount = .seconds(60), descriptors: Int = 4096, ownUser: UInt32 = geteuid()) {
        let privilegedUsers: Set<UInt32> = [0, ownUser]
        func quota(_ subject: String, _ bounds: SharedQuota.Bounds, advice: String) -> SharedQuota {
            SharedQuota(subject, bounds, advice: advice, privilegedUsers: privilegedUsers)
        }
        self.privilegedUsers = privilegedUsers
        connections = quota(
            "connections", Self.connections(descriptors), advice: "keep one for many requests, or close some")
        refusals = quota("refused connections", .init(perUser: 4, users: 8, total: 12), advice: "close them")
        eventStreams = quota("event streams", .init(perUser: 32, users: 96, total: 128), advice: "close some")
        waits = quota("requests that wait for a job", .init(perUser: 64, users: 192, total: 256), advice: "end some")
        previews = quota(
            "previews in progress", .init(perUser: 4, users: 12, total: 16), advice: "ask for one after the other")
        bodies = quota(
            "bytes of JSON in memory", .init(perUser: 16 << 20, users: 40 << 20, total: 48 << 20),
            advice: "send one after the other, and documents as raw bodies, which are streamed")
        previewBodies = quota(
            "bytes of receipts for previews in memory", .init(perUser: 8 << 20, users: 12 << 20, total: 16 << 20),
            advice: "send one after the other")
        // Before the connection is closed as an idle one, without an answer.
        bodyTime = min(.seconds(20), max(.seconds(1), .nanoseconds(idleTimeout.nanoseconds / 2)))
    }

    /// Whether the caller is root or the daemon's own user.
    func isPrivileged(_ caller: Caller) -> Bool { privilegedUsers.contains(caller.user) }

    /// Half of the descriptors are left for printers, documents and the database.
    private static func connections(_ descriptors: Int) -> SharedQuota.Bounds {
        let total = min(512, max(16, descriptors / 2))
        return .init(perUser: total / 4, users: total * 7 / 8, total: total)
    }
}
