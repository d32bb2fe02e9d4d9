internal import CLinux
internal import Glibc

/// The folder that the socket lies in. Whoever may write there may put a socket of their own in its place, so it must
/// be ours or root's, and closed to others (or sticky, as /tmp is).
struct SocketFolder {
    let path: String

    init(ofSocket socket: String) {
        let folder = socket.lastIndex(of: "/").map { String(socket[..<$0]) }
        path = folder.map { $0.isEmpty ? "/" : $0 } ?? "."
    }

    /// Makes the folder (mode 0750) when it is absent, and checks it.
    func prepare(group: gid_t?) throws(StartError) {
        try make()
        var folder = clinux_file()
        let failure = clinux_stat(path, 1, &folder)
        guard failure == 0 else {
            throw .system("cannot look at", path, failure, next: "name another socket with --socket")
        }
        guard folder.mode & S_IFMT == S_IFDIR else {
            throw StartError(.cannotCreate, "\(path) is no folder; name another socket with --socket")
        }
        guard folder.user == geteuid() || folder.user == 0 else {
            throw StartError(
                .noPermission, "\(path) belongs to another user (\(folder.user)); name a socket in a folder of your own with --socket"
            )
        }
        guard folder.mode & S_IWOTH == 0 || folder.mode & S_ISVTX != 0 else {
            throw StartError(.noPermission, "anyone may write in \(path); run chmod o-w \(path), or name another socket with --socket")
        }
        // The group must reach the socket that is given to it.
        if let group, folder.user == geteuid(), folder.group != group, folder.mode & S_IXOTH == 0,
            chown(path, uid_t.max, group) != 0
        {
            throw .system("cannot give", path, errno, next: "run the daemon as a member of the group, or leave --socket-group out")
        }
    }

    private func make() throws(StartError) {
        if mkdir(path, 0o750) == 0 {
            // The umask is the files' in the state folder.
            chmod(path, 0o750)
            return
        }
        guard errno != EEXIST else { return }
        throw .system(
            "cannot make the socket's folder", path, errno,
            next: "make it for this user, or name another place with --socket or --state-dir"
        )
    }
}
