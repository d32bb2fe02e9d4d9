import Glibc

extension SocketLocation {
    /// The location for a client, with this process's environment and file system.
    public static func forClient(socket: String? = nil, stateDirectory: String? = nil) -> SocketLocation {
        forClient(
            socket: socket, stateDirectory: stateDirectory,
            environment: { name in getenv(name).map { String(cString: $0) } },
            exists: { access($0, F_OK) == 0 }
        )
    }

    /// The location for the daemon to listen at, with this process's environment and user.
    public static func forDaemon(socket: String? = nil, stateDirectory: String? = nil) -> SocketLocation {
        forDaemon(
            socket: socket, stateDirectory: stateDirectory,
            environment: { name in getenv(name).map { String(cString: $0) } },
            isRoot: geteuid() == 0
        )
    }
}
