import KioskPrintModel

/// Writes a registry into the text of its file with as few changes as possible, and verifies the result.
enum RegistryWriter {
    /// The file's new content. `content` is the present one; nil where there is no file yet.
    static func write(
        _ new: Registry, over content: [UInt8]?, file: String
    ) throws(RegistryError) -> [UInt8] {
        guard let content else { return Array((header + newText(new)).utf8) }
        let present = try RegistryReader.read(content, file: file, profiles: new.profiles)
        let text = edited(present, to: new)
        let result = Array(text.utf8)
        // Verify: the result has to read back as the new registry.
        guard let written = try? RegistryReader.read(result, file: file, profiles: new.profiles).registry,
            written.printers == new.printers, written.roles == new.roles
        else {
            throw RegistryError(
                .notExpressible,
                message:
                    "\(file) is written in a way that this change does not fit into without rewriting it; make the change in the file by hand"
            )
        }
        return result
    }

    private static func edited(_ present: RegistryReader.Output, to new: Registry) -> String {
        guard let root = present.root, !root.isNull else {
            // The file is empty or contains only comments.
            let text = present.source.text
            let endsWithBreak = present.source.scalars.last.map(SourceText.isBreak) ?? true
            return text + (endsWithBreak ? "" : present.source.lineBreak)
                + newText(new, lineBreak: present.source.lineBreak)
        }
        var editor = YAMLEditor(present.source)
        let start = present.source.offset(of: root.position)
        editor.change(
            root, from: present.registry.yaml, to: new.yaml, at: .init(parent: start, isInFlow: false, levels: 3))
        return editor.result
    }

    /// The text of a new file, without the header.
    private static func newText(_ registry: Registry, lineBreak: String = "\n") -> String {
        let version = YAMLValue.Entry(key: "version", value: .bare("\(RegistryReader.version)"))
        let sections = (registry.yaml.entries ?? []).filter { !$0.value.isEmpty }
        return YAMLValue.map([version] + sections).lines(levels: 3).map { $0 + lineBreak }.joined()
    }

    private static let header = """
        # The printers and roles of this kiosk. Edit it here or with kioskctl: it is read again as soon as it changes,
        # and a mistake leaves the last good version in force. Saving keeps comments; previous versions stand beside
        # this file as printers.yaml.~N~, the highest number is the newest. Passwords do not belong here: name them
        # under credentials.

        """
}

// MARK: - Registry to YAML

extension Registry {
    /// The file's two sections. A role's default values are left out.
    fileprivate var yaml: YAMLValue {
        .map([
            .init(key: "printers", value: .list(printers.map(\.yaml))),
            .init(key: "roles", value: .map(roles.map { .init(key: $0.name.rawValue, value: $0.yaml) })),
        ])
    }
}

extension SavedPrinter {
    fileprivate var yaml: YAMLValue {
        .map(
            present([
                ("id", .text(id.rawValue)), ("url", .text(url.description)), ("name", name.map(YAMLValue.text)),
                ("location", location.map(YAMLValue.text)), ("profile", profile.map(YAMLValue.text)),
                ("job-types", jobTypes.map { .list($0.keywords.map(YAMLValue.bare)) }),
                ("credentials", credentials.map(YAMLValue.text)), ("trust", trust.map { .text($0.description) }),
                ("login-without-tls", allowsPlainLogin.map { .bare("\($0)") }),
            ]))
    }
}

extension Role {
    fileprivate var yaml: YAMLValue {
        .map(
            present([
                ("printers", .list(printers.map { .text($0.rawValue) })),
                ("policy", policy == .failover ? nil : .bare(policy.rawValue)),
                ("job-type", jobType == Self.standardJobType(of: name) ? nil : jobType.map { .bare($0.description) }),
                ("defaults", defaults == Ticket() ? nil : defaults.yaml),
                ("unconfirmed", unconfirmed == Self.standardPolicy(of: name) ? nil : .bare(unconfirmed.rawValue)),
                ("expires-after", expiresAfter.map { .bare(Duration.fileText(ofSeconds: $0)) }),
                ("page-limit", pageLimit.map { .bare("\($0)") }),
                ("mirror", mirror ? .bare("true") : nil),
                ("keep", keep == Retention() ? nil : keep.yaml),
            ]))
    }
}

extension Retention {
    fileprivate var yaml: YAMLValue {
        .map(
            present([
                ("jobs", jobs.map { .bare(Duration.fileText(ofSeconds: $0)) }),
                ("documents", documents.map { .bare(Duration.fileText(ofSeconds: $0)) }),
                ("size", size.map { .bare(ByteCounts.text(of: $0)) }),
            ]))
    }
}

extension Ticket {
    fileprivate var yaml: YAMLValue {
        .map(
            present([
                ("copies", copies.map { .bare("\($0)") }), ("sides", sides.map { .bare($0.rawValue) }),
                ("media", media.map(YAMLValue.text)),
                ("page-ranges", pageRanges.map { .list($0.map { .bare($0.description) }) }),
                ("number-up", numberUp.map { .bare("\($0)") }),
                ("orientation-requested", orientation.map { .bare($0.rawValue) }),
                ("print-color-mode", colorMode.map { .bare($0.rawValue) }),
                ("print-quality", quality.map { .bare($0.rawValue) }), ("cut", cut.map { .bare($0.rawValue) }),
                ("drawer", drawer.map { .bare("\($0)") }), ("priority", priority.map { .bare("\($0)") }),
                ("expires-after", expiresAfter.map { .bare(Duration.fileText(ofSeconds: $0)) }),
                ("media-source", mediaSource.map(YAMLValue.text)), ("media-type", mediaType.map(YAMLValue.text)),
                ("output-bin", outputBin.map(YAMLValue.text)), ("print-scaling", scaling.map { .bare($0.rawValue) }),
                ("multiple-document-handling", documentHandling.map { .bare($0.rawValue) }),
                ("page-border", pageBorder.map { .bare($0.rawValue) }),
                ("print-content-optimize", contentOptimization.map { .bare($0.rawValue) }),
                ("printer-resolution", resolution.map { .bare("\($0)") }),
                ("job-account-id", accountID.map(YAMLValue.text)),
                ("job-accounting-user-id", accountingUserID.map(YAMLValue.text)),
                ("fidelity", fidelity.map { .bare("\($0)") }),
            ]))
    }
}

/// The entries that have a value.
private func present(_ entries: [(String, YAMLValue?)]) -> [YAMLValue.Entry] {
    entries.compactMap { key, value in value.map { YAMLValue.Entry(key: key, value: $0) } }
}
