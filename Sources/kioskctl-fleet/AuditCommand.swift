import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet audit`: who changed what of a site.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show who changed the configuration of a site.",
        discussion: """
            The hub keeps it for 400 days, and nobody can delete from it. The time is the hub's; the name is what the \
            program that changed it was told.

            EXAMPLES
              kioskctl fleet audit --site 0147
              kioskctl fleet audit --site 0147 --json
            """
    )

    @OptionGroup var site: SiteOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func run() async throws {
        let list = AuditList()
        try await hub.withHub { session in
            try await session.retrying {
                await list.clear()
                try await session.jetStream.readAllMessages(
                    of: FleetSubject.audit(site.site).text, in: HubLayout.audit
                ) { await list.add($0, $1) }
            }
        }
        let entries = await list.entries
        try output.json ? Console.write(json: ["entries": entries]) : Console.write(Self.table(entries))
    }

    private static func table(_ entries: [AuditEntry], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "TIME"), .init(heading: "WHO"), .init(heading: "WHAT"), .init(heading: "REVISION"),
            .init(heading: "SHA-256"),
        ])
        for entry in entries {
            guard let record = entry.record else {
                table.add([
                    .init(entry.time), .init("a record that this version does not know"), .init(nil), .init(nil),
                    .init(nil),
                ])
                continue
            }
            table.add([
                .init(entry.time), .init(record.who.terminalEscaped), .init(record.what.terminalEscaped),
                .init("\(record.old.map { "\($0)" } ?? "none") → \(record.new)"),
                .init(String(record.digest.prefix(12)).terminalEscaped),
            ])
        }
        return table.text(style)
    }
}

/// A record of the audit, as JSON.
private struct AuditEntry: Encodable, Sendable {
    /// When the hub stored it, as RFC 3339 has it.
    var time: String
    /// Nil where this version cannot read it.
    var record: AuditRecord?
}

/// Collects the audit as it is read.
private actor AuditList {
    private(set) var entries: [AuditEntry] = []

    /// Before it is read again.
    func clear() { entries = [] }

    func add(_ message: HubMessage, _ position: StoredPosition) {
        entries.append(
            AuditEntry(time: JetStream.text(ofTime: position.storedAt), record: try? AuditRecord(message)))
    }
}
