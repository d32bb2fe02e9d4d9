import FoundationEssentials
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskBackup
import KioskDigests
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry

/// Imports an export: first all is checked, then written, the registry last. A printer comes into force when its login
/// and what its trust names are on disk.
///
/// Each file is replaced as a whole and durably, so that a power cut leaves the old or the new one. Files with keys are
/// named by their content: nothing that stands names them before `secrets.yaml` is replaced. The same import again does
/// what is left to do.
struct Importer: Sendable {
    let editor: RegistryEditor
    let network: NetworkAccess
    let places: BackupPlaces
    let replaces: Bool
    let caller: Caller

    /// An import that ended half-way.
    struct Interruption: Error {
        /// What was written before.
        var written: [ImportReport.Change]
        var cause: any Error
    }

    /// Throws `Interruption` where something may have been written.
    func run(_ source: ImportSource, isDryRun: Bool) async throws -> ImportReport {
        let plan = try await plan(source)
        if !isDryRun {
            var written: [ImportReport.Change] = []
            do {
                try await write(plan, noting: &written)
                try await editor.edit(by: caller) { registry in
                    try self.merged(plan.printers, source.roles, into: registry).registry
                }
            } catch {
                throw Interruption(written: written, cause: error)
            }
        }
        return ImportReport(
            isDryRun: isDryRun, changes: plan.changes,
            missing: await missing(in: source, plan, isDryRun: isDryRun))
    }

    // MARK: The plan

    /// What is to be written, and what the report says of it.
    private struct Plan: Sendable {
        var changes: [ImportReport.Change] = []
        /// The printers, with trust that names files of this machine.
        var printers: [SavedPrinter] = []
        var trustFiles: [NewFile] = []
        var keyFiles: [NewFile] = []
        var logins: [String: Credentials] = [:]
        var tokens: [StoredToken] = []
        var certificate: ExportedCertificate?
    }

    private struct NewFile: Sendable {
        var path: String
        var bytes: [UInt8]
    }

    private func plan(_ source: ImportSource) async throws -> Plan {
        var plan = Plan()
        let places = try await trustPlaces(source)
        plan.printers = source.printers.map { printer in
            var printer = printer
            if let path = printer.trust?.file, let here = places[path] {
                printer.trust = printer.trust?.moved(to: here.path)
            }
            return printer
        }
        let registry = try await merged(plan.printers, source.roles, into: editor.registry)
        planTrustFiles(source, places, for: registry.used, &plan)
        if let secrets = source.secrets {
            try await planLogins(secrets.logins, &plan)
            plan.tokens = secrets.tokens.map { stored in
                var stored = stored
                stored.token.createdBy = "\(caller.actor) (import)"
                return stored
            }
            let restored = try await network.tokens.restore(
                plan.tokens, replacing: replaces, isDryRun: true, at: .now)
            plan.changes += restored.map { ImportReport.Change(.token, $0.name, .init($0.outcome)) }
            try await planCertificate(secrets.certificate, &plan)
        }
        plan.changes += registry.changes
        return plan
    }

    /// Where a CA or known_hosts file of an export is on this machine.
    private struct TrustPlace: Sendable {
        var path: String
        /// Whether it is there already, with the same content; else it is to be written.
        var stands: Bool
    }

    /// The place for each CA and known_hosts file: the same path where that has the same certificates or host keys, else
    /// one in our own folder that follows from the content. No export has a path written that it chose, and none tells
    /// what a file holds but one that a printer here trusts already.
    private func trustPlaces(_ source: ImportSource) async throws -> [String: TrustPlace] {
        let folder = places.trustFolder
        let trusted = Set(await editor.registry.printers.compactMap(\.trust))
        let named = Dictionary(grouping: Set(source.printers.compactMap(\.trust))) { $0.file ?? "" }
        return try await BackgroundWork.run {
            var places: [String: TrustPlace] = [:]
            for (path, text) in source.document.trustFiles {
                let trusts = named[path] ?? []
                if !trusts.isEmpty, trusted.isSuperset(of: trusts),
                    let present = try? TrustFileContent.read(path, for: trusts), present == text
                {
                    places[path] = TrustPlace(path: path, stands: true)
                    continue
                }
                let bytes = Array(text.utf8)
                let here = "\(folder)/\(try Self.digest(bytes)).\(Self.suffix(of: bytes))"
                places[path] = TrustPlace(path: here, stands: Self.content(of: here) == bytes)
            }
            return places
        }
    }

    private static func suffix(of trustFile: [UInt8]) -> String {
        String(decoding: trustFile, as: UTF8.self).firstRange(ofText: "-----BEGIN ") == nil ? "known_hosts" : "pem"
    }

    /// `used`: the printers that are added or replaced.
    private func planTrustFiles(
        _ source: ImportSource, _ places: [String: TrustPlace], for used: [SavedPrinter], _ plan: inout Plan
    ) {
        let wanted = Set(used.compactMap { $0.trust?.file })
        for (path, text) in source.document.trustFiles.sorted(by: { $0.key < $1.key }) {
            guard let here = places[path], wanted.contains(here.path) else { continue }
            if !here.stands { plan.trustFiles.append(NewFile(path: here.path, bytes: Array(text.utf8))) }
            plan.changes.append(
                .init(
                    .trustFile, here.path, here.stands ? .same : .add, here.path == path ? nil : "was \(path)"))
        }
    }

    private func planLogins(_ logins: [String: ExportedLogin], _ plan: inout Plan) async throws {
        for (name, login) in logins.sorted(by: { $0.key < $1.key }) {
            guard login.agent == nil || caller.isNamedByKernel else {
                plan.changes.append(
                    .init(.login, name, .skip, "a login by an SSH agent is imported on the kiosk itself only"))
                continue
            }
            // One that cannot be used is none.
            let present = try? await ExportMaker.login(named: name, places.secrets)
            guard present == nil || present != login && replaces else {
                plan.changes.append(.init(.login, name, present == login ? .same : .keep))
                continue
            }
            plan.changes.append(.init(.login, name, present == nil ? .add : .replace))
            func file(_ content: Data?, _ kind: String) throws -> String? {
                guard let content else { return nil }
                // No login's name has a plus sign.
                let path = "\(places.keyFolder)/\(name)+\(kind)-\(try Self.digest(Array(content)))"
                plan.keyFiles.append(NewFile(path: path, bytes: Array(content)))
                return path
            }
            let passphrase = login.passphrase.map { Secret($0) }
            let certificate = try file(login.clientCertificate, "client-certificate")
            let key = try file(login.clientKey, "client-key")
            let privateKey = try file(login.privateKey, "private-key")
            plan.logins[name] = Credentials(
                user: login.user, password: login.password.map { Secret($0) },
                clientCertificate: certificate.map { .init(path: $0, keyPath: key, passphrase: passphrase) },
                privateKey: privateKey.map { .init(path: $0, passphrase: passphrase) },
                agent: login.agent.map { $0 == "true" ? .environment : .socket(path: $0) },
                token: login.token.map { Secret($0) })
        }
        try await places.secrets.save(plan.logins, isDryRun: true)
    }

    private func planCertificate(_ new: ExportedCertificate?, _ plan: inout Plan) async throws {
        guard let new else { return }
        guard caller.isNamedByKernel else {
            plan.changes.append(
                .init(.certificate, "server", .skip, "the certificate is imported on the kiosk itself only"))
            return
        }
        guard let path = places.certificateFile, let keyPath = places.certificateKeyFile else {
            plan.changes.append(.init(.certificate, "server", .skip, "this daemon has one by --tls-certificate"))
            return
        }
        let (certificate, key) = try await BackgroundWork.run {
            (Self.content(of: path), Self.content(of: keyPath))
        }
        if certificate == Array(new.certificate.utf8), key == Array(new.key.utf8) {
            plan.changes.append(.init(.certificate, path, .same))
        } else if key == nil || replaces {
            plan.certificate = new
            plan.changes.append(.init(.certificate, path, key == nil ? .add : .replace))
        } else {
            plan.changes.append(.init(.certificate, path, .keep, "clients that trust the old one need --replace"))
        }
    }

    // MARK: The registry

    private struct Merged {
        var registry: Registry
        var changes: [ImportReport.Change] = []
        /// The printers that are added or replaced.
        var used: [SavedPrinter] = []
    }

    private func merged(_ printers: [SavedPrinter], _ roles: [Role], into registry: Registry) throws -> Merged {
        func choose<Value: Equatable>(
            _ kind: ImportReport.Kind, _ name: String, _ new: Value, over old: Value?
        ) -> (change: ImportReport.Change, isUsed: Bool) {
            guard let old else { return (.init(kind, name, .add), true) }
            guard old != new else { return (.init(kind, name, .same), false) }
            return (.init(kind, name, replaces ? .replace : .keep), replaces)
        }
        var merged = Merged(registry: registry)
        var usedRoles: [Role] = []
        for printer in printers {
            let (change, isUsed) = choose(.printer, printer.id.rawValue, printer, over: registry.printer(printer.id))
            merged.changes.append(change)
            if isUsed { merged.used.append(printer) }
        }
        for role in roles {
            let (change, isUsed) = choose(.role, role.name.rawValue, role, over: registry.role(role.name))
            merged.changes.append(change)
            if isUsed { usedRoles.append(role) }
        }
        merged.registry = try registry.merging(printers: merged.used, roles: usedRoles)
        return merged
    }

    // MARK: Writing

    /// Writes all but the registry. `written`: what was written so far.
    private func write(_ plan: Plan, noting written: inout [ImportReport.Change]) async throws {
        func changes(_ kind: ImportReport.Kind) -> [ImportReport.Change] {
            plan.changes.filter { $0.kind == kind && $0.isMade }
        }
        let (trustFolder, keyFolder) = (places.trustFolder, places.keyFolder)
        try await Self.writing {
            if !plan.trustFiles.isEmpty { try Folder.create(trustFolder) }
            for file in plan.trustFiles { try AtomicFile.replace(file.path, with: file.bytes, permissions: 0o644) }
            if !plan.keyFiles.isEmpty { try Folder.create(keyFolder, permissions: 0o700) }
            for file in plan.keyFiles { try AtomicFile.replace(file.path, with: file.bytes, permissions: 0o600) }
        }
        written += changes(.trustFile)
        try await places.secrets.save(plan.logins)
        written += changes(.login)
        if let used = await places.secrets.namedFiles() {
            try await Self.writing { try Self.removeOldKeys(of: plan.logins.keys.sorted(), in: keyFolder, but: used) }
        }
        try await network.restoreTokens(plan.tokens, replacing: replaces, by: caller)
        written += changes(.token)
        if let new = plan.certificate, let folder = places.certificateFolder, let path = places.certificateFile,
            let keyPath = places.certificateKeyFile
        {
            let refresh = places.refreshCertificate
            try await Self.writing {
                try Folder.create(folder)
                // The key first: after a crash between the two, the next start makes a certificate for it.
                try AtomicFile.replace(keyPath, with: Array(new.key.utf8), permissions: 0o600)
                try AtomicFile.replace(path, with: Array(new.certificate.utf8), permissions: 0o600)
                refresh()
            }
            written += changes(.certificate)
        }
    }

    private static func writing(_ work: @escaping @Sendable () throws -> Void) async throws {
        do {
            try await BackgroundWork.run(work)
        } catch let error as FileError {
            throw Problem(.storageFailed, detail: "\(error.message); import again once this is mended")
        }
    }

    /// Removes the files of an earlier import of these logins that the secrets file does not name any more.
    private static func removeOldKeys(of logins: [String], in folder: String, but used: Set<String>) throws {
        guard !logins.isEmpty, let names = try? Folder.names(in: folder) else { return }
        for login in logins {
            for name in names where name.hasPrefix("\(login)+") && !used.contains("\(folder)/\(name)") {
                try Folder.remove(file: "\(folder)/\(name)")
            }
        }
    }

    private static func content(of path: String) -> [UInt8]? {
        try? AtomicFile.read(path, limit: BackupPlaces.maximumTrustFile)
    }

    /// The beginning of a content's digest, for a file's name.
    private static func digest(_ bytes: [UInt8]) throws -> String {
        do throws(DigestError) {
            return String(try MessageDigest.hexadecimal(.sha256, of: bytes).prefix(16))
        } catch {
            throw BackupError(error.message)
        }
    }

    // MARK: What is missing

    private func missing(in source: ImportSource, _ plan: Plan, isDryRun: Bool) async -> [String] {
        var missing = source.document.leftOut.map { "when it was exported: \($0)".withoutControlCharacters }
        if source.hasSecrets, source.secrets == nil {
            missing.append("the export's logins, tokens and certificate: they need its passphrase")
        }
        let users = Dictionary(grouping: plan.printers.filter { $0.credentials != nil }) { $0.credentials ?? "" }
        for (name, printers) in users.sorted(by: { $0.key < $1.key }) where !(isDryRun && plan.logins[name] != nil) {
            let ids = printers.map(\.id.rawValue).joined(separator: ", ")
            do {
                _ = try await places.secrets.credentials(named: name)
            } catch {
                missing.append("the login \"\(name)\" of \(ids): \(error)".withoutControlCharacters)
            }
        }
        let files = Dictionary(grouping: plan.printers.filter { $0.trust?.file != nil }) { $0.trust?.file ?? "" }
        let planned = Set(plan.trustFiles.map(\.path))
        for (path, printers) in files.sorted(by: { $0.key < $1.key }) where !planned.contains(path) {
            guard (try? await BackgroundWork.run { Self.content(of: path) == nil }) == true else { continue }
            let ids = printers.map(\.id.rawValue).joined(separator: ", ")
            missing.append("the file \(path), by which \(ids) prove who they are: put it there")
        }
        return missing
    }
}

extension ImportReport.Change {
    /// Whether something becomes another one.
    var isMade: Bool { action == .add || action == .replace }
}

extension ImportReport.Action {
    init(_ outcome: RestoredToken.Outcome) {
        self =
            switch outcome {
            case .added: .add
            case .replaced: .replace
            case .kept: .keep
            case .same: .same
            case .expired: .skip
            }
    }
}
