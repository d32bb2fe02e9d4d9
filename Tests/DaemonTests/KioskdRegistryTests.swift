import Foundation
import Glibc
import KioskAPI
import PrintModel
import SimulatedPrinter
import TestSupport
import Testing

/// The registry, changed through the API, the command line and by hand, while the daemon runs.
@Suite struct KioskdRegistryTests {
    @Test func `a printer that is saved and assigned by the command line prints the next receipt`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture()
        for arguments in [["printers", "add", "till-1", printer.uri], ["roles", "assign", "receipt", "till-1"]] {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
            #expect(result.end.isSuccess, "\(result.standardError)")
        }
        #expect(try await daemon.submit("TEA", "role=receipt&wait=30").json(Job.self).state == .completed)
    }

    @Test func `PUT creates, replaces and is in force at once; DELETE takes away`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture()
        let body = #"{"url":"\#(printer.uri)","location":"Bar"}"#
        #expect(try await daemon.curlJSON("PUT", "/v1/printers/bar-1", body).status == 201)
        #expect(try await daemon.curlJSON("PUT", "/v1/printers/bar-1", body).status == 200)
        #expect(try await daemon.curlJSON("PUT", "/v1/roles/receipt", #"{"printers":["bar-1"]}"#).status == 201)
        #expect(try await daemon.submit("TEA", "role=receipt&wait=30").status == 200)
        let role = try await daemon.curl("/v1/roles/receipt").json(Role.self)
        #expect(role.jobType == .receipt)
        #expect(try await daemon.curl("/v1/printers/bar-1").json(PrinterStatus.self).roles.map(\.rawValue) == ["receipt"])
        #expect(try await daemon.curl("/v1/roles/receipt", ["-X", "DELETE"]).status == 204)
        #expect(try await daemon.curl("/v1/printers/bar-1", ["-X", "DELETE"]).status == 204)
        #expect(try await daemon.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
    }

    @Test func `printers are filtered by role, job type and availability`() async throws {
        let receipt = try await SimulatedPrinter.start()
        let laser = try await SimulatedPrinter.start(.init(.laser))
        let daemon = try await KioskdFixture(
            printers: [receipt.uri, laser.uri, "ipp://localhost:\(try freePort())/ipp/print"],
            more: "  page:\n    printers: [till-3, till-2]\n")
        for id in ["till-1", "till-2", "till-3"] { _ = try await daemon.curl("/v1/printers/\(id)/contact", ["-X", "POST"]) }
        func ids(_ query: String) async throws -> [String] {
            try await daemon.curl("/v1/printers?\(query)").json(PrinterList.self).printers.map(\.printer.id.rawValue)
        }
        #expect(try await ids("") == ["till-1", "till-2", "till-3"])
        #expect(try await ids("role=page") == ["till-3", "till-2"])
        #expect(try await ids("job-type=receipt") == ["till-1"])
        #expect(try await ids("available=true") == ["till-1", "till-2"])
        #expect(try await ids("available=false&role=page") == ["till-3"])
    }

    enum Nudge: String, CaseIterable { case signal, request, none }

    @Test(arguments: Nudge.allCases)
    func `an edit by hand comes into force; a broken one shows in health, and the last good one stays`(
        nudge: Nudge
    ) async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        func edit(_ text: String) async throws {
            try daemon.folder.write(text, to: "printers.yaml.new")
            #expect(rename(daemon.folder.appending("printers.yaml.new"), daemon.registryPath) == 0)
            switch nudge {
            case .signal: try daemon.process.signal(SIGHUP)
            case .request: _ = try await daemon.curl("/v1/registry/reload", ["-X", "POST"])
            case .none: break
            }
        }
        try await edit(KioskdFixture.registry([printer.uri], role: "kitchen"))
        try await eventually("the new role") { try await daemon.curl("/v1/roles/kitchen").status == 200 }

        try await edit("version: 1\nprinters:\n  - { id: till-1, ulr: nowhere }\n")
        try await eventually("the problem in health") {
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.contains { check in
                check.code == "registry-refused" && check.message.contains("printers.yaml:3:")
            }
        }
        #expect(try await daemon.submit("TEA", "role=kitchen&wait=30").json(Job.self).state == .completed)
        if nudge == .request {
            let refused = try await daemon.curl("/v1/registry/reload", ["-X", "POST"])
            #expect(refused.status == 422)
            #expect(try refused.json(Problem.self).problems?.first?.line == 3)
        }
        try await edit(KioskdFixture.registry([printer.uri]))
        try await eventually("health without it") {
            try await !daemon.curl("/v1/health").json(HealthReport.self).checks.contains { $0.code == "registry-refused" }
        }
    }

    @Test func `a registry that is broken from the start lets the daemon live, and tells where`() async throws {
        let daemon = try await KioskdFixture(registry: "printers: [\n")
        let health = try await daemon.curl("/v1/health").json(HealthReport.self)
        #expect(health.checks.contains { $0.code == "registry-refused" && $0.message.contains("printers.yaml:") })
        let change = try await daemon.curlJSON("PUT", "/v1/printers/till-1", #"{"url":"ipp://host/ipp/print"}"#)
        #expect(change.status == 422)
        #expect(try readFile(daemon.registryPath) == Array("printers: [\n".utf8))
    }

    @Test func `--check says whether a registry is valid`() async throws {
        let folder = try TemporaryFolder()
        let program = try BuiltProducts.path("kioskd")
        let good = try folder.write(KioskdFixture.registry(["ipp://host/ipp/print"]), to: "good.yaml")
        let valid = try await ChildProcess.run(program, ["--check", "--registry", good, "--state-dir", folder.path])
        #expect(valid.end == .exited(0))
        #expect(valid.standardOutput.contains("1 printer"))
        let bad = try folder.write("version: 1\nprintres: []\n", to: "bad.yaml")
        let broken = try await ChildProcess.run(program, ["--check", "--registry", bad, "--state-dir", folder.path])
        #expect(broken.end == .exited(78))
        #expect(broken.standardOutput.contains("bad.yaml:2:1"))
        let missing = try await ChildProcess.run(program, ["--check", "--registry", "/nonexistent/x.yaml", "--state-dir", folder.path])
        #expect(missing.end == .exited(78))
    }
}
