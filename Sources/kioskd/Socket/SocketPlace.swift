import CKioskLinux
import Glibc
import KioskAPI
import KioskServiceManager
import Synchronization

/// The path at which clients find the daemon.
///
/// A server listens in a folder that only we can enter; when mode and group are right, the socket is renamed to its
/// path. So it is never reachable with other rights than it should have, and a dead socket is replaced in one step. A
/// socket of the service manager is there already, and stays; if it is lost, ours takes its place.
final class SocketPlace: Sendable {
    let path: String
    private let folder: SocketFolder
    private let rights: Rights
    private let state: Mutex<State>

    private struct State: ~Copyable {
        /// Nil while the socket is the service manager's, which starts one daemon at a time.
        var lock: SocketLock?
        /// The socket that was put at the path; nil until a server has published it.
        var published: Identity?
        /// Whether we put it there.
        var isOurs = false

        var isLockInPlace: Bool {
            switch lock {
            case .some(let lock): lock.isInPlace
            case .none: false
            }
        }
    }

    /// The place where a server listens before it is published.
    struct Stage: Sendable {
        fileprivate let folder: String
        let path: String

        /// Removes what is left of it.
        func remove() {
            unlink(path)
            rmdir(folder)
        }
    }

    struct Rights: Sendable {
        var mode: FileMode
        var group: gid_t?
    }

    /// What a file is, whatever its name: another file at the same path has another identity.
    private struct Identity: Equatable {
        var device: UInt64
        var inode: UInt64
    }

    /// Takes the place; throws when a living daemon has it or when something else than a socket lies there.
    init(_ location: SocketLocation, rights: Rights) throws(StartError) {
        path = location.path
        self.rights = rights
        folder = SocketFolder(ofSocket: path)
        guard !location.isTooLong, Self.stagingName(of: path, in: folder) != nil, !path.utf8.contains(0) else {
            throw StartError(
                .usage,
                "the socket's path \(path) is too long: a Unix socket's path has at most "
                    + "\(SocketLocation.maximumPathLength) bytes; name a shorter one with --socket"
            )
        }
        try folder.prepare(group: rights.group)
        state = Mutex(State(lock: try SocketLock(socket: path)))
        try Self.checkFree(path)
    }

    /// The place of a socket that the service manager made, and removes. Empty where it has no path.
    init(inherited socket: InheritedSocket, rights: Rights) {
        if case .unix(let path) = socket.address { self.path = path } else { path = "" }
        folder = SocketFolder(ofSocket: path)
        var rights = rights
        var published: Identity?
        if !path.isEmpty {
            published = Self.identity(of: path) ?? Self.lost
            // Its path was removed earlier, or an earlier daemon's own socket took it: nobody reaches what was passed.
            if [ECONNREFUSED, ENOENT].contains(Self.connectError(path)) { published = Self.lost }
            // Whoever makes a socket in its place lets the same callers in.
            if let mode = Self.socketFile(path)?.mode { rights.mode = FileMode(rawValue: mode & 0o777) }
        }
        self.rights = rights
        state = Mutex(State(lock: nil, published: published))
    }

    /// Whether the path no longer leads to our socket: somebody removed it, or put something else in its place.
    var isLost: Bool { state.withLock { $0.published != nil && Self.identity(of: path) != $0.published } }

    /// Takes the place once more after it was lost, for a server that publishes it or says `isStillLost`; throws as the
    /// first time.
    func takeAgain() throws(StartError) {
        try folder.prepare(group: rights.group)
        try Self.checkFree(path)
        try state.withLock { (state) throws(StartError) in
            // Whoever removed the socket may have removed the lock with it, and another daemon may have it by now.
            if !state.isLockInPlace { state.lock = try SocketLock(socket: path) }
            state.published = nil
        }
    }

    /// The server that was to publish it has failed.
    func isStillLost() { state.withLock { $0.published = Self.lost } }

    /// No file's identity.
    private static let lost = Identity(device: 0, inode: 0)

    /// A new place to listen at; `publish` or `remove` ends its use.
    func stage() throws(StartError) -> Stage {
        let made = try Self.makeFolder(Self.template(in: folder))
        return Stage(folder: made, path: made + (Self.stagingName(of: path, in: folder) ?? "/s"))
    }

    /// mkdtemp's six letters, so that the name is known to be free.
    private static func template(in folder: SocketFolder) -> String { "\(folder.path)/.XXXXXX" }

    /// Connections show the name that the server was bound with: the socket's own, where there is room for it. Nil:
    /// there is no room at all.
    private static func stagingName(of path: String, in folder: SocketFolder) -> String? {
        let available = SocketLocation.maximumPathLength - template(in: folder).utf8.count
        let name = "/" + path.split(separator: "/").suffix(1).joined()
        return [name, "/s"].first { $0.utf8.count <= available }
    }

    private static func makeFolder(_ template: String) throws(StartError) -> String {
        var name = Array(template.utf8CString)
        guard mkdtemp(&name) != nil else {
            throw .system("cannot make a folder beside", template, errno, next: "check who may write there")
        }
        return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Gives the listening socket its rights and its path.
    func publish(_ stage: Stage) throws(StartError) {
        let next = "check who may write there"
        guard chmod(stage.path, rights.mode.rawValue) == 0 else {
            throw .system("cannot set the mode of", path, errno, next: next)
        }
        if let group = rights.group, chown(stage.path, uid_t.max, group) != 0 {
            throw .system(
                "cannot give to group \(group)", path, errno,
                next:
                    "run the daemon as root or as a member of that group, in the shipped unit with SystemCallFilter=@chown in a drop-in, or leave --socket-group out"
            )
        }
        let identity = Self.identity(of: stage.path)
        guard rename(stage.path, path) == 0 else { throw .system("cannot put the socket at", path, errno, next: next) }
        state.withLock { state in
            state.published = identity
            state.isOurs = true
        }
        stage.remove()
    }

    /// Takes the socket away, unless someone has put one of theirs there meanwhile.
    func withdraw() {
        let ours = state.withLock { $0.isOurs ? $0.published : nil }
        if let ours, Self.identity(of: path) == ours { unlink(path) }
    }

    private static func identity(of path: String) -> Identity? {
        socketFile(path).map { Identity(device: $0.device, inode: $0.inode) }
    }

    private static func socketFile(_ path: String) -> clinux_file? {
        var file = clinux_file()
        return clinux_stat(path, 0, &file) == 0 && file.mode & S_IFMT == S_IFSOCK ? file : nil
    }
}

extension SocketPlace: CustomStringConvertible {
    /// The path, for messages.
    var description: String { path.isEmpty ? "the service manager's socket" : path }
}

extension SocketPlace {
    /// Passes where nothing lies, or a socket that nobody listens at.
    private static func checkFree(_ path: String) throws(StartError) {
        var file = clinux_file()
        switch clinux_stat(path, 0, &file) {
        case 0: break
        case ENOENT: return
        case let number: throw .system("cannot look at", path, number, next: "name another socket with --socket")
        }
        guard file.mode & S_IFMT == S_IFSOCK else {
            throw StartError(
                .cannotCreate, "\(path) is not a socket; move it away, or name another socket with --socket")
        }
        switch connectError(path) {
        case ECONNREFUSED, ENOENT: return
        case 0, EAGAIN:
            throw StartError(
                .inUse, "another program listens at \(path); stop it, or name another socket with --socket")
        case let number:
            throw .system("cannot tell whether anyone listens at", path, number, next: "remove it if no daemon runs")
        }
    }

    /// The `errno` of connecting to a Unix socket; 0 when someone accepted.
    private static func connectError(_ path: String) -> CInt {
        let descriptor = socket(
            AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return clinux_connect(descriptor, path)
    }
}
