import KioskDurableFiles
package import KioskPrintModel

extension SecretStore {
    /// Saves entries in the secrets file, in place of those of the same names: atomically and durably, with comments and
    /// all other entries as they are. A file that has an error is never overwritten.
    /// With `isDryRun` it throws as it would, and changes nothing.
    package func save(_ new: [String: Credentials], isDryRun: Bool = false) throws(CredentialError) {
        guard !new.isEmpty else { return }
        do {
            // Nothing is written: neither a folder nor a lock is needed.
            if isDryRun { return try saveLocked(new, isDryRun) }
            try Folder.create(Folder.parent(of: path))
            // As the registry's file beside it.
            try Folder.withLock(on: Folder.parent(of: path)) { try saveLocked(new, isDryRun) }
        } catch let error as CredentialError {
            throw error
        } catch let error as FileError {
            throw CredentialError(error.message)
        } catch {
            throw CredentialError("\(path) cannot be saved")
        }
    }

    /// Whether a text can name credentials.
    package static func isName(_ text: String) -> Bool { RegistryRules.isFileName(text) }

    private func saveLocked(_ new: [String: Credentials], _ isDryRun: Bool) throws {
        let old = try presentContent()
        let result = try SecretWriter.write(new, over: old, file: path)
        if isDryRun || result == old { return }
        try AtomicFile.replace(path, with: result, permissions: 0o600, keepingPermissions: true)
    }
}

/// Writes credentials into the text of a secrets file with as few changes as possible, and verifies the result.
enum SecretWriter {
    /// The file's new content. `content` is the present one; nil where there is no file yet.
    static func write(
        _ new: [String: Credentials], over content: [UInt8]?, file: String
    ) throws(CredentialError) -> [UInt8] {
        let folder = Folder.parent(of: file)
        let present = try entries(content ?? [], file)
        var wanted = present
        for (name, credentials) in new { wanted[name] = credentials }
        let result = Array(edited(content, from: present, to: wanted, file, folder).utf8)
        guard result.count <= SecretStore.maximumLength else {
            throw CredentialError(
                "\(file) would be longer than \(SecretStore.maximumLength) bytes; import fewer logins")
        }
        guard let written = try? entries(result, file), written == wanted else {
            throw CredentialError(
                "\(file) is written in a way that further logins do not fit into without rewriting it; write a block mapping, NAME: and its keys on lines below"
            )
        }
        return result
    }

    private static func edited(
        _ content: [UInt8]?, from present: [String: Credentials], to wanted: [String: Credentials], _ file: String,
        _ folder: String
    ) -> String {
        let text = { (lineBreak: String) in yaml(wanted, folder).lines(levels: 2).map { $0 + lineBreak }.joined() }
        guard let content else { return header + text("\n") }
        let (root, source, _) = YAMLComposer.compose(content, file: file, isSecret: true)
        guard let root, !root.isNull else {
            // The file is empty or contains only comments.
            let endsWithBreak = source.scalars.last.map(SourceText.isBreak) ?? true
            return source.text + (endsWithBreak ? "" : source.lineBreak) + text(source.lineBreak)
        }
        let order = root.pairs?.compactMap(\.key.text) ?? []
        var editor = YAMLEditor(source)
        editor.change(
            root, from: yaml(present, folder, order), to: yaml(wanted, folder, order),
            at: .init(parent: source.offset(of: root.position), isInFlow: false, levels: 2))
        return editor.result
    }

    /// Every entry of a content. Throws where one of them has an error.
    private static func entries(_ content: [UInt8], _ file: String) throws(CredentialError) -> [String: Credentials] {
        var entries: [String: Credentials] = [:]
        for (name, entry) in try SecretReader.entries(content, file: file).get() { entries[name] = try entry.get() }
        return entries
    }

    /// The entries in the file's order, new ones behind them.
    private static func yaml(
        _ entries: [String: Credentials], _ folder: String, _ order: [String] = []
    ) -> YAMLValue {
        let names = order + entries.keys.filter { !order.contains($0) }.sorted()
        return .map(
            names.compactMap { name in
                entries[name].map { YAMLValue.Entry(key: name, value: yaml($0, folder)) }
            })
    }

    private static func yaml(_ credentials: Credentials, _ folder: String) -> YAMLValue {
        func file(_ path: String?) -> YAMLValue? {
            path.map { .text($0.hasPrefix("\(folder)/") ? String($0.dropFirst(folder.utf8.count + 1)) : $0) }
        }
        let passphrase = credentials.clientCertificate?.passphrase ?? credentials.privateKey?.passphrase
        let agent: YAMLValue? =
            switch credentials.agent {
            case nil: nil
            case .environment?: .bare("true")
            case .socket(let path)?: .text(path)
            }
        let entries: [(String, YAMLValue?)] = [
            ("user", credentials.user.map(YAMLValue.text)),
            ("password", credentials.password.map { .text($0.reveal()) }),
            ("token", credentials.token.map { .text($0.reveal()) }),
            ("client-certificate", file(credentials.clientCertificate?.path)),
            ("client-key", file(credentials.clientCertificate?.keyPath)),
            ("private-key", file(credentials.privateKey?.path)),
            ("passphrase", passphrase.map { .text($0.reveal()) }),
            ("agent", agent),
        ]
        return .map(entries.compactMap { key, value in value.map { YAMLValue.Entry(key: key, value: $0) } })
    }

    private static let header = """
        # The logins of printers, by the name that printers.yaml has under credentials. Nobody but the owner of this file
        # may read it (mode 0600). It is read again as soon as it changes.

        """
}
