import Glibc

/// The place of the daemon's Unix socket. Daemon and clients find it in the same way; the first that is given wins:
///
/// 1. `--socket PATH`
/// 2. `--state-dir DIR`: `DIR/kioskd.sock`
/// 3. `$KIOSKD_SOCKET`
/// 4. `$XDG_RUNTIME_DIR/kioskd/kioskd.sock`: for a client where it exists, for the daemon where it does not run as
///    root
/// 5. `/run/kioskd/kioskd.sock`, the socket of the installed service
public struct SocketLocation: Hashable, Sendable, CustomStringConvertible {
    /// The socket's path.
    public let path: String
    /// The rule that gave it.
    public let origin: Origin

    /// The rule that gave the path.
    public enum Origin: Hashable, Sendable {
        /// The rules, in the order of the list above.
        case option, environment, stateDirectory, runtimeDirectory, system
    }

    public init(path: String, origin: Origin = .option) {
        self.path = path
        self.origin = origin
    }

    /// The environment variable that names a socket.
    public static let environmentKey = "KIOSKD_SOCKET"
    /// The socket's name in a state or runtime directory.
    public static let fileName = "kioskd.sock"
    /// The socket of the installed service.
    public static let system = SocketLocation(path: "/run/kioskd/kioskd.sock", origin: .system)

    /// `sockaddr_un.sun_path` has 108 bytes with its closing zero on Linux (unix(7)).
    public static let maximumPathLength = 107

    /// Whether the path is longer than a socket's may be.
    public var isTooLong: Bool { path.utf8.count > Self.maximumPathLength }

    public var description: String { path }
}

extension SocketLocation {
    /// The location for a client, with this process's environment and file system.
    public static func forClient(socket: String? = nil, stateDirectory: String? = nil) -> SocketLocation {
        forClient(
            socket: socket, stateDirectory: stateDirectory, environment: processEnvironment,
            exists: { access($0, F_OK) == 0 }
        )
    }

    /// The location for the daemon to listen at, with this process's environment and user.
    public static func forDaemon(socket: String? = nil, stateDirectory: String? = nil) -> SocketLocation {
        forDaemon(
            socket: socket, stateDirectory: stateDirectory, environment: processEnvironment, isRoot: geteuid() == 0
        )
    }

    private static func processEnvironment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The location for a client. `socket` and `stateDirectory` are the options' values; `exists` asks the file system.
    public static func forClient(
        socket: String? = nil, stateDirectory: String? = nil, environment: (String) -> String?, exists: (String) -> Bool
    ) -> SocketLocation {
        if let explicit = explicit(socket: socket, stateDirectory: stateDirectory, environment: environment) {
            return explicit
        }
        if let own = inRuntimeDirectory(environment), exists(own.path) { return own }
        return system
    }

    /// The location for the daemon to listen at. `socket` and `stateDirectory` are the options' values.
    public static func forDaemon(
        socket: String? = nil, stateDirectory: String? = nil, environment: (String) -> String?, isRoot: Bool
    ) -> SocketLocation {
        if let explicit = explicit(socket: socket, stateDirectory: stateDirectory, environment: environment) {
            return explicit
        }
        if !isRoot, let own = inRuntimeDirectory(environment) { return own }
        return system
    }

    /// The location that an option or `$KIOSKD_SOCKET` names.
    private static func explicit(
        socket: String?, stateDirectory: String?, environment: (String) -> String?
    ) -> SocketLocation? {
        if let socket, !socket.isEmpty { return SocketLocation(path: socket, origin: .option) }
        if let stateDirectory, !stateDirectory.isEmpty {
            return SocketLocation(path: "\(stateDirectory)/\(fileName)", origin: .stateDirectory)
        }
        guard let path = environment(environmentKey), !path.isEmpty else { return nil }
        return SocketLocation(path: path, origin: .environment)
    }

    private static func inRuntimeDirectory(_ environment: (String) -> String?) -> SocketLocation? {
        guard let directory = environment("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { return nil }
        return SocketLocation(path: "\(directory)/kioskd/\(fileName)", origin: .runtimeDirectory)
    }
}
