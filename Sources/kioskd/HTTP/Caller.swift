import CLinux
import NIOCore

/// Who connected to the socket, as the kernel tells: what the connecting process was at that moment.
struct Caller: Hashable, Sendable, CustomStringConvertible {
    var user: UInt32
    /// The primary group and the supplementary ones.
    var groups: Set<UInt32>

    /// `uid:1000`
    var description: String { "uid:\(user)" }
}

extension Caller {
    /// The caller at the other end of a channel's connection; called on its event loop.
    init(of channel: any Channel) throws {
        let caller = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try Caller(of: $0)
        }
        guard let caller else { throw Unknown(reason: "it is no socket") }
        self = caller
    }

    /// At the other end of a Unix socket. Throws `errno`'s words where the kernel does not tell.
    init(of descriptor: CInt) throws {
        var (user, group): (UInt32, UInt32) = (0, 0)
        let failure = clinux_peer(descriptor, &user, &group)
        guard failure == 0 else { throw Unknown(reason: errorText(failure)) }
        self.init(user: user, groups: try Self.supplementaryGroups(descriptor).union([group]))
    }

    struct Unknown: Error, CustomStringConvertible {
        var reason: String
        var description: String { "cannot tell who is at the other end of the socket: \(reason)" }
    }

    /// NGROUPS_MAX of the kernel's limits.h.
    private static let mostGroups: UInt32 = 65_536

    private static func supplementaryGroups(_ descriptor: CInt) throws -> Set<UInt32> {
        var room: UInt32 = 64
        while true {
            var groups = [UInt32](repeating: 0, count: Int(room))
            var count = room
            switch clinux_peer_groups(descriptor, &groups, &count) {
            case 0: return Set(groups.prefix(Int(count)))
            case ERANGE where count > room && count <= mostGroups: room = count
            case let failure: throw Unknown(reason: errorText(failure))
            }
        }
    }
}
