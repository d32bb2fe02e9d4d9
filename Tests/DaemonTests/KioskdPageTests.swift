import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// The admin page over the socket, as a browser without a script uses it.
@Suite struct KioskdPageTests {
    private static let registry = """
        version: 1
        printers:
          - { id: till-1, url: "ipp://127.0.0.1:9/ipp/print", name: "<b>Till</b>" }
          - { id: till-2, url: "ipp://127.0.0.1:9/ipp/second" }
        roles:
          receipt: { printers: [till-1, till-2] }
        """

    /// The value of a hidden field in a screen.
    private func hidden(_ name: String, in html: String) throws -> String {
        let pattern = try Regex("name=\"\(name)\" value=\"([^\"]*)\"")
        let found = try #require(try pattern.firstMatch(in: html))
        return String(try #require(found.output[1].substring))
    }

    private func post(_ daemon: KioskdFixture, _ path: String, _ fields: [String: String]) async throws -> CurlResponse
    {
        let form = fields.sorted { $0.key < $1.key }.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
        return try await daemon.curl(path, form)
    }

    @Test(arguments: [
        "/", "/printers/till-1", "/printers/till-1/remove", "/roles", "/roles/receipt", "/roles/receipt/remove",
        "/health", "/changes", "/changes/1",
    ])
    func `each screen is HTML that runs nothing of others and is not stored`(_ path: String) async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        let response = try await daemon.curl(path)
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/html; charset=utf-8")
        #expect(response.headers["cache-control"] == "no-store")
        let policy = try #require(response.headers["content-security-policy"])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(!response.text.contains("<b>Till</b>"))
        #expect(response.text.contains("</html>"))
    }

    @Test func `screens speak the reader's language, and say what is not there`() async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        let german = try await daemon.curl("/roles", ["-H", "Accept-Language: de-CH"])
        #expect(german.text.contains("<html lang=\"de\">") && german.text.contains("Rollen"))
        let missing = try await daemon.curl("/printers/nobody")
        #expect(missing.status == 404 && missing.text.contains("</html>"))
        #expect(try await daemon.curl("/nowhere").headers["content-type"] == "application/problem+json")
    }

    @Test func `the fleet has a screen where the kiosk belongs to one`() async throws {
        let member = try await KioskdFixture(
            arguments: ["--fleet-hub", "nats://127.0.0.1:9", "--fleet-site", "0147", "--fleet-node", "kiosk-1"])
        let screen = try await member.curl("/fleet")
        #expect(screen.status == 200 && screen.text.contains("aria-current=\"page\""))
        #expect(screen.text.contains("nats://127.0.0.1:9") && screen.text.contains("Not connected"))
        #expect(try await member.curl("/").text.contains("href=\"/fleet\""))
        let alone = try await KioskdFixture()
        let missing = try await alone.curl("/fleet")
        #expect(missing.status == 404 && missing.text.contains("--fleet-hub") && missing.text.contains("</html>"))
        #expect(try await !alone.curl("/").text.contains("href=\"/fleet\""))
    }

    @Test func `files are kept for good under the URL that names their content`() async throws {
        let daemon = try await KioskdFixture()
        let page = try await daemon.curl("/").text
        let match = try #require(page.firstMatch(of: /\/assets\/page\.css\?v=[a-z0-9]+/))
        let style = try await daemon.curl(String(match.output))
        #expect(style.status == 200 && style.headers["content-type"] == "text/css; charset=utf-8")
        #expect(style.headers["cache-control"]?.contains("immutable") == true)
        let tag = try #require(style.headers["etag"])
        let plain = try await daemon.curl("/assets/page.css", ["-H", "If-None-Match: \(tag)"])
        #expect(plain.status == 304 && plain.body.isEmpty)
        #expect(try await daemon.curl("/assets/../printers.yaml", ["--path-as-is"]).status == 404)
    }

    @Test func `of two people who edit a printer at once the second is told, and nothing is overwritten`() async throws
    {
        let daemon = try await KioskdFixture(registry: Self.registry)
        let screen = try await daemon.curl("/printers/till-1").text
        let revision = try hidden("revision", in: screen)
        let url = "ipp://127.0.0.1:9/ipp/print"
        let first = try await post(
            daemon, "/printers/till-1", ["revision": revision, "url": url, "name": "First", "job-types": "receipt"])
        #expect(first.status == 303 && first.headers["location"] == "/printers/till-1?done=printer-saved")
        let second = try await post(
            daemon, "/printers/till-1", ["revision": revision, "url": url, "name": "Second"])
        #expect(second.status == 412)
        #expect(second.text.contains("value=\"Second\"") && second.text.contains("Saved now: First"))
        let saved = try await daemon.curl("/v1/printers/till-1").json(PrinterStatus.self).printer
        #expect(saved.name == "First" && saved.jobTypes == .receipt)
        let again = try await post(
            daemon, "/printers/till-1",
            ["revision": try hidden("revision", in: second.text), "url": url, "name": "Second"])
        #expect(again.status == 303)
        let wrong = try await post(daemon, "/printers/till-1", ["revision": revision, "url": "nonsense"])
        #expect(wrong.status == 422 && wrong.text.contains("aria-invalid"))
    }

    @Test func `the order of a role changes by its buttons, and only as long as it is the one that was shown`()
        async throws
    {
        let daemon = try await KioskdFixture(registry: Self.registry)
        let revision = try hidden("revision", in: try await daemon.curl("/roles").text)
        let moved = try await post(daemon, "/roles/receipt/printers", ["revision": revision, "down": "till-1"])
        #expect(moved.status == 303)
        func order() async throws -> [String] {
            try await daemon.curl("/v1/roles/receipt").json(Role.self).printers.map(\.rawValue)
        }
        #expect(try await order() == ["till-2", "till-1"])
        let late = try await post(daemon, "/roles/receipt/printers", ["revision": revision, "remove": "till-1"])
        #expect(late.status == 412)
        #expect(try await order() == ["till-2", "till-1"])
        #expect(try await daemon.curl("/roles/receipt/printers?down=till-2").status == 405)
    }

    @Test func `a removed printer comes back when the version before is restored`() async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        let question = try await daemon.curl("/printers/till-1/remove").text
        let removed = try await post(
            daemon, "/printers/till-1/remove", ["revision": try hidden("revision", in: question)])
        #expect(removed.status == 303)
        #expect(try await daemon.curl("/v1/printers/till-1").status == 404)
        let restore = try await daemon.curl("/changes/1").text
        let newest = try hidden("newest", in: restore)
        #expect(newest == "2")
        #expect(try await post(daemon, "/changes/1/restore", ["newest": "1"]).status == 412)
        #expect(try await post(daemon, "/changes/1/restore", ["newest": newest]).status == 303)
        let roles = try await daemon.curl("/v1/printers/till-1").json(PrinterStatus.self).roles
        #expect(roles == ["receipt"])
        let list = try await daemon.curl("/v1/registry/versions").json(RegistryVersionList.self)
        #expect(list.versions.map(\.number) == [3, 2, 1])
        let first = try await daemon.curl("/v1/registry/versions/1").json(RegistryVersionText.self)
        #expect(first.text == Self.registry)
        #expect(try await daemon.curl("/v1/registry/versions/99").status == 404)
    }

    @Test func `a change through the API with an old ETag is refused`() async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        for (path, body) in [
            ("/v1/printers/till-1", #"{"url":"ipp://127.0.0.1:9/ipp/print","name":"A"}"#),
            ("/v1/roles/receipt", #"{"printers":["till-2"]}"#),
        ] {
            let tag = try #require(try await daemon.curl(path).headers["etag"])
            let put = ["-X", "PUT", "-H", "Content-Type: application/json", "--data-binary", body]
            let changed = try await daemon.curl(path, put + ["-H", "If-Match: \(tag)"])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
            let late = try await daemon.curl(path, put + ["-H", "If-Match: \(tag)"])
            #expect(late.status == 412)
            #expect(try late.json(Problem.self).code == .changedMeanwhile)
            #expect(try await daemon.curl(path, put + ["-H", "If-Match: *"]).status == 200)
            #expect(try await daemon.curl(path, put + ["-H", "If-None-Match: *"]).status == 412)
            #expect(try await daemon.curl(path, ["-X", "DELETE", "-H", "If-Match: \(tag)"]).status == 412)
        }
    }
}
