import Foundation
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Tokens, one-time codes, sessions and the audit, over the daemon's socket.
@Suite struct KioskdAccessTests {
    private func object(_ response: CurlResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    private func audit(_ daemon: KioskdFixture, _ query: String = "") async throws -> [[String: Any]] {
        let response = try await daemon.curl("/v1/audit\(query)")
        #expect(response.status == 200)
        return try #require(try object(response)["entries"] as? [[String: Any]])
    }

    @Test func `a token is made, listed without its secret, and revoked`() async throws {
        let daemon = try await KioskdFixture()
        let made = try await daemon.curlJSON(
            "POST", "/v1/tokens",
            #"{"name":"till-1","scopes":["print:receipt","drawer"],"expires-in":3600,"origins":["https://Till.example"]}"#
        )
        #expect(made.status == 201)
        #expect(made.headers["cache-control"] == "no-store")
        let secret = try #require(try object(made)["secret"] as? String)
        #expect(secret.hasPrefix("kiosk_"))
        let listed = try await daemon.curl("/v1/tokens")
        #expect(!listed.text.contains(secret))
        let tokens = try #require(try object(listed)["tokens"] as? [[String: Any]])
        #expect(tokens.count == 1)
        #expect(tokens[0]["name"] as? String == "till-1")
        #expect(tokens[0]["scopes"] as? [String] == ["drawer", "print:receipt"])
        #expect(tokens[0]["origins"] as? [String] == ["https://till.example"])
        #expect(tokens[0]["expired"] as? Bool == false)
        #expect(tokens[0]["created-by"] as? String == "uid:\(getuid())")
        #expect(try await daemon.curl("/v1/tokens/1", ["-X", "DELETE"]).status == 204)
        #expect(try await daemon.curl("/v1/tokens/1", ["-X", "DELETE"]).status == 404)
        #expect(!daemon.log.contains(secret))
        #expect(!String(decoding: try daemon.folder.read("tokens.json"), as: UTF8.self).contains(secret))
        #expect(!String(decoding: try daemon.folder.read("audit.jsonl"), as: UTF8.self).contains(secret))
        let actions = try await audit(daemon).compactMap { $0["action"] as? String }
        // The second was for a token that was gone.
        #expect(actions == ["token.revoke", "token.revoke", "token.make"])
    }

    /// An entry without what differs from one to the next.
    private func form(_ entry: [String: Any], _ id: String) -> [String: String] {
        entry.compactMapValues { $0 as? String }.filter { $0.key != "time" }
            .mapValues { $0.replacing("\(id) (", with: "N (").replacing("token \(id);", with: "token N;") }
            .mapValues { $0 == id ? "N" : $0 }
    }

    @Test func `the page's forms and the API note the same of tokens, also of a revoking that failed`() async throws {
        let daemon = try await KioskdFixture()
        _ = try await daemon.curlJSON(
            "POST", "/v1/tokens",
            #"{"name":"till","scopes":["read"],"origins":["https://till.example"],"expires-at":"2100-01-01T00:00:00Z"}"#
        )
        for _ in 1...2 { _ = try await daemon.curl("/v1/tokens/1", ["-X", "DELETE"]) }
        let form = ["name=till", "scope=read", "days=0", "origins=https://till.example"].flatMap { ["-d", $0] }
        #expect(try await daemon.curl("/tokens", form).status == 201)
        #expect(try await daemon.curl("/tokens/2/revoke", ["-X", "POST"]).status == 303)
        let failed = try await daemon.curl("/tokens/2/revoke", ["-X", "POST"])
        #expect(failed.status == 404)
        let entries = try await audit(daemon).reversed().map { $0 }
        #expect(entries.count == 6)
        try #require(entries.count == 6)
        let api = entries[..<3].map { self.form($0, "1") }
        let page = entries[3...].map { self.form($0, "2") }
        #expect(page[2] == api[2])
        #expect(api[2]["outcome"] == "failed" && api[2]["object"] == "N" && api[2]["message"] != nil)
        for (entry, text) in [(api[0], "after"), (api[1], "before")] {
            #expect(entry["actor"] == "uid:\(getuid())" && entry["object"] == "N (till)")
            #expect(entry[text] == "read; origins https://till.example; until 2100-01-01T00:00:00.000Z")
        }
        for (entry, text) in [(page[0], "after"), (page[1], "before")] {
            #expect(entry["actor"] == "uid:\(getuid())" && entry["object"] == "N (till)")
            #expect(entry[text] == "read; origins https://till.example")
        }
        #expect(page.map { Set($0.keys) } == api.map { Set($0.keys) })
    }

    @Test(.enabled(if: geteuid() == 0))
    func `what the page denies stands in the audit, in the file of denials, and kioskctl shows both`() async throws {
        let folder = try TemporaryFolder("access")
        #expect(chmod(folder.path, 0o711) == 0)
        let daemon = try await KioskdFixture(folder: folder, arguments: ["--socket-mode", "0666"])
        _ = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till","scopes":["read"]}"#)
        let curl = try InstalledProgram.path("curl", package: "curl")
        for arguments in [["http://localhost/health"], ["-d", "name=x", "http://localhost/tokens"]] {
            let response = try await ChildProcess.run(
                try InstalledProgram.path("setpriv", package: "util-linux"),
                ["--reuid", "daemon", "--regid", "daemon", "--clear-groups", "--", curl, "-sS", "-o", "/dev/null"]
                    + ["-w", "%{http_code}", "--unix-socket", daemon.socket] + arguments)
            #expect(response.standardOutput == "403", "\(response.standardError)")
        }
        _ = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till-2","scopes":["read"]}"#)
        let entries = try await audit(daemon)
        #expect(
            entries.map { $0["action"] as? String } == ["token.make", "POST /tokens", "GET /health", "token.make"])
        #expect(entries.map { $0["outcome"] as? String } == ["done", "denied", "denied", "done"])
        #expect(entries.map { $0["actor"] as? String } == ["uid:0", "uid:1", "uid:1", "uid:0"])
        #expect(entries.map { $0["id"] as? Int } == [4, 3, 2, 1])
        func lines(_ name: String) throws -> Int { try daemon.folder.read(name).split(separator: 10).count }
        #expect(try lines("audit.jsonl") == 2)
        #expect(try lines("denied.jsonl") == 2)
        let shown = try await daemon.kioskctl("audit")
        #expect(shown.standardOutput.matches(of: /denied/).count == 2)
        #expect(shown.standardOutput.matches(of: /token\.make/).count == 2)
    }

    @Test func `a damaged file of the audit is moved aside, and the daemon starts, and says so`() async throws {
        let folder = try TemporaryFolder("access")
        #expect(mkdir(folder.appending("audit.jsonl"), 0o700) == 0)
        let daemon = try await KioskdFixture(folder: folder)
        _ = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till","scopes":["read"]}"#)
        #expect(try await audit(daemon).count == 1)
        let checks = try await daemon.curl("/v1/health").json(HealthReport.self).checks
        let check = try #require(checks.first { $0.code == "audit-damaged" })
        #expect(check.status == .warning)
        #expect(check.message.contains(folder.appending("audit.jsonl.damaged-")))
        #expect(daemon.log.contains("it is kept as \(folder.appending("audit.jsonl.damaged-"))"))
        let page = try await daemon.curl("/health", ["-H", "Accept-Language: en"])
        #expect(page.text.contains("A file of the audit log was damaged"))
    }

    @Test(arguments: [
        (#"{"name":"a","scopes":["everything"]}"#, 400, "is not a scope"),
        (#"{"name":"a","scopes":[]}"#, 400, "scopes"),
        (#"{"name":"","scopes":["read"]}"#, 400, "name"),
        (#"{"name":"a","scopes":["read"],"expires-in":0}"#, 400, "seconds from 1"),
        (#"{"name":"a","scopes":["read"],"expires-in":9223372036854775807}"#, 400, "100 years"),
        (#"{"name":"a","scopes":["read"],"expires-in":60,"expires-at":"2100-01-01T00:00:00Z"}"#, 400, "one of them"),
        (#"{"name":"a","scopes":["read"],"expires-at":"2001-01-01T00:00:00Z"}"#, 400, "is over"),
        (#"{"name":"a","scopes":["read"],"origins":["null"]}"#, 400, "is not an origin"),
        (#"{"name":"a","scopes":["read"],"scope":"admin"}"#, 400, "not known"),
        (#"{"name":"a","scopes":"read"}"#, 400, "list"),
    ])
    func `a token that is not valid is refused`(_ body: String, _ status: Int, _ reason: String) async throws {
        let response = try await KioskdFixture().curlJSON("POST", "/v1/tokens", body)
        #expect(response.status == status)
        #expect(response.text.contains(reason), "\(response.text)")
    }

    @Test(arguments: ["0", "01", "+1", "-1", "x", "4294967296", "%00", "1%20"])
    func `an id that no token has is unknown`(_ id: String) async throws {
        let response = try await KioskdFixture().curl("/v1/tokens/\(id)", ["-X", "DELETE"])
        #expect(response.status == 404)
        #expect(response.text.contains("unknown-token"))
    }

    @Test func `a one-time code logs in once, and the session ends at logout`() async throws {
        let daemon = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:0"])
        let port = try await eventuallyValue("the daemon to listen over TCP") {
            daemon.log.firstMatch(of: /listening at http:\/\/[^ ]*:([0-9]+)\n/).map { String($0.1) }
        }
        func remote(_ path: String, _ arguments: [String] = []) async throws -> (status: String, output: String) {
            let result = try await ChildProcess.run(
                try InstalledProgram.path("curl", package: "curl"),
                ["-sS", "-i", "-w", "\n%{http_code}"] + arguments + ["http://127.0.0.1:\(port)\(path)"])
            return (result.standardOutput.split(separator: "\n").last.map(String.init) ?? "", result.standardOutput)
        }
        let made = try await daemon.curl("/v1/login-codes", ["-X", "POST"])
        #expect(made.status == 201)
        let code = try #require(try object(made)["code"] as? String)
        #expect(try object(made)["path"] as? String == "/login#\(code)")
        let form = ["--data-urlencode", "code= \(code.lowercased())"]
        let login = try await remote("/login", form)
        #expect(login.status == "303")
        let cookie = try #require(login.output.firstMatch(of: /(?i)set-cookie: ([^\r\n]*)/).map { String($0.1) })
        #expect(cookie.hasPrefix("kioskd-\(port)="))
        for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] { #expect(cookie.contains(word)) }
        let again = try await remote("/login", form)
        #expect(again.status == "403")
        #expect(!again.output.lowercased().contains("set-cookie"))
        #expect(again.output.contains("role=\"alert\""))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try await remote("/v1/tokens").status == "401")
        #expect(try await remote("/v1/tokens", ["-b", pair]).status == "200")
        // A code is made by whoever the kernel knows, not by a session.
        #expect(try await remote("/v1/login-codes", ["-b", pair, "-X", "POST"]).status == "403")
        #expect(try await remote("/logout", ["-b", "a=b; \(pair)", "-X", "POST"]).status == "303")
        #expect(try await remote("/v1/tokens", ["-b", pair]).status == "401")
        let entries = try await audit(daemon)
        let actions = entries.compactMap { $0["action"] as? String }
        #expect(actions.filter { $0.hasPrefix("log") } == ["logout", "login", "login", "login-code.make"])
        #expect(entries.first { $0["action"] as? String == "login" }?["address"] as? String == "127.0.0.1")
        let written = daemon.log + String(decoding: try daemon.folder.read("audit.jsonl"), as: UTF8.self)
        #expect(!written.contains(code))
        #expect(!written.contains(pair.split(separator: "=")[1]))
    }

    @Test func `a script logs in by JSON`() async throws {
        let daemon = try await KioskdFixture()
        let code = try #require(
            try object(try await daemon.curl("/v1/login-codes", ["-X", "POST"]))["code"] as? String)
        let wrong = try await daemon.curlJSON("POST", "/login", #"{"code":"0000-0000"}"#)
        #expect(wrong.status == 403)
        #expect(wrong.text.contains("wrong-login-code"))
        let login = try await daemon.curlJSON("POST", "/login", #"{"code":"\#(code)"}"#)
        #expect(login.status == 200)
        #expect(login.headers["set-cookie"] != nil)
        #expect(try object(login)["expires-at"] is String)
    }

    @Test func `a guesser must wait, with words and a time`() async throws {
        let daemon = try await KioskdFixture()
        // However slow the tries are, the twentieth failure blocks for minutes.
        try await eventually("the wait") {
            let response = try await daemon.curlJSON("POST", "/login", #"{"code":"0000-0000"}"#)
            #expect([403, 429].contains(response.status))
            return response.text.contains("try again in 2") || response.text.contains("try again in 300")
        }
        let page = try await daemon.curl("/login", ["-d", "code=0000-0000"])
        #expect(page.status == 429)
        #expect(Int(page.headers["retry-after"] ?? "").map { $0 > 1 } == true)
    }

    @Test(arguments: [["-d", "code"], ["-d", ""], ["-H", "Content-Type: text/plain", "-d", "code=x"], ["-d", "%"]])
    func `a login that is none opens nothing`(_ arguments: [String]) async throws {
        let response = try await KioskdFixture().curl("/login", ["-X", "POST"] + arguments)
        #expect([400, 403].contains(response.status))
        #expect(response.headers["set-cookie"] == nil)
    }

    @Test func `the login page needs no script, loads nothing from elsewhere, and may not be framed`() async throws {
        let page = try await KioskdFixture().curl("/login", ["-H", "Accept-Language: de"])
        #expect(page.status == 200)
        #expect(page.text.contains("<html lang=\"de\">"))
        #expect(page.text.contains("method=\"post\" action=\"/login\""))
        #expect(!page.text.contains("http"))
        #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
        #expect(page.headers["cache-control"] == "no-store")
    }

    @Test(arguments: ["/login", "/", "/tokens", "/health", "/jobs"])
    func `each screen tells browsers what not to do`(_ path: String) async throws {
        let page = try await KioskdFixture().curl(path, ["-H", "Accept: text/html"])
        #expect(page.status == 200)
        let policy = page.headers["content-security-policy"] ?? ""
        for directive in ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"] {
            #expect(policy.contains(directive), "\(policy)")
        }
        #expect(page.headers["x-content-type-options"] == "nosniff")
        #expect(page.headers["referrer-policy"] == "no-referrer")
        #expect(page.headers["cross-origin-opener-policy"] == "same-origin")
        #expect(page.headers["cross-origin-resource-policy"] == "same-origin")
        #expect(page.headers["permissions-policy"]?.contains("camera=()") == true)
    }

    @Test func `the audit is told in pages`() async throws {
        let daemon = try await KioskdFixture()
        for number in 1...5 {
            _ = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"t\#(number)","scopes":["read"]}"#)
        }
        let first = try object(try await daemon.curl("/v1/audit?limit=2"))
        #expect((first["entries"] as? [[String: Any]])?.map { $0["object"] as? String } == ["5 (t5)", "4 (t4)"])
        #expect(first["next"] as? Int == 4)
        let last = try object(try await daemon.curl("/v1/audit?limit=3&before=4"))
        #expect((last["entries"] as? [[String: Any]])?.count == 3)
        #expect(last["next"] == nil)
        for query in ["limit=0", "limit=1001", "before=0", "before=x", "order=up"] {
            #expect(try await daemon.curl("/v1/audit?\(query)").status == 400)
        }
    }

    @Test func `tokens outlive a restart`() async throws {
        let daemon = try await KioskdFixture()
        _ = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till","scopes":["read"]}"#)
        _ = try await daemon.terminate()
        try await daemon.start()
        #expect(try await daemon.curl("/v1/tokens").text.contains("\"till\""))
    }
}
