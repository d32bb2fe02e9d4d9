/// Where the daemon's Unix socket is. Daemon and clients find it in the same way; the first that is said wins:
///
/// 1. `--socket PATH`
/// 2. `--state-dir DIR`: `DIR/kioskd.sock`
/// 3. `$KIOSKD_SOCKET`
/// 4. a client: `$XDG_RUNTIME_DIR/kioskd/kioskd.sock` where it exists; the daemon: the same when it does not run as
///    root
/// 5. `/run/kioskd/kioskd.sock`, the installed service's
public struct SocketLocation: Hashable, Sendable, CustomStringConvertible {
    public let path: String
    public let origin: Origin

    /// What decided.
    public enum Origin: Hashable, Sendable {
        case option, environment, stateDirectory, runtimeDirectory, system
    }

    public init(path: String, origin: Origin = .option) {
        self.path = path
        self.origin = origin
    }

    public static let environmentKey = "KIOSKD_SOCKET"
    public static let fileName = "kioskd.sock"
    public static let system = SocketLocation(path: "/run/kioskd/kioskd.sock", origin: .system)

    /// `sockaddr_un.sun_path` is 108 bytes with its closing zero on Linux (unix(7)).
    public static let maximumPathLength = 107

    public var isTooLong: Bool { path.utf8.count > Self.maximumPathLength }

    public var description: String { path }

    /// The location for a client. `exists` asks the file system; nil stands for "was not said".
    public static func forClient(
        socket: String? = nil, stateDirectory: String? = nil, environment: (String) -> String?, exists: (String) -> Bool
    ) -> SocketLocation {
        if let said = said(socket: socket, stateDirectory: stateDirectory, environment: environment) { return said }
        if let own = ofRuntimeDirectory(environment), exists(own.path) { return own }
        return system
    }

    /// The location for the daemon to listen at.
    public static func forDaemon(
        socket: String? = nil, stateDirectory: String? = nil, environment: (String) -> String?, isRoot: Bool
    ) -> SocketLocation {
        if let said = said(socket: socket, stateDirectory: stateDirectory, environment: environment) { return said }
        if !isRoot, let own = ofRuntimeDirectory(environment) { return own }
        return system
    }

    private static func said(
        socket: String?, stateDirectory: String?, environment: (String) -> String?
    ) -> SocketLocation? {
        if let socket, !socket.isEmpty { return SocketLocation(path: socket, origin: .option) }
        if let stateDirectory, !stateDirectory.isEmpty {
            return SocketLocation(path: "\(stateDirectory)/\(fileName)", origin: .stateDirectory)
        }
        guard let path = environment(environmentKey), !path.isEmpty else { return nil }
        return SocketLocation(path: path, origin: .environment)
    }

    private static func ofRuntimeDirectory(_ environment: (String) -> String?) -> SocketLocation? {
        guard let directory = environment("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { return nil }
        return SocketLocation(path: "\(directory)/kioskd/\(fileName)", origin: .runtimeDirectory)
    }
}
