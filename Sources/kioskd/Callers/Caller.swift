import CKioskLinux
import Glibc
import KioskAccess
import KioskPrintModel
import NIOCore

/// Who asks, how they are known, and where they ask from.
struct Caller: Hashable, Sendable {
    enum Identity: Hashable, Sendable {
        /// A user of this machine with all groups, as the kernel told at the socket: of the connecting process at that
        /// moment, or of the process that asked for the login code of a session of the admin page.
        case user(UInt32, groups: Set<UInt32>)
        /// Whoever holds this access token.
        case token(AccessToken)
        /// Somebody on the network who has shown nothing.
        case nobody
    }

    var identity: Identity
    /// The address at the other end of a network connection; nil on the Unix socket.
    var address: String?
    /// The session of the admin page by which the user is known; nil for others.
    var session: UInt32?

    init(_ identity: Identity, address: String? = nil, session: UInt32? = nil) {
        self.identity = identity
        self.address = address
        self.session = session
    }

    /// A local user with the primary group and the supplementary ones.
    init(user: UInt32, groups: Set<UInt32>) { self.init(.user(user, groups: groups)) }

    /// The user of this machine; nil for a token's holder and for nobody.
    var user: UInt32? {
        if case .user(let user, _) = identity { user } else { nil }
    }

    var token: AccessToken? {
        if case .token(let token) = identity { token } else { nil }
    }

    func isIn(_ group: UInt32) -> Bool {
        if case .user(_, let groups) = identity { groups.contains(group) } else { false }
    }

    /// Whether the kernel named the caller at the Unix socket: who shows a token, or a session's cookie, is not.
    var isNamedByKernel: Bool {
        if case .user = identity { address == nil && session == nil } else { false }
    }

    /// What quotas count by.
    var account: Account {
        switch identity {
        case .user(let user, _): .user(user)
        case .token(let token): .token(token.id)
        case .nobody: .address(address ?? "?")
        }
    }

    /// Whose the jobs are that they send; nil for nobody.
    var owner: JobOwner? {
        switch identity {
        case .user(let user, _): .user(user)
        case .token(let token): .token(token.id)
        case .nobody: nil
        }
    }
}

extension Caller {
    /// As the audit names them: `uid:1000`, `token:3 (till-1)`, `nobody`.
    var actor: String {
        switch identity {
        case .user(let user, _): "uid:\(user)"
        case .token(let token): "token:\(token.id) (\(token.name))"
        case .nobody: "nobody"
        }
    }
}

extension Caller: CustomStringConvertible {
    /// `uid:1000`, `token:3 from 192.0.2.7`
    var description: String { (owner?.description ?? "nobody") + (address.map { " from \($0)" } ?? "") }
}

/// Whom quotas count for.
enum Account: Hashable, Sendable, CustomStringConvertible {
    case user(UInt32)
    case token(UInt32)
    /// Callers on the network who have shown nothing yet.
    case address(String)

    /// Whether it is one of these users.
    func isPrivileged(among users: Set<UInt32>) -> Bool {
        if case .user(let user) = self { users.contains(user) } else { false }
    }

    /// As messages name it: `user 1000`.
    var description: String {
        switch self {
        case .user(let user): "user \(user)"
        case .token(let token): "token \(token)"
        case .address(let address): "address \(address)"
        }
    }
}

extension Caller {
    /// The caller at the other end of a channel's connection; called on its event loop.
    init(of channel: any Channel) throws {
        let caller = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try Caller(of: $0)
        }
        guard let caller else { throw Unknown(reason: "it is not a socket") }
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
    private static let maximumGroups: UInt32 = 65_536

    private static func supplementaryGroups(_ descriptor: CInt) throws -> Set<UInt32> {
        var capacity: UInt32 = 64
        while true {
            var groups = [UInt32](repeating: 0, count: Int(capacity))
            var count = capacity
            switch clinux_peer_groups(descriptor, &groups, &count) {
            case 0: return Set(groups.prefix(Int(count)))
            case ERANGE where count > capacity && count <= maximumGroups: capacity = count
            case let failure: throw Unknown(reason: errorText(failure))
            }
        }
    }
}
