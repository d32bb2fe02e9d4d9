import Glibc

/// The installation that is checked: where its files are, and whose they should be.
struct Installation: Sendable {
    let paths: DaemonPaths
    let socketMode: FileMode
    /// The groups that options name, each with its option.
    let namedGroups: [(option: String, group: String)]
    let socketGroup: String?
    let certificate: ServerCertificate.Source
    let profiles: String?
    /// The user of whom is asked whether they may print.
    let person: String?
    /// Whether everything lies below one directory, rather than where a package puts it.
    let isPrivate: Bool
    /// How the daemon is started.
    let startCommand: String
    /// The user that the daemon runs as.
    let user: uid_t
    let group: gid_t

    init(_ options: DaemonOptions, _ paths: DaemonPaths) {
        self.paths = paths
        socketMode = options.socketMode
        let groups = [
            ("--socket-group", options.socketGroup), ("--admin-group", options.adminGroup),
            ("--drawer-group", options.drawerGroup), ("--command-group", options.commandGroup),
            ("--raw-group", options.rawGroup), ("--operator-group", options.operatorGroup),
            ("--shared-queue-group", options.sharedQueueGroup),
        ]
        namedGroups = groups.compactMap { option, group in group.map { (option: option, group: $0) } }
        let isPrivate = options.stateDir != nil
        self.isPrivate = isPrivate
        socketGroup = options.socketGroup ?? (isPrivate ? nil : Self.serviceName)
        certificate =
            options.network.givenCertificate ?? .own(folder: "\(paths.stateDirectory)/tls", names: [])
        profiles = Profiles.folder(options.profiles)
        person = options.forUser
        startCommand =
            options.stateDir.map { "kioskd --state-dir \(ShellCommand.quoted($0))" } ?? "systemctl start kioskd"
        (user, group) = Self.owner(of: paths.stateDirectory, isPrivate: isPrivate)
    }

    /// The name of the service's user and group.
    static let serviceName = "kioskd"

    /// The service's user where the system has one; of a private installation, whoever owns its directory.
    private static func owner(of stateDirectory: String, isPrivate: Bool) -> (uid_t, gid_t) {
        if !isPrivate, let entry = getpwnam(serviceName) { return (entry.pointee.pw_uid, entry.pointee.pw_gid) }
        if isPrivate, let file = FileFacts(stateDirectory) { return (file.user, file.group) }
        return (geteuid(), getegid())
    }
}

/// What a file's directory entry says of it.
struct FileFacts: Sendable {
    let path: String
    let mode: UInt32
    let user: uid_t
    let group: gid_t

    /// Nil where there is no such file, or where it cannot be seen.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.path = path
        mode = UInt32(status.st_mode)
        user = status.st_uid
        group = status.st_gid
    }

    var permissions: UInt32 { mode & 0o7777 }
    var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    var isSocket: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFSOCK) }
    var octal: String { FileMode(rawValue: permissions).description }
}
