import CKioskLinux
import Glibc

/// The folder that the socket lies in. Whoever may write there may put a socket of their own in its place, so it must
/// be ours or root's, and closed to others (or sticky, as /tmp is).
struct SocketFolder {
    let path: String

    init(ofSocket socket: String) {
        let folder = socket.lastIndex(of: "/").map { String(socket[..<$0]) }
        path = folder.map { $0.isEmpty ? "/" : $0 } ?? "."
    }

    /// Makes the folder (mode 0750) when it is absent, and checks it. Only one that is made here is given to the group.
    func prepare(group: gid_t?) throws(StartError) {
        if try make(), let group { try give(to: group) }
        var folder = clinux_file()
        let failure = clinux_stat(path, 1, &folder)
        guard failure == 0 else {
            throw .system("cannot look at", path, failure, next: "name another socket with --socket")
        }
        guard folder.mode & S_IFMT == S_IFDIR else {
            throw StartError(.cannotCreate, "\(path) is not a folder; name another socket with --socket")
        }
        guard folder.user == geteuid() || folder.user == 0 else {
            throw StartError(
                .noPermission,
                "\(path) belongs to another user (\(folder.user)); name a socket in a folder of your own with --socket"
            )
        }
        guard folder.mode & S_IWOTH == 0 || folder.mode & S_ISVTX != 0 else {
            throw StartError(
                .noPermission,
                "anyone may write in \(path); run chmod o-w \(path), or name another socket with --socket")
        }
        // The group must reach the socket that is given to it, but a folder that was there is not ours to give away.
        let entry = folder.group == group ? S_IXGRP : S_IXOTH
        if let group, folder.mode & entry == 0 {
            throw StartError(
                .noPermission,
                "the group \(group) of --socket-group cannot enter \(path); run chgrp \(group) \(path) and "
                    + "chmod g+x \(path), or name a socket in a folder of its own with --socket"
            )
        }
    }

    /// Lets the members of a group enter.
    func give(to group: gid_t) throws(StartError) {
        guard chown(path, uid_t.max, group) == 0 else {
            throw .system(
                "cannot give", path, errno,
                next:
                    "run the daemon as a member of the group, in the shipped unit with SystemCallFilter=@chown in a drop-in, or leave --socket-group out"
            )
        }
    }

    /// Whether it was absent.
    private func make() throws(StartError) -> Bool {
        if mkdir(path, 0o750) == 0 {
            // The umask is the files' in the state directory.
            chmod(path, 0o750)
            return true
        }
        guard errno != EEXIST else { return false }
        throw .system(
            "cannot make the socket's folder", path, errno,
            next: "make it for this user, or name another place with --socket or --state-dir"
        )
    }
}

/// The lock beside the socket, held for as long as the daemon lives: of two daemons that start, one gets it, and only
/// its holder puts a socket in place or takes it away. The kernel gives it back when the process ends, however it ends.
struct SocketLock: ~Copyable {
    private let path: String
    private let descriptor: CInt

    init(socket: String) throws(StartError) {
        path = "\(socket).lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .system("cannot open", path, errno, next: "name a socket in a folder of your own with --socket")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let holder = Self.readHolder(descriptor)
            close(descriptor)
            guard number == EWOULDBLOCK else { throw .system("cannot lock", path, number, next: "try again") }
            throw StartError(
                .inUse,
                "the socket \(socket) is in use by \(holder); stop that daemon, or name another socket with --socket"
            )
        }
        writeHolder()
    }

    deinit { close(descriptor) }

    /// Whether its file is still there; if somebody removed it, others can lock another in its place.
    var isInPlace: Bool {
        var (ours, there) = (clinux_file(), clinux_file())
        return clinux_fstat(descriptor, &ours) == 0 && clinux_stat(path, 0, &there) == 0
            && ours.device == there.device && ours.inode == there.inode
    }

    /// The holder's number is for messages only: the lock itself decides.
    private func writeHolder() {
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    private static func readHolder(_ descriptor: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0, let text = String(validating: buffer.prefix(count), as: UTF8.self),
            let process = Int32(text.prefix { $0.isNumber })
        else { return "another process" }
        return "process \(process)"
    }
}
