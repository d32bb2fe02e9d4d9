import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet setup`: the hub's streams.
struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Check the streams of a hub, and make them.",
        discussion: """
            Compares the hub's streams with what a fleet needs, and changes nothing: it ends with 1 if one is missing \
            or has other settings. With --apply it makes and changes them, and shows what is then.

            EXAMPLES
              kioskctl fleet setup --hub tls://hub.example:4222 --credentials admin.creds
              kioskctl fleet setup --apply
              kioskctl fleet setup --apply --replicas 1 --hub nats://127.0.0.1:4222
            """
    )

    @Option(
        help: ArgumentHelp(
            "How many servers keep a copy of each message; 1 is for trying things out.", valueName: "n"))
    var replicas = 3

    @Flag(help: "Make what is missing, and change what differs.")
    var apply = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func validate() throws {
        guard [1, 3, 5].contains(replicas) else {
            throw ValidationError("--replicas is \(replicas); write 1, 3 or 5.")
        }
    }

    func run() async throws {
        let findings = try await hub.withHub { session in
            let setup = HubSetup(HubLayout(replicas: replicas), at: session.jetStream)
            if apply { _ = try await session.retrying { try await setup.apply(changesExisting: true) } }
            return try await session.retrying { try await setup.check() }
        }
        try output.json ? Console.write(json: SetupJSON(findings)) : Console.write(SetupText.table(findings))
        guard findings.allSatisfy({ $0.state == .asWanted }) else {
            if !output.json { Console.writeMessage(SetupText.advice(findings, afterApply: apply)) }
            throw ExitStatus.failed
        }
    }
}

/// What `setup` has found, for people.
enum SetupText {
    static func table(_ findings: [HubSetup.Finding], _ style: Style = .current) -> String {
        var table = Table([.init(heading: "STREAM"), .init(heading: "STATE"), .init(heading: "FOUND → WANTED")])
        for finding in findings {
            let name = Table.Cell(finding.wanted.name)
            switch finding.state {
            case .missing: table.add([name, .init("missing", .red), .init(nil)])
            case .asWanted: table.add([name, .init("as wanted", .green), .init(nil)])
            case .different(let differences):
                let text = differences.map { "\($0.setting): \($0.found) → \($0.wanted)" }.joined(separator: "; ")
                table.add([name, .init("different", .yellow), .init(text)])
            }
        }
        return table.text(style)
    }

    static func advice(_ findings: [HubSetup.Finding], afterApply isApplied: Bool) -> String {
        let missing = findings.count { $0.state == .missing }
        let different = findings.count { $0.state != .asWanted } - missing
        let what = "\(Quantities.count(missing, "stream is", "streams are")) missing, and \(different) not as wanted"
        return isApplied
            ? "\(what): the hub has not taken all settings; its version is too old for them"
            : "\(what); `kioskctl fleet setup --apply` makes and changes them"
    }
}

/// What `setup` has found, as JSON.
private struct SetupJSON: Encodable {
    var streams: [Stream]

    struct Stream: Encodable {
        var name: String
        /// `missing`, `as-wanted` or `different`.
        var state: String
        var differences: [Difference]
    }

    struct Difference: Encodable {
        var setting: String
        var found: String
        var wanted: String
    }

    init(_ findings: [HubSetup.Finding]) {
        streams = findings.map { finding in
            switch finding.state {
            case .missing: Stream(name: finding.wanted.name, state: "missing", differences: [])
            case .asWanted: Stream(name: finding.wanted.name, state: "as-wanted", differences: [])
            case .different(let differences):
                Stream(
                    name: finding.wanted.name, state: "different",
                    differences: differences.map {
                        Difference(setting: $0.setting, found: $0.found, wanted: $0.wanted)
                    })
            }
        }
    }
}
