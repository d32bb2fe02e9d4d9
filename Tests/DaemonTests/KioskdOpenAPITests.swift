import Foundation
import KioskAPI
import KioskAPIMessages
import KioskDaemonSupport
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import KioskSimulatedPrinter
import KioskTestSupport
import Logging
import Testing

@testable import kioskd

/// The API's description: well-formed, complete, and true.
@Suite struct KioskdOpenAPITests {
    @Test(arguments: [("GET", "certificate"), ("POST", "identify")])
    func `a printer that cannot be asked is 503, as what is not there for a while`(
        _ method: String, _ path: String
    ) async throws {
        let daemon = try await KioskdFixture(printers: ["ipps://localhost:\(try freePort())/ipp/print"])
        let response = try await daemon.curl("/v1/printers/till-1/\(path)", ["-X", method])
        #expect(response.status == 503)
        #expect(response.text.contains("printer-unreachable"), "\(response.text)")
        #expect(response.headers["retry-after"] == nil)
        let document = try await daemon.curl("/v1/openapi.json").text
        #expect(!document.contains("\"502\""))
    }

    private static let python = try? InstalledProgram.path("python3", package: "python3")

    private static func canImport(_ module: String) async -> Bool {
        guard let python else { return false }
        return (try? await ChildProcess.run(python, ["-c", "import \(module)"]).end.isSuccess) ?? false
    }

    private func description(_ daemon: KioskdFixture) async throws -> [String: Any] {
        let response = try await daemon.curl("/v1/openapi.json")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/json")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test func `it lists exactly the routes that there are`() async throws {
        let daemon = try await KioskdFixture()
        let document = try await description(daemon)
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let described = paths.flatMap { path, operations in operations.keys.map { "\($0.uppercased()) \(path)" } }

        let folder = try TemporaryFolder()
        let registry = await RegistryStore(path: folder.appending("printers.yaml"))
        let engine = try await PrintEngine(
            configuration: EngineConfiguration(stateDirectory: folder.path), registry: registry, transports: [],
            logger: Logger(label: "test"))
        let routes = RouteTable(
            APIRoutes.router(
                engine: engine, registry: registry, maximumDocumentLength: 1, administrators: Administrators())
        ).lines
        #expect((document["info"] as? [String: Any])?["version"] as? String == Version.text)
        // Every GET also responds to HEAD, which the description says once for all. The page's screens and forms are no
        // part of the API.
        let isOfAPI = { (route: String) in
            route.contains(" /v1/") || route.hasSuffix(" /kiosk.js") || route.hasSuffix(" /metrics")
        }
        #expect(described.sorted() == routes.filter { !$0.hasPrefix("HEAD ") && isOfAPI($0) })
        #expect(!described.isEmpty)
    }

    @Test func `it knows every problem's code and status, ticket key, state and parameter`() async throws {
        let document = try await description(try await KioskdFixture())
        let components = try #require(document["components"] as? [String: [String: [String: Any]]])
        let schemas = try #require(components["schemas"])
        func properties(_ name: String) throws -> [String: [String: Any]] {
            try #require(schemas[name]?["properties"] as? [String: [String: Any]])
        }
        let codes = try #require(try properties("Problem")["code"]?["x-known-codes"] as? [String])
        #expect(Set(codes) == Set(Problem.Code.known.map(\.rawValue)))
        let responses = try #require(components["responses"])
        for code in Problem.Code.known where code.status != 405 {
            #expect(responses["Problem\(code.status)"] != nil, "\(code)")
        }
        #expect(try Set(properties("Ticket").keys) == Set(Ticket.keys + Ticket.secretKeys))
        #expect(try #require(schemas["JobState"]?["enum"] as? [String]) == JobState.allCases.map(\.rawValue))
        #expect(try #require(schemas["Evidence"]?["enum"] as? [String]) == Evidence.allCases.map(\.rawValue))
        #expect(
            try #require(properties("JobStep")["step"]?["enum"] as? [String]) == JobStep.Kind.allCases.map(\.rawValue))
        #expect(try #require(schemas["JobType"]?["enum"] as? [String]) == JobTypes.keywords.map(\.keyword))
        #expect(
            try #require(properties("Event")["kind"]?["enum"] as? [String]) == EngineEvent.Kind.allCases.map(\.rawValue)
        )
        #expect(
            try #require(properties("TraceEvent")["kind"]?["enum"] as? [String])
                == TraceEvent.Kind.allCases.map(\.rawValue))
        #expect(
            try #require(properties("DiscoveryEvent")["kind"]?["enum"] as? [String])
                == DiscoveryEvent.Kind.allCases.map(\.rawValue))
        #expect(
            try #require(properties("Availability")["state"]?["enum"] as? [String])
                == Availability.State.allCases.map(\.rawValue))
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let parameters = try #require(paths["/v1/jobs"]?["post"]?["parameters"] as? [[String: Any]])
        let names = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
        #expect(Set(names) == Set(SubmissionParameters.keys))
        let shown = try #require(paths["/v1/preview"]?["post"]?["parameters"] as? [[String: Any]])
            .filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
        #expect(Set(shown) == Set(PreviewParameters.keys))
    }

    @Test func `every reference in it leads somewhere`() async throws {
        let document = try await description(try await KioskdFixture())
        var references: Set<String> = []
        func collect(_ value: Any) {
            if let object = value as? [String: Any] {
                if let reference = object["$ref"] as? String { references.insert(reference) }
                object.values.forEach(collect)
            } else if let list = value as? [Any] {
                list.forEach(collect)
            }
        }
        collect(document)
        #expect(references.count > 20)
        for reference in references {
            var place: Any? = document
            for part in reference.split(separator: "/").dropFirst() { place = (place as? [String: Any])?[String(part)] }
            #expect(place != nil, "\(reference)")
        }
    }

    @Test(.enabled("where openapi-spec-validator is installed") { await canImport("openapi_spec_validator") })
    func `a validator of the specification finds nothing wrong`() async throws {
        let daemon = try await KioskdFixture()
        let file = try daemon.folder.write(try await daemon.curl("/v1/openapi.json").body, to: "openapi.json")
        let script =
            "import json,sys; from openapi_spec_validator import validate; validate(json.load(open(sys.argv[1])))"
        let result = try await ChildProcess.run(try #require(Self.python), ["-c", script, file])
        #expect(result.end.isSuccess, "\(result.standardError)")
    }

    /// Checks `NAME FILE` lines from standard input against the description's schemas.
    private static let checker = """
        import json, sys
        from jsonschema import Draft202012Validator
        document = json.load(open(sys.argv[1]))
        for line in sys.stdin:
            name, file = line.split()
            validator = Draft202012Validator({**document, "$ref": "#/components/schemas/" + name})
            for error in validator.iter_errors(json.load(open(file))):
                print(name, list(error.absolute_path), error.message)
        """

    @Test(.enabled("where jsonschema is installed") { await canImport("jsonschema") })
    func `real responses are as it describes them`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            printers: [printer.uri, "ipp://localhost:\(try freePort())/ipp/print"],
            more: "    defaults: { copies: 2 }\n",
            arguments: ["--profiles", ShippedProfiles.folder], usb: try await USBEmulator())
        let events = try ChildProcess(
            try InstalledProgram.path("curl", package: "curl"),
            ["-sSN", "--unix-socket", daemon.socket, "http://localhost/v1/events"])
        try await events.waitForOutput(":")
        let member = try await KioskdFixture(arguments: [
            "--fleet-hub", "nats://127.0.0.1:9", "--fleet-site", "0147", "--fleet-node", "kiosk-1", "--fleet-pair",
            "--fleet-configuration", "shown",
        ])
        for id in ["till-1", "till-2"] { _ = try await daemon.curl("/v1/printers/\(id)/contact", ["-X", "POST"]) }
        let responses: [(String, CurlResponse)] = [
            ("Job", try await daemon.submit("TEA", "role=receipt&wait=300&user=till&cut=full")),
            ("Job", try await daemon.submit("TEA", "printer=till-2")),
            ("Job", try await daemon.curl("/v1/jobs/1")),
            ("JobTimeline", try await daemon.curl("/v1/jobs/1/timeline")),
            ("Job", try await daemon.curl("/v1/jobs/1/reprint?printer=till-1&wait=300", ["-X", "POST"])),
            ("JobTimeline", try await daemon.curl("/v1/jobs/3/timeline")),
            ("Problem", try await daemon.curl("/v1/jobs/2/reprint", ["-X", "POST"])),
            ("JobList", try await daemon.curl("/v1/jobs?limit=1&since=2h&name=U")),
            ("PrinterList", try await daemon.curl("/v1/printers")),
            ("PrinterStatus", try await daemon.curl("/v1/printers/till-1")),
            ("PrinterStatus", try await daemon.curl("/v1/printers/till-2/contact", ["-X", "POST"])),
            ("PrinterCertificate", try await daemon.curl("/v1/printers/till-1/certificate")),
            (
                "Problem",
                try await daemon.curlJSON("POST", "/v1/printers/till-1/trust", #"{"key-fingerprint":"sha256:00"}"#)
            ),
            (
                "PrinterStatus",
                try await daemon.curlJSON(
                    "PUT", "/v1/printers/till-3",
                    #"{"url":"ipps://192.0.2.9/","trust":"ask","login-without-tls":true,"credentials":"office"}"#)
            ),
            ("DiscoveredPrinterList", try await daemon.curl("/v1/discovered-printers?scheme=usb")),
            ("Problem", try await daemon.curl("/v1/discovered-printers?scheme=tin-can")),
            ("RoleList", try await daemon.curl("/v1/roles")),
            ("ProfileList", try await daemon.curl("/v1/profiles")),
            ("Profile", try await daemon.curl("/v1/profiles/epson-tm")),
            ("Problem", try await daemon.curl("/v1/profiles/epson-tn")),
            (
                "Role",
                try await daemon.curlJSON(
                    "PUT", "/v1/roles/label",
                    #"{"printers":["till-2"],"expires-after":60,"page-limit":9,"keep":{"jobs":3600,"documents":0,"size":1000}}"#
                )
            ),
            ("Health", try await daemon.curl("/v1/health")),
            ("Fleet", try await member.curl("/v1/fleet")),
            ("Problem", try await daemon.curl("/v1/fleet")),
            ("Export", try await daemon.curl("/v1/export")),
            (
                "ImportReport",
                try await daemon.curlJSON(
                    "POST", "/v1/import",
                    String(
                        decoding: APIJSON.encode(
                            ImportRequest(export: daemon.curl("/v1/export").text, isDryRun: true)), as: UTF8.self))
            ),
            ("Problem", try await daemon.curl("/v1/jobs/99")),
            ("Problem", try await daemon.curlJSON("PUT", "/v1/roles/label", #"{"printers":["till-9"]}"#)),
            ("Job", try await daemon.curl("/v1/jobs/2", ["-X", "DELETE"])),
        ]
        var lines = ""
        for (number, (name, response)) in responses.enumerated() {
            #expect((200..<300).contains(response.status) == (name != "Problem"), "\(number) \(response.text)")
            lines += "\(name) \(try daemon.folder.write(response.body, to: "response-\(number)"))\n"
        }
        try await events.waitForOutput("\"canceled\"")
        for (number, line) in events.standardOutput.split(separator: "\n").filter({ $0.hasPrefix("data: ") })
            .enumerated()
        {
            lines += "Event \(try daemon.folder.write(Array(line.utf8.dropFirst(6)), to: "event-\(number)"))\n"
        }
        let trace = try await daemon.curl("/v1/printers/till-1/trace?for=1").text
        for (number, line) in trace.split(separator: "\n").filter({ $0.hasPrefix("data: ") }).enumerated() {
            lines += "TraceEvent \(try daemon.folder.write(Array(line.utf8.dropFirst(6)), to: "trace-\(number)"))\n"
        }
        let discovery = try await daemon.curl("/v1/discovery?connection=usb").text
        for (number, line) in discovery.split(separator: "\n").filter({ $0.hasPrefix("data: ") }).enumerated() {
            lines += "DiscoveryEvent \(try daemon.folder.write(Array(line.utf8.dropFirst(6)), to: "found-\(number)"))\n"
        }
        let file = try daemon.folder.write(try await daemon.curl("/v1/openapi.json").body, to: "openapi.json")
        let result = try await ChildProcess.run(try #require(Self.python), ["-c", Self.checker, file], input: lines)
        #expect(result.end.isSuccess, "\(result.standardError)")
        #expect(result.standardOutput.isEmpty, "\(result.standardOutput)")
    }
}
