import Foundation
import KioskAPI
import KioskAPIMessages
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Every route and every subcommand is called at least once against the programs that people install. The lists are the
/// programs' own: whatever is added to them must be called here too.
@Suite(.timeLimit(.minutes(10))) struct ProgramCoverageTests {
    // MARK: Routes

    private static let routes: [String: @Sendable (Shop) async throws -> CurlResponse] = [
        "GET /v1/jobs": { try await $0.daemon.curl("/v1/jobs?role=receipt&limit=10") },
        "POST /v1/jobs": { try await $0.daemon.submit("COFFEE\n", "role=receipt&wait=300") },
        "GET /v1/jobs/{id}": { try await $0.daemon.curl("/v1/jobs/\($0.completed)") },
        "DELETE /v1/jobs/{id}": { try await $0.daemon.curl("/v1/jobs/\($0.waiting)", ["-X", "DELETE"]) },
        "POST /v1/jobs/{id}/release": { try await $0.daemon.curl("/v1/jobs/\($0.held)/release", ["-X", "POST"]) },
        "POST /v1/jobs/{id}/reprint": {
            try await $0.daemon.curl("/v1/jobs/\($0.completed)/reprint?wait=300", ["-X", "POST"])
        },
        "GET /v1/jobs/{id}/timeline": { try await $0.daemon.curl("/v1/jobs/\($0.completed)/timeline") },
        "POST /v1/preview": { shop in
            let picture = [
                "-H", "Accept: image/png", "-H", "Content-Type: text/receiptline", "--data-binary", "@\(shop.receipt)",
            ]
            let response = try await shop.daemon.curl("/v1/preview?printer=till-1", picture)
            #expect(response.body.starts(with: Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) })))
            return response
        },
        "GET /v1/printers": { try await $0.daemon.curl("/v1/printers?job-type=receipt") },
        "GET /v1/printers/{id}": { try await $0.daemon.curl("/v1/printers/till-1") },
        "PUT /v1/printers/{id}": {
            try await $0.daemon.curlJSON("PUT", "/v1/printers/new", #"{"url":"\#($0.uri)","trust":"none"}"#)
        },
        "DELETE /v1/printers/{id}": { try await $0.daemon.curl("/v1/printers/spare", ["-X", "DELETE"]) },
        "POST /v1/printers/{id}/contact": { try await $0.daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"]) },
        "POST /v1/printers/{id}/identify": {
            try await $0.daemon.curl("/v1/printers/till-1/identify?message=here", ["-X", "POST"])
        },
        "GET /v1/printers/{id}/trace": { shop in
            let response = try await shop.daemon.curl("/v1/printers/till-1/trace?for=1")
            #expect(response.text.contains("event: end"), "\(response.text)")
            return response
        },
        "GET /v1/printers/{id}/certificate": { try await $0.daemon.curl("/v1/printers/unproven/certificate") },
        "POST /v1/printers/{id}/trust": { shop in
            let key = try await shop.key("unproven")
            return try await shop.daemon.curlJSON(
                "POST", "/v1/printers/unproven/trust", #"{"key-fingerprint":"\#(key)"}"#)
        },
        "GET /v1/discovered-printers": { try await $0.daemon.curl("/v1/discovered-printers?scheme=usb") },
        "GET /v1/discovery": { shop in
            let response = try await shop.daemon.curl("/v1/discovery?connection=usb")
            #expect(response.text.contains("event: end"), "\(response.text)")
            return response
        },
        "GET /v1/roles": { try await $0.daemon.curl("/v1/roles") },
        "GET /v1/roles/{name}": { try await $0.daemon.curl("/v1/roles/receipt") },
        "PUT /v1/roles/{name}": {
            try await $0.daemon.curlJSON("PUT", "/v1/roles/kitchen", #"{"printers":["till-1"]}"#)
        },
        "DELETE /v1/roles/{name}": { try await $0.daemon.curl("/v1/roles/unused", ["-X", "DELETE"]) },
        "GET /v1/profiles": { try await $0.daemon.curl("/v1/profiles") },
        "GET /v1/profiles/{name}": { try await $0.daemon.curl("/v1/profiles/generic-80mm") },
        "POST /v1/registry/reload": { try await $0.daemon.curl("/v1/registry/reload", ["-X", "POST"]) },
        "GET /v1/events": { shop in
            // An event stream ends when its client does.
            let response = try await shop.daemon.curl("/v1/events", ["-H", "Last-Event-ID: 0", "--max-time", "2"])
            #expect(response.text.contains("event: resync"), "\(response.text)")
            return response
        },
        "GET /v1/health": { try await $0.daemon.curl("/v1/health") },
        "GET /v1/openapi.json": { try await $0.daemon.curl("/v1/openapi.json") },
        "GET /kiosk.js": { try await $0.daemon.curl("/kiosk.js") },
        "GET /metrics": { try await $0.daemon.curl("/metrics") },
        "GET /v1/server": { try await $0.daemon.curl("/v1/server") },
        "GET /v1/fleet": { _ in
            let daemon = try await KioskdFixture(
                arguments: ["--fleet-hub", "nats://127.0.0.1:9", "--fleet-site", "0147", "--fleet-node", "kiosk-1"])
            return try await daemon.curl("/v1/fleet")
        },
        "GET /v1/jobs/{id}/preview": {
            try await $0.daemon.curl("/v1/jobs/\($0.completed)/preview", ["-H", "Accept: image/png"])
        },
        "POST /v1/printers/{id}/test": {
            try await $0.daemon.curl("/v1/printers/till-1/test?wait=300", ["-X", "POST"])
        },
        "POST /v1/probe": {
            try await $0.daemon.curlJSON("POST", "/v1/probe", #"{"url":"\#($0.uri)","trust":"none"}"#)
        },
        "GET /v1/recent-printers": { try await $0.daemon.curl("/v1/recent-printers") },
        "GET /v1/registry/versions": { try await $0.daemon.curl("/v1/registry/versions") },
        "GET /v1/registry/versions/{number}": {
            try await $0.daemon.curl("/v1/registry/versions/\($0.registryVersion())")
        },
        "POST /v1/registry/versions/{number}/restore": {
            try await $0.daemon.curl("/v1/registry/versions/\($0.registryVersion())/restore", ["-X", "POST"])
        },
        "POST /v1/login-codes": { try await $0.daemon.curlJSON("POST", "/v1/login-codes", "{}") },
        "GET /v1/tokens": { try await $0.daemon.curl("/v1/tokens") },
        "POST /v1/tokens": {
            try await $0.daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till","scopes":["print:receipt"]}"#)
        },
        "DELETE /v1/tokens/{id}": { shop in
            let made = try await shop.daemon.curlJSON("POST", "/v1/tokens", #"{"name":"old","scopes":["read"]}"#)
            let id = try made.json(NewToken.self).token.id
            return try await shop.daemon.curl("/v1/tokens/\(id)", ["-X", "DELETE"])
        },
        "GET /v1/export": { try await $0.daemon.curl("/v1/export") },
        "POST /v1/export": {
            try await $0.daemon.curlJSON("POST", "/v1/export", #"{"passphrase":"battery staple"}"#)
        },
        "POST /v1/import": { shop in
            let export = try await shop.daemon.curl("/v1/export").text
            let body = String(decoding: try APIJSON.encode(ImportRequest(export: export)), as: UTF8.self)
            return try await shop.daemon.curlJSON("POST", "/v1/import", body)
        },
        "GET /v1/audit": { try await $0.daemon.curl("/v1/audit") },
        "GET /v1/standby": { _ in try await partnered().curl("/v1/standby") },
        "PUT /v1/standby/{node}/{id}": { _ in
            let job = StandbyJob(
                queue: "queue", role: "receipt", name: "receipt", user: nil, format: .plainText,
                ticket: Ticket(), till: nil, ownerName: nil, requestID: nil, age: 0, document: Array("TEA\n".utf8))
            let body = String(decoding: try APIJSON.encode(job), as: UTF8.self)
            return try await partnered().curlJSON("PUT", "/v1/standby/kiosk-2/1", body)
        },
        "DELETE /v1/standby/{node}/{id}": { _ in
            try await partnered().curl("/v1/standby/kiosk-2/1?queue=queue", ["-X", "DELETE"])
        },
    ]

    /// A kiosk with a partner that is away.
    private static func partnered() async throws -> KioskdFixture {
        let folder = try TemporaryFolder("partner")
        let token = try folder.writePrivately(Array("token\n".utf8), to: "partner.token")
        return try await KioskdFixture(
            arguments: [
                "--partner", "http://127.0.0.1:9", "--partner-token", token, "--node", "kiosk-1",
                "--listen", "127.0.0.1:\(try freePort())",
            ])
    }

    @Test func `every route of the API's description is served`() async throws {
        let shop = try await Shop()
        let document = try JSONSerialization.jsonObject(with: Data(try await shop.daemon.curl("/v1/openapi.json").body))
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: Any]])
        let described = Set(paths.flatMap { path, operations in operations.keys.map { "\($0.uppercased()) \(path)" } })
        #expect(described == Set(Self.routes.keys))
        // In any order: what one takes away, no other needs.
        for (route, call) in Self.routes {
            let response = try await call(shop)
            #expect((200...299).contains(response.status), "\(route): \(response.status) \(response.text)")
        }
        #expect(try shop.daemon.process.isRunning)
        #expect(try await shop.daemon.terminate() == .exited(0))
    }

    // MARK: Subcommands

    private struct Called {
        var end: ChildProcess.End
        var said: String
    }

    private static let subcommands: [String: @Sendable (Shop) async throws -> Called] = [
        "print": { try await $0.kioskctl("print", $0.receipt, "--role", "receipt", "--wait") },
        "preview": { try await $0.kioskctl("preview", $0.receipt, "--printer", "till-1") },
        "jobs": { try await $0.kioskctl("jobs", "--role", "receipt") },
        "job": { try await $0.kioskctl("job", "\($0.completed)", "--timeline") },
        "cancel": { try await $0.kioskctl("cancel", "\($0.waiting)") },
        "release": { try await $0.kioskctl("release", "\($0.held)") },
        "reprint": { try await $0.kioskctl("reprint", "\($0.completed)", "--wait") },
        "printers list": { try await $0.kioskctl("printers", "list", "--job-type", "receipt") },
        "printers show": { try await $0.kioskctl("printers", "show", "till-1") },
        "printers add": {
            try await $0.kioskctl("printers", "add", "new", $0.uri, "--trust", "none", "--role", "kitchen")
        },
        "printers remove": { try await $0.kioskctl("printers", "remove", "spare") },
        "printers contact": { try await $0.kioskctl("printers", "contact", "till-1") },
        "printers identify": { try await $0.kioskctl("printers", "identify", "till-1", "--message", "here") },
        "printers trace": { try await $0.kioskctl("printers", "trace", "till-1", "--for", "1s") },
        "printers trust": {
            try await $0.kioskctl("printers", "trust", "unproven", "--yes", "--fingerprint", $0.key("unproven"))
        },
        "discover": { try await $0.kioskctl("discover", "--usb") },
        "printers probe": { try await $0.kioskctl("printers", "probe", $0.uri, "--trust", "none") },
        "printers test": { try await $0.kioskctl("printers", "test", "till-1") },
        "admin": { try await $0.kioskctl("admin") },
        "tokens list": { try await $0.kioskctl("tokens", "list") },
        "tokens add": { try await $0.kioskctl("tokens", "add", "till", "--scope", "print:receipt") },
        "tokens revoke": { shop in
            _ = try await shop.kioskctl("tokens", "add", "old", "--scope", "read")
            return try await shop.kioskctl("tokens", "revoke", "old")
        },
        "export": {
            try await $0.kioskctl("export", "--output", $0.folder.appending("kiosk.json"), "--json")
        },
        "import": { shop in
            let file = shop.folder.appending("other.json")
            _ = try await shop.kioskctl("export", "--output", file)
            return try await shop.kioskctl("import", file, "--dry-run")
        },
        "audit": { try await $0.kioskctl("audit") },
        "server": { try await $0.kioskctl("server") },
        "roles list": { try await $0.kioskctl("roles", "list") },
        "roles assign": { try await $0.kioskctl("roles", "assign", "unused", "till-1") },
        "roles remove": { try await $0.kioskctl("roles", "remove", "slip") },
        "profiles list": { try await $0.kioskctl("profiles", "list") },
        "profiles show": { try await $0.kioskctl("profiles", "show", "generic-80mm") },
        "profiles check": { try await $0.kioskctl("profiles", "check", "\(ShippedProfiles.folder)/star-line.yaml") },
        "reload": { try await $0.kioskctl("reload") },
        "health": { try await $0.kioskctl("health", "--json", "--role", "receipt") },
        "doctor": { shop in
            let result = try await shop.kioskctl("doctor", "--state-dir", shop.daemon.folder.path, "--json")
            #expect(result.said.contains("\"checked\""), "\(result.said)")
            // What this computer has, such as a time service, is not the test's to say.
            return Called(end: .exited(0), said: result.said)
        },
        "watch": { shop in
            let child = try ChildProcess(
                try BuiltProducts.path("kioskctl"), ["watch", "--after", "0"],
                environment: ["KIOSKD_SOCKET": shop.daemon.socket])
            try await child.waitForOutput("no longer kept")
            child.signal(SIGINT)
            return Called(end: try await child.wait(), said: child.standardOutput + child.standardError)
        },
        "simulate": { try await $0.kioskctl("simulate", "draw", $0.commands) },
        // With a hub: KioskctlFleetTests, SimulatedFleetTests.
        "fleet": { try await $0.kioskctl("fleet", "print", "--help") },
        "help": { try await $0.kioskctl("help", "print") },
    ]
    /// The commands whose exit status says how printing does: nobody verifies the shop's printer.
    private static let exits = ["health": ChildProcess.End.exited(1), "watch": .exited(130)]

    @Test func `every subcommand of kioskctl works`() async throws {
        let shop = try await Shop()
        let dump = try await shop.kioskctl("--experimental-dump-help")
        let tree = try JSONDecoder().decode(CommandTree.self, from: Data(dump.said.utf8))
        #expect(Set(tree.command.leaves) == Set(Self.subcommands.keys))
        for (subcommand, call) in Self.subcommands {
            let result = try await call(shop)
            #expect(
                result.end == Self.exits[subcommand] ?? .exited(0), "\(subcommand): \(result.said)")
        }
        #expect(try await shop.daemon.terminate() == .exited(0))
    }

    @Test func `the daemon's own options work`() async throws {
        let folder = try TemporaryFolder("kioskd")
        try folder.write("version: 1\nprinters: []\nroles: {}\n", to: "printers.yaml")
        let (program, state) = (try BuiltProducts.path("kioskd"), ["--state-dir", folder.path])
        for arguments in [
            ["--help"], ["--version"], state + ["--check"],
            ["--check-profiles", "\(ShippedProfiles.folder)/star-line.yaml"],
        ] {
            let result = try await ChildProcess.run(program, arguments)
            #expect(result.end == .exited(0), "\(arguments): \(result.standardOutput)\(result.standardError)")
        }
    }

    /// The part of what `--experimental-dump-help` prints that is read here.
    private struct CommandTree: Decodable {
        var command: Command

        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?

            /// The commands that do something, by the words behind `kioskctl`.
            var leaves: [String] {
                (subcommands ?? []).flatMap { command in
                    let below = command.leaves
                    return below.isEmpty ? [command.commandName] : below.map { "\(command.commandName) \($0)" }
                }
            }
        }
    }

    // MARK: The shop

    /// A daemon over printers in several states, with jobs at several points of their lives.
    private struct Shop {
        let printer: SimulatedPrinter
        let daemon: KioskdFixture
        let folder: TemporaryFolder
        /// The printer's, which trusts it as `none`; `unproven` and `spare` name the same.
        let uri: String
        /// A file of markup, and one of ESC/POS.
        let receipt: String
        let commands: String
        let completed: Job.ID
        /// A job of which nobody knows whether it was printed.
        let held: Job.ID
        /// A job for a printer that is off.
        let waiting: Job.ID

        init() async throws {
            folder = try TemporaryFolder("shop")
            receipt = try folder.write("^TOTAL|^2.50\n{code:4711;option:qrcode}\n", to: "order.receipt")
            commands = try folder.write("\u{1B}@TEA\n", to: "receipt.bin")
            var options = SimulatedPrinter.Options()
            options.tls = PrinterTLSOptions()
            printer = try await SimulatedPrinter.start(options)
            uri = printer.uri
            daemon = try await KioskdFixture(
                registry: """
                    version: 1
                    printers:
                      - { id: till-1, url: "\(uri)", trust: none, profile: generic-80mm }
                      - { id: unproven, url: "\(uri)", trust: ask }
                      - { id: spare, url: "\(uri)", trust: ask }
                      - { id: away, url: "ipp://localhost:\(try freePort())/ipp/print" }
                    roles:
                      receipt: { printers: [till-1] }
                      slip: { printers: [till-1], unconfirmed: hold }
                      unused: { printers: [till-1] }
                    """,
                arguments: ["--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:\(try freePort())"],
                usb: try await USBEmulator())
            completed = try await daemon.submit("TEA\n", "role=receipt&wait=300").json(Job.self).id
            waiting = try await daemon.submit("MILK\n", "printer=away").json(Job.self).id
            held = try await Self.doubtfulJob(printer, daemon)
        }

        /// A job that its printer took and forgot when its power went.
        private static func doubtfulJob(_ printer: SimulatedPrinter, _ daemon: KioskdFixture) async throws -> Job.ID {
            try await printer.perform(.hold)
            let job = try await daemon.submit("CAKE\n", "role=slip").json(Job.self).id
            try await eventually("the printer to have the job") {
                try await daemon.curl("/v1/jobs/\(job)").json(Job.self).remoteJob != nil
            }
            try await printer.perform(.powerOff)
            try await printer.perform(.goOnline)
            try await eventually("the job to be in doubt") {
                try await daemon.curl("/v1/jobs/\(job)").json(Job.self).state == .pendingHeld
            }
            try await printer.perform(.release)
            return job
        }

        /// The fingerprint of the key that a printer shows now.
        func key(_ printer: String) async throws -> String {
            let shown = try await daemon.curl("/v1/printers/\(printer)/certificate").json(PrinterTrust.self)
            return try #require(shown.certificate?.keyFingerprint).description
        }

        /// The number of the newest version of the registry's file; one is saved first.
        func registryVersion() async throws -> Int {
            let saved = try await daemon.curlJSON("PUT", "/v1/roles/night", #"{"printers":["till-1"]}"#)
            #expect((200...201).contains(saved.status), "\(saved.text)")
            let kept = try await daemon.curl("/v1/registry/versions").json(RegistryVersionList.self)
            return try #require(kept.versions.map(\.number).max())
        }

        func kioskctl(_ arguments: String...) async throws -> Called {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket],
                deadline: .seconds(600))
            return Called(end: result.end, said: result.standardOutput + result.standardError)
        }
    }
}
