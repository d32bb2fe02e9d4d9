import PrintModel

extension Registry {
    /// The file's two sections. What is a role's standard anyway is left out.
    var yaml: YAMLValue {
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
            ]))
    }
}

/// The entries that have a value.
private func present(_ entries: [(String, YAMLValue?)]) -> [YAMLValue.Entry] {
    entries.compactMap { key, value in value.map { YAMLValue.Entry(key: key, value: $0) } }
}
