internal import Glibc
internal import NIOCore

extension APIContext {
    /// The kernel's `struct ucred` (unix(7)), which Glibc's module does not show.
    private struct PeerCredentials: Sendable {
        var process: pid_t
        var user: uid_t
        var group: gid_t
    }

    /// Who is at the other end of the socket, as the kernel tells: `uid:1000`.
    func caller() async throws -> String {
        guard let options = channel as? any SocketOptionProvider else { return "unknown" }
        let credentials: PeerCredentials = try await options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
        return "uid:\(credentials.user)"
    }
}
