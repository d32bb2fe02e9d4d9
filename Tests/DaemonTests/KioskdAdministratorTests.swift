import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import KioskAPI
import KioskDaemonSupport
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import KioskTestSupport
import Logging
import NIOEmbedded
import Testing

@testable import kioskd

/// Whoever may print may not say where passwords are sent.
@Suite struct KioskdAdministratorTests {
    private static let stranger = Caller(user: 4711, groups: [4711, 27])

    @Test(arguments: [
        (Caller(user: 0, groups: [0]), true), (Caller(user: 990, groups: []), true), (stranger, false),
        (Caller(user: 4711, groups: [50]), true), (Caller(user: 4711, groups: [4711, 27, 50]), true),
    ])
    func `root, the daemon's own user and the group's members are administrators`(caller: Caller, isOne: Bool) {
        #expect(Administrators(ownUser: 990, group: 50).include(caller) == isOne)
    }

    @Test func `without a group nobody is one by membership`() {
        #expect(!Administrators(ownUser: 990, group: nil).include(Caller(user: 4711, groups: [0, 50, 990])))
    }

    /// What each route responds to a caller with: the code of its problem, or its status.
    private func responses(to caller: Caller) async throws -> [String: String] {
        let folder = try TemporaryFolder()
        let registry = await RegistryStore(path: folder.appending("printers.yaml"))
        let engine = try await PrintEngine(
            configuration: EngineConfiguration(stateDirectory: folder.path), registry: registry, transports: [],
            logger: Logger(label: "test"))
        let router = APIRoutes.router(
            engine: engine, registry: registry, maximumDocumentLength: 1,
            administrators: Administrators(ownUser: 990, group: 50))
        let responder = APIResponder(router: router, logger: Logger(label: "test"))
        let channel = NIOAsyncTestingChannel()
        var responses: [String: String] = [:]
        for line in RouteTable(router).lines where line.contains(" /v1/") && !line.hasSuffix("/events") {
            let (method, path) = try #require(line.split(separator: " ").tuple)
            let request = Request(
                head: HTTPRequest(
                    method: try #require(HTTPRequest.Method(method)), scheme: "http", authority: "localhost",
                    path: path.replacingOccurrences(of: "{id}", with: "x").replacingOccurrences(of: "{name}", with: "x")
                        .replacingOccurrences(of: "{number}", with: "1")
                ),
                body: RequestBody(buffer: .init()))
            let response = await responder.response(
                to: request,
                APIContext.Source(
                    channel: channel, caller: caller, presence: ClientPresence(), limits: CallerLimits(),
                    logger: Logger(label: "test")))
            responses[line] = response.status == .forbidden ? "not-allowed" : "\(response.status.code)"
        }
        return responses
    }

    @Test func `exactly the routes that change the registry, trace a printer or have it identify itself refuse others`()
        async throws
    {
        let refusing = try await responses(to: Self.stranger).filter { $0.value == "not-allowed" }.keys.sorted()
        #expect(
            refusing == [
                "DELETE /v1/printers/{id}", "DELETE /v1/roles/{name}", "DELETE /v1/standby/{node}/{id}",
                "DELETE /v1/tokens/{id}", "GET /v1/audit", "GET /v1/export", "GET /v1/printers/{id}/trace",
                "GET /v1/recent-printers", "GET /v1/registry/versions", "GET /v1/registry/versions/{number}",
                "GET /v1/standby", "GET /v1/tokens", "HEAD /v1/audit", "HEAD /v1/export",
                "HEAD /v1/printers/{id}/trace", "HEAD /v1/recent-printers", "HEAD /v1/registry/versions",
                "HEAD /v1/registry/versions/{number}", "HEAD /v1/standby", "HEAD /v1/tokens",
                "POST /v1/export", "POST /v1/import", "POST /v1/login-codes", "POST /v1/printers/{id}/identify",
                "POST /v1/printers/{id}/trust", "POST /v1/probe", "POST /v1/registry/versions/{number}/restore",
                "POST /v1/tokens", "PUT /v1/printers/{id}", "PUT /v1/roles/{name}", "PUT /v1/standby/{node}/{id}",
            ])
        #expect(try await !responses(to: Caller(user: 4711, groups: [50])).values.contains("not-allowed"))
    }

    /// As another user, with curl: what the kernel says of it counts.
    private func put(
        _ daemon: KioskdFixture, _ socket: String, _ identity: [String]
    ) async throws -> (status: String, body: String) {
        let setpriv = try InstalledProgram.path("setpriv", package: "util-linux")
        let curl = try InstalledProgram.path("curl", package: "curl")
        let result = try await ChildProcess.run(
            setpriv,
            identity + [
                curl, "-sS", "--unix-socket", socket, "-X", "PUT", "-H", "Content-Type: application/json",
                "--data-binary",
                #"{"url":"ipp://192.0.2.1/","credentials":"office"}"#, "-w", "\n%{http_code}",
                "http://localhost/v1/printers/evil",
            ])
        let lines = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(result.end.isSuccess, "\(result.standardError)")
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test(.enabled(if: geteuid() == 0))
    func `another user who may connect cannot save a printer, but a group's member can`() async throws {
        let folder = try TemporaryFolder("admins")
        #expect(chmod(folder.path, 0o711) == 0)
        let daemon = try await KioskdFixture(
            folder: folder, arguments: ["--socket-mode", "0666", "--admin-group", "65533"])
        let other = ["--reuid", "65534", "--regid", "65534"]
        let refused = try await put(daemon, daemon.socket, other + ["--clear-groups"])
        #expect(refused.status == "403")
        let problem = try APIJSON.decode(Problem.self, from: Array(refused.body.utf8))
        #expect(problem.code == .notAllowed)
        for words in ["user 65534", "group 65533", "sudo"] { #expect(problem.detail?.contains(words) == true) }
        #expect(try await daemon.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
        #expect(try await put(daemon, daemon.socket, other + ["--groups", "65533"]).status == "201")
        #expect(
            try await put(daemon, daemon.socket, ["--reuid", "65534", "--regid", "65533", "--clear-groups"]).status
                == "200")
    }
}

extension [Substring] {
    fileprivate var tuple: (String, String)? { count == 2 ? (String(self[0]), String(self[1])) : nil }
}
