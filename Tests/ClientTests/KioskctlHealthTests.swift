import Foundation
import Glibc
import KioskAPI
import KioskBlockingClient
import KioskPrintModel
import KioskTestSupport
import Testing

@Suite struct KioskctlHealthTests {
    @Test(arguments: HealthReport.Status.allCases) func `health ends with the plugin's code`(
        _ status: HealthReport.Status
    ) async throws {
        let report = HealthReport(
            checks: [.init(code: "test", status: status, message: "so it is")], printersAvailable: 1, printersSaved: 1,
            jobsWaiting: 0, jobsUnconfirmed: 0, oldestWaitingSeconds: nil)
        let result = try await KioskctlProgram.run(["health"], KioskctlProgram.server([Samples.json(report)]))
        #expect(result.end == .exited(status.exitCode))
        #expect(result.standardOutput.hasPrefix("KIOSKD \(status.rawValue.uppercased()) - "))
        #expect(result.standardOutput.filter { $0 == "\n" }.count == 1)
    }

    @Test func `health of a daemon that is not there is critical, as JSON too`() async throws {
        let line = try await KioskctlProgram.run(["health"])
        #expect(line.end == .exited(2))
        #expect(line.standardOutput.hasPrefix("KIOSKD CRITICAL - kioskd is not running"))
        let json = try await KioskctlProgram.run(["health", "--json"])
        #expect(json.end == .exited(2))
        #expect(try APIJSON.decode(HealthReport.self, from: Array(json.standardOutput.utf8)).status == .critical)
    }

    @Test func `health of a daemon that hangs is unknown`() async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            _ = peer.waitForEnd()
        }
        let result = try await KioskctlProgram.run(["health", "--timeout", "1"], server)
        #expect(result.end == .exited(3))
        #expect(result.standardOutput.hasPrefix("KIOSKD UNKNOWN - "))
        #expect(result.standardOutput.contains("did not respond in time"))
    }

    @Test func `health of a host that accepts nobody is unknown`() async throws {
        let listener = try FullListener()
        let folder = try TemporaryFolder("health")
        let token = try folder.write("kiosk_token\n", to: "token")
        #expect(chmod(token, 0o600) == 0)
        let result = try await KioskctlProgram.run(
            ["health", "--timeout", "1", "--host", "http://127.0.0.1:\(listener.port)", "--token-file", token])
        #expect(result.end == .exited(3))
        #expect(result.standardOutput.hasPrefix("KIOSKD UNKNOWN - "))
    }

    @Test(.timeLimit(.minutes(1))) func `the time for a call ends it, whatever time its response has`() throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            _ = peer.waitForEnd()
        }
        var options = BlockingClient.Options()
        options.responseTimeout = .seconds(3600)
        options.totalTimeout = .milliseconds(1)
        let client = BlockingClient(socket: SocketLocation(path: server.path), options: options)
        #expect(throws: KioskClientError.self) { _ = try client.perform(.health()) }
    }

    @Test func `a mistaken command line is UNKNOWN, as plugins have it`() async throws {
        #expect(try await KioskctlProgram.run(["health", "--timeout", "soon"]).end == .exited(3))
        let both = try await KioskctlProgram.run(["health", "--role", "receipt", "--printer", "till-1"])
        #expect(both.end == .exited(3))
        #expect(both.standardError.contains("Name a role or a printer, not both."))
        let noToken = ["health", "--host", "http://127.0.0.1:9", "--token-file", "/nonexistent/token"]
        let result = try await KioskctlProgram.run(noToken)
        #expect(result.end == .exited(3))
        #expect(result.standardOutput.hasPrefix("KIOSKD UNKNOWN - "))
    }
}
