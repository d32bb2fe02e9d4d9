import Glibc
import KioskDurableFiles
import KioskFleet

/// The folder of an office that decides who comes into a fleet: private keys, credentials, and the list of kiosks. Its
/// files are its owner's alone. Every call blocks.
struct AuthorityFolder {
    let path: String

    private enum File {
        static let operatorSeed = "operator.seed"
        static let systemAccountSeed = "system-account.seed"
        static let accountSeed = "account.seed"
        static let kiosksSeed = "kiosks.seed"
        static let record = "authority.json"
    }
    /// In the configuration of each of the hub's servers.
    static let hubConfiguration = "accounts.conf"
    static let adminCredentials = "admin.creds"
    static let officeCredentials = "office.creds"
    static let systemCredentials = "system.creds"

    /// In bytes; a kiosk takes about 250.
    private static let maximumRecordLength = 64 << 20

    private func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The credentials that tell the hub of accounts.
    var systemCredentials: String { file(Self.systemCredentials) }
    /// Those that may do all in the fleet's account.
    var adminCredentials: String { file(Self.adminCredentials) }

    // MARK: Making one

    /// Makes a folder with new keys. `serverFolder` is where the hub's servers keep accounts. Nothing is there that was
    /// not made whole; throws where something is there already.
    static func create(_ path: String, name: String, serverFolder: String, at time: Int64) throws -> AuthorityFolder {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let new = AuthorityFolder(path: "\(path).new-\(UInt64.random(in: .min ... .max))")
        try Folder.create(new.path, permissions: 0o700)
        do {
            let keys = try FleetAuthority.Keys()
            let authority = FleetAuthority(name: name, keys: keys)
            let record = AuthorityRecord(name: name, serverFolder: serverFolder, createdAt: time, accountIssuedAt: time)
            for (name, key) in [
                (File.operatorSeed, keys.operator), (File.systemAccountSeed, keys.systemAccount),
                (File.accountSeed, keys.account), (File.kiosksSeed, keys.kiosks),
            ] { try new.write("\(key.seedText())\n", to: name) }
            try new.write(authority.credentials(of: .admin, at: time), to: adminCredentials)
            try new.write(authority.credentials(of: .office, at: time), to: officeCredentials)
            try new.write(authority.credentials(of: .system, at: time), to: systemCredentials)
            try new.store(record, authority)
            // An empty folder is replaced; any other is not (rename(2)).
            guard rename(new.path, path) == 0 else {
                let isTaken = [ENOTEMPTY, EEXIST, ENOTDIR].contains(errno)
                throw FileError(
                    operation: "create", path: path, errno: errno,
                    message: isTaken ? "cannot create \(path): something is there; name a new folder with --dir" : nil)
            }
            try Folder.sync(Folder.parent(of: path))
        } catch {
            new.remove()
            throw error
        }
        return AuthorityFolder(path: path)
    }

    private func write(_ text: String, to name: String) throws(FileError) {
        try AtomicFile.replace(file(name), with: Array(text.utf8), permissions: 0o600)
    }

    /// Removes what was made in part. What cannot be removed is in nobody's way.
    private func remove() {
        for name in (try? Folder.names(in: path)) ?? [] { try? Folder.remove(file: file(name)) }
        _ = rmdir(path)
    }

    // MARK: Using it

    /// Who was admitted, and who is in no more.
    func kiosks() throws -> [AuthorityRecord.Kiosk] { try record().kiosks }

    /// Signs a kiosk's key for a site. Throws where the key was revoked, or is another site's.
    func admit(
        _ key: NKey, to site: SiteName, node: NodeName?, at time: Int64, until end: Int64
    ) throws -> UserToken {
        try Folder.withLock(on: path) {
            var record = try record()
            let authority = try authority(record)
            try record.admit(key, to: site, node: node, at: time, until: end)
            let token = try authority.admit(key, to: site, at: time, until: end)
            // Before anybody has the token.
            try store(record)
            return token
        }
    }

    /// Signs the tokens of kiosks anew that are due. The caller sends them to the hub, and says so with `noteSent`: those
    /// that were not sent are due again.
    func renew(_ renewal: TokenRenewal) throws -> [TokenRenewal.Kiosk] {
        try Folder.withLock(on: path) {
            var record = try record()
            let authority = try authority(record)
            var kiosks = renewal.look(at: record.kiosks)
            let due = Set(kiosks.filter { $0.state == .due }.map(\.publicKey))
            guard !due.isEmpty else { return kiosks }
            record.renew(due, at: renewal.time, until: renewal.end)
            let ends = Dictionary(record.kiosks.map { ($0.publicKey, $0.expiresAt) }) { first, _ in first }
            for index in kiosks.indices where kiosks[index].state == .due {
                guard let end = ends[kiosks[index].publicKey] ?? nil else { continue }
                let (key, site) = try (NKey(kiosks[index].publicKey, of: .user), SiteName(kiosks[index].site))
                kiosks[index].signed(try authority.admit(key, to: site, at: renewal.time, until: end))
            }
            // Before anybody has the tokens.
            try store(record)
            return kiosks
        }
    }

    /// Notes which tokens the hub has now.
    func noteSent(_ kiosks: [TokenRenewal.Kiosk]) throws {
        let ends = kiosks.compactMap { kiosk in
            kiosk.state == .renewed ? kiosk.expiresAt.map { (kiosk.publicKey, $0) } : nil
        }
        guard !ends.isEmpty else { return }
        try Folder.withLock(on: path) {
            var record = try record()
            record.noteSent(Dictionary(ends) { first, _ in first })
            try store(record)
        }
    }

    /// The key of the fleet's account.
    func accountKey() throws -> NKey { try seed(File.accountSeed, .account).publicKey }

    /// Signs the account anew where the one that the hub has does not give kiosks all of their rights, such as one that
    /// an earlier version has signed. Returns its token, of which the hub has to be told; nil where the hub's will do.
    func signAccount(inPlaceOf known: AccountToken, at time: Int64) throws -> String? {
        try Folder.withLock(on: path) {
            var record = try record()
            let authority = try authority(record)
            guard !authority.givesKiosksTheirRights(known) else { return nil }
            guard authority.hasSigned(known) else {
                throw FleetError(
                    .conflict,
                    "the fleet's account at the hub does not give kiosks all of their rights, and the operator \(known.issuer) has signed it, not the one of \(path); have it signed anew there with the rights of docs/fleet.md"
                )
            }
            // Servers keep the newest, also where the folder is an older copy.
            record.accountIssuedAt = max(time, record.accountIssuedAt + 1, known.issuedAt + 1)
            return try store(record, authority)
        }
    }

    /// Takes a key's right to log in away, here and in the configuration. Returns the account's token, of which the hub
    /// has to be told.
    func revoke(_ key: NKey, at time: Int64) throws -> String {
        try Folder.withLock(on: path) {
            var record = try record()
            let authority = try authority(record)
            record.revoke(key, at: time)
            record.accountIssuedAt = max(time, record.accountIssuedAt + 1)
            return try store(record, authority)
        }
    }

    private func record() throws -> AuthorityRecord {
        try AuthorityRecord(read(File.record, limit: Self.maximumRecordLength), at: file(File.record))
    }

    private func store(_ record: AuthorityRecord) throws {
        try write(String(decoding: FleetJSON.encode(record), as: UTF8.self) + "\n", to: File.record)
    }

    /// Stores the list, and what the hub's servers have to know of it. Returns the account's token.
    @discardableResult
    private func store(_ record: AuthorityRecord, _ authority: FleetAuthority) throws -> String {
        let account = try authority.account(
            at: record.accountIssuedAt, revocations: record.revocations(at: record.accountIssuedAt))
        try store(record)
        try write(
            authority.hubConfiguration(account: account, folder: record.serverFolder, at: record.createdAt),
            to: Self.hubConfiguration)
        return account
    }

    private func authority(_ record: AuthorityRecord) throws -> FleetAuthority {
        FleetAuthority(
            name: record.name,
            keys: FleetAuthority.Keys(
                operator: try seed(File.operatorSeed, .operator),
                systemAccount: try seed(File.systemAccountSeed, .account),
                account: try seed(File.accountSeed, .account), kiosks: try seed(File.kiosksSeed, .account)))
    }

    private func seed(_ name: String, _ role: NKeyRole) throws -> NKeyPair { try SeedFile.read(file(name), role) }

    private func read(_ name: String, limit: Int) throws(FileError) -> [UInt8] {
        try AtomicFile.read(file(name), limit: limit) { status throws(FileError) in
            try SeedFile.checkPrivate(status, at: file(name))
        }
    }
}
