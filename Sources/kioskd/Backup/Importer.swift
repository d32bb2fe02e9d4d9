import FoundationEssentials
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskBackup
import KioskDigests
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry

/// Takes an export in: first all is checked, then written, the registry last. A printer comes into force when its login
/// and what its trust names are on disk.
///
/// Each file is replaced as a whole and durably, so that a power cut leaves the old or the new one. Files with keys are
/// named by their content: nothing that stands names them before `secrets.yaml` is replaced. The same import again does
/// what is left to do.
struct Importer: Sendable {
    let editor: RegistryEditor
    let tokens: TokenStore
    let places: BackupPlaces
    let replaces: Bool

    func run(_ source: ImportSource, isDryRun: Bool, by caller: Caller) async throws -> ImportReport {
        let plan = try await plan(source)
        if !isDryRun {
            try await write(plan)
            try await editor.edit(by: caller) { registry in
                try self.merged(plan.printers, source.roles, into: registry).registry
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
        let paths = try await trustPaths(source.document.trustFiles)
        plan.printers = source.printers.map { printer in
            var printer = printer
            if let path = printer.trust?.file, let here = paths[path] { printer.trust = printer.trust?.moved(to: here) }
            return printer
        }
        let registry = try await merged(plan.printers, source.roles, into: editor.registry)
        try await planTrustFiles(source, paths, for: registry.used, &plan)
        if let secrets = source.secrets {
            try await planLogins(secrets.logins, &plan)
            plan.tokens = secrets.tokens
            let restored = try await tokens.restore(
                secrets.tokens, replacing: replaces, isDryRun: true, at: .now)
            plan.changes += restored.map { ImportReport.Change(.token, $0.name, .init($0.outcome)) }
            try await planCertificate(secrets.certificate, &plan)
        }
        plan.changes += registry.changes
        return plan
    }

    /// The path on this machine for each CA and known_hosts file: the same one where it has the same content, else one
    /// that follows from the content.
    private func trustPaths(_ files: [String: String]) async throws -> [String: String] {
        let folder = places.trustFolder
        return try await BackgroundWork.run {
            try files.mapValues { Array($0.utf8) }.reduce(into: [String: String]()) { paths, file in
                if Self.content(of: file.key) == file.value { return paths[file.key] = file.key }
                paths[file.key] = "\(folder)/\(try Self.digest(file.value)).\(Self.suffix(of: file.value))"
            }
        }
    }

    private static func suffix(of trustFile: [UInt8]) -> String {
        String(decoding: trustFile, as: UTF8.self).firstRange(ofText: "-----BEGIN ") == nil ? "known_hosts" : "pem"
    }

    /// `used`: the printers that are added or replaced.
    private func planTrustFiles(
        _ source: ImportSource, _ paths: [String: String], for used: [SavedPrinter], _ plan: inout Plan
    ) async throws {
        let wanted = Set(used.compactMap { $0.trust?.file })
        for (path, text) in source.document.trustFiles.sorted(by: { $0.key < $1.key }) {
            guard let here = paths[path], wanted.contains(here) else { continue }
            let bytes = Array(text.utf8)
            let stands = try await BackgroundWork.run { Self.content(of: here) == bytes }
            if !stands { plan.trustFiles.append(NewFile(path: here, bytes: bytes)) }
            plan.changes.append(.init(.trustFile, here, stands ? .same : .add, here == path ? nil : "was \(path)"))
        }
    }

    private func planLogins(_ logins: [String: ExportedLogin], _ plan: inout Plan) async throws {
        for (name, login) in logins.sorted(by: { $0.key < $1.key }) {
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

    /// Writes all but the registry.
    private func write(_ plan: Plan) async throws {
        let (trustFolder, keyFolder) = (places.trustFolder, places.keyFolder)
        try await Self.writing {
            if !plan.trustFiles.isEmpty { try Folder.create(trustFolder) }
            for file in plan.trustFiles { try AtomicFile.replace(file.path, with: file.bytes, permissions: 0o644) }
            if !plan.keyFiles.isEmpty { try Folder.create(keyFolder, permissions: 0o700) }
            for file in plan.keyFiles { try AtomicFile.replace(file.path, with: file.bytes, permissions: 0o600) }
        }
        try await places.secrets.save(plan.logins)
        try await Self.writing { try Self.removeOldKeys(of: plan.logins, in: keyFolder) }
        _ = try await tokens.restore(plan.tokens, replacing: replaces, at: .now)
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
        }
    }

    private static func writing(_ work: @escaping @Sendable () throws -> Void) async throws {
        do {
            try await BackgroundWork.run(work)
        } catch let error as FileError {
            throw Problem(.storageFailed, detail: "\(error.message); import again once this is mended")
        }
    }

    /// Removes the files of an earlier import that the logins do not name any more.
    private static func removeOldKeys(of logins: [String: Credentials], in folder: String) throws {
        guard !logins.isEmpty, let names = try? Folder.names(in: folder) else { return }
        for (login, credentials) in logins {
            let certificate = credentials.clientCertificate
            let used = [certificate?.path, certificate?.keyPath, credentials.privateKey?.path].compactMap(\.self)
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
