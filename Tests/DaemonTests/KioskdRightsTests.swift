import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// What users may see and do of each other's jobs, asked as other users: what the kernel says of them counts.
@Suite(.enabled(if: geteuid() == 0)) struct KioskdRightsTests {
    /// A user that every Debian has, with supplementary groups by number.
    private struct Person {
        var user: String
        var groups: [Int] = []

        static let root = Person(user: "root")
        static let anna = Person(user: "daemon")
        static let ben = Person(user: "bin")

        func with(_ group: Int) -> Person { Person(user: user, groups: groups + [group]) }

        var identity: [String] {
            ["--reuid", user, "--regid", user]
                + (groups.isEmpty ? ["--clear-groups"] : ["--groups", groups.map(String.init).joined(separator: ",")])
                + ["--"]
        }
    }

    private struct Response {
        var status: Int
        var text: String

        func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
            do { return try APIJSON.decode(type, from: Array(text.utf8)) } catch {
                throw TestSupportError("\(type) expected, got \(status): \(text)")
            }
        }
    }

    /// Starts a daemon with a printer that is off, and a socket that everybody may connect to.
    private func daemon(_ arguments: [String] = [], url: String? = nil, more: String = "") async throws -> KioskdFixture
    {
        let folder = try TemporaryFolder("rights")
        #expect(chmod(folder.path, 0o711) == 0)
        let url = try url ?? "ipp://localhost:\(freePort())/ipp/print"
        return try await KioskdFixture(
            folder: folder, registry: KioskdFixture.registry([url], more: more),
            arguments: ["--socket-mode", "0666"] + arguments)
    }

    private func run(_ person: Person, _ command: [String], _ daemon: KioskdFixture) async throws -> ChildProcess.Result
    {
        try await ChildProcess.run(
            try InstalledProgram.path("setpriv", package: "util-linux"), person.identity + command,
            environment: ["KIOSKD_SOCKET": daemon.socket])
    }

    private func ask(
        _ person: Person, _ method: String, _ path: String, _ daemon: KioskdFixture, _ more: [String] = []
    ) async throws -> Response {
        let curl = try InstalledProgram.path("curl", package: "curl")
        let result = try await run(
            person,
            [curl, "-sS", "--unix-socket", daemon.socket, "-X", method, "-w", "\n%{http_code}"] + more + [
                "http://localhost\(path)"
            ], daemon)
        let lines = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        return Response(status: Int(lines.last ?? "") ?? 0, text: lines.dropLast().joined(separator: "\n"))
    }

    private func send(
        _ person: Person, _ text: String, _ query: String, _ daemon: KioskdFixture, type: String = "text/plain"
    ) async throws -> Response {
        try await ask(
            person, "POST", "/v1/jobs?role=receipt&\(query)", daemon,
            ["-H", "Content-Type: \(type)", "--data-binary", text])
    }

    // MARK: Seeing

    @Test func `others see of a job its number, role, state and times, wherever they look`() async throws {
        let daemon = try await daemon()
        let sent = try await send(.anna, "secret wages", "name=Wages&copies=3", daemon)
        let job = try sent.json(Job.self)
        #expect((job.name, job.user, job.owner, job.isWithheld) == ("Wages", "daemon", .user(1), nil))
        var seen: [Response] = []
        for path in ["/v1/jobs", "/v1/jobs/1", "/v1/jobs/1?wait=1", "/v1/jobs/1/timeline"] {
            seen.append(try await ask(.ben, "GET", path, daemon))
        }
        // All that happened since the daemon started.
        seen.append(
            try await ask(.ben, "GET", "/v1/events", daemon, ["-H", "Last-Event-ID: 0", "--max-time", "2", "-N"]))
        #expect(seen[4].text.contains("event: job-created"), "\(seen[4].text)")
        for response in seen {
            for word in ["Wages", "daemon", "text/plain", "copies", "connect"] {
                #expect(!response.text.contains("\"\(word)"), "\(response.text)")
            }
        }
        let others = try #require(try seen[0].json(JobList.self).jobs.first)
        #expect(
            (others.id, others.role?.rawValue, others.isWithheld, others.createdAt) == (
                job.id, "receipt", true, job.createdAt
            ))
        #expect(try seen[1].json(Job.self) == seen[2].json(Job.self))
        // Nor is a name found by looking for it.
        #expect(try await ask(.ben, "GET", "/v1/jobs?name=Wages", daemon).json(JobList.self).jobs.isEmpty)
        for person in [Person.anna, .root] {
            #expect(
                try await ask(person, "GET", "/v1/jobs?name=Wages", daemon).json(JobList.self).jobs.map(\.name) == [
                    "Wages"
                ])
        }
        let kioskctl = try BuiltProducts.path("kioskctl")
        for arguments in [["jobs"], ["job", "1"]] {
            let shown = try await run(.ben, [kioskctl] + arguments, daemon)
            #expect(
                shown.standardOutput.contains("(another user's)") && !shown.standardOutput.contains("Wages"),
                "\(shown.standardOutput)\(shown.standardError)")
        }
        #expect(try await run(.anna, [kioskctl, "jobs"], daemon).standardOutput.contains("Wages"))
    }

    // MARK: Acting

    @Test func `others' jobs are cancelled and printed again by operators only`() async throws {
        let daemon = try await daemon(["--operator-group", "65530"])
        for _ in 1...4 { #expect(try await send(.anna, "tea", "", daemon).status == 202) }
        for (method, path) in [
            ("DELETE", "/v1/jobs/1"), ("POST", "/v1/jobs/1/reprint"), ("POST", "/v1/jobs/1/release"),
        ] {
            let refused = try await ask(.ben, method, path, daemon)
            #expect(refused.status == 403, "\(refused.text)")
            let problem = try refused.json(Problem.self)
            #expect(problem.code == .notAllowed)
            for words in ["job 1 is another user's", "--operator-group"] {
                #expect(problem.detail?.contains(words) == true)
            }
        }
        let command = try await run(.ben, [BuiltProducts.path("kioskctl"), "cancel", "1"], daemon)
        #expect(command.end == .exited(77), "\(command.standardError)")
        for (number, person) in [Person.anna, .root, .ben.with(65530)].enumerated() {
            #expect(try await ask(person, "DELETE", "/v1/jobs/\(number + 1)", daemon).status == 200)
            #expect(try await ask(person, "POST", "/v1/jobs/\(number + 1)/reprint", daemon).status == 202)
        }
        #expect(try await ask(.ben, "DELETE", "/v1/jobs/99", daemon).status == 404)
        // A restart forgets nobody's ownership.
        try await daemon.terminate()
        try await daemon.start()
        #expect(try await ask(.ben, "DELETE", "/v1/jobs/4", daemon).status == 403)
        #expect(try await ask(.anna, "DELETE", "/v1/jobs/4", daemon).status == 200)
    }

    @Test(arguments: [(["--shared-queue"], true), (["--shared-queue-group", "65531"], false)])
    func `where the queue is shared, all see, cancel and print again`(
        arguments: [String], isEverybodys: Bool
    ) async throws {
        let daemon = try await daemon(arguments)
        #expect(try await send(.anna, "tea", "name=Wages", daemon).status == 202)
        let other = isEverybodys ? Person.ben : .ben.with(65531)
        #expect(try await ask(other, "GET", "/v1/jobs", daemon).text.contains("Wages"))
        #expect(try await ask(.ben, "GET", "/v1/jobs", daemon).text.contains("Wages") == isEverybodys)
        #expect(try await ask(other, "DELETE", "/v1/jobs/1", daemon).status == 200)
        let copy = try await ask(other, "POST", "/v1/jobs/1/reprint", daemon).json(Job.self)
        #expect((copy.owner, copy.user) == (.user(2), "bin"))
    }

    @Test func `the two forms of a shared queue exclude each other`() async throws {
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskd"), ["--shared-queue", "--shared-queue-group", "0"])
        #expect(result.end == .exited(64))
        #expect(result.standardError.contains("name one of them"))
    }

    @Test func `who prints is whom the kernel names, unless an operator says otherwise`() async throws {
        let daemon = try await daemon(["--operator-group", "65530"])
        let cases: [(Person, String, String)] = [
            (.anna, "", "daemon"), (.anna, "user=boss", "daemon"), (.root, "", "root"), (.root, "user=boss", "boss"),
            (.anna.with(65530), "user=boss", "boss"),
        ]
        for (person, query, user) in cases {
            #expect(try await send(person, "tea", query, daemon).json(Job.self).user == user)
        }
        let json = #"{"role":"receipt","user":"boss","document":{"text":"tea"}}"#
        let submitted = try await ask(
            .anna, "POST", "/v1/jobs", daemon, ["-H", "Content-Type: application/json", "--data-binary", json])
        #expect(try submitted.json(Job.self).user == "daemon")
        // One that the user database does not know.
        let stranger = try await ask(
            Person(user: "4711"), "POST", "/v1/jobs?role=receipt", daemon,
            ["-H", "Content-Type: text/plain", "--data-binary", "tea"])
        #expect(try stranger.json(Job.self).user == "4711")
    }

    // MARK: Drawers and raw documents

    @Test func `a receipt that opens the drawer is printed again only by those who may open it now`() async throws {
        let daemon = try await daemon(["--shared-queue", "--drawer-group", "65532", "--command-group", "65533"])
        for (text, group) in [("tea\n{drawer:1}\n", 65532), ("{command:\\x1b\\x70\\x00}\n", 65533)] {
            let job = try await send(.anna.with(group), text, "", daemon, type: "text/receiptline").json(Job.self)
            #expect(try await ask(.anna, "DELETE", "/v1/jobs/\(job.id)", daemon).status == 200)
            // The same user, who is no longer a member, and another one.
            for person in [Person.anna, .ben] {
                let refused = try await ask(person, "POST", "/v1/jobs/\(job.id)/reprint", daemon)
                #expect(refused.status == 403, "\(refused.text)")
                #expect(try refused.json(Problem.self).code == .notAllowed)
                #expect(refused.text.contains("--drawer-group"))
            }
            #expect(
                try await run(.ben, [BuiltProducts.path("kioskctl"), "reprint", "\(job.id)"], daemon).end == .exited(77)
            )
            #expect(try await ask(.ben.with(group), "POST", "/v1/jobs/\(job.id)/reprint", daemon).status == 202)
        }
        let plain = try await send(.anna, "tea\n", "", daemon, type: "text/receiptline").json(Job.self)
        #expect(try await ask(.anna, "DELETE", "/v1/jobs/\(plain.id)", daemon).status == 200)
        #expect(try await ask(.ben, "POST", "/v1/jobs/\(plain.id)/reprint", daemon).status == 202)
    }

    @Test func `raw documents are for a group's members where there is one`() async throws {
        let daemon = try await daemon(["--raw-group", "65534"])
        let raw = "\u{1B}@tea\u{1B}p0"
        let cases: [(Person, String, String, Int)] = [
            (.anna, raw, "application/vnd.escpos", 403), (.anna, raw, "application/octet-stream", 403),
            (.anna, raw, "text/plain", 403),
            (.anna, "tea", "text/plain", 202), (.anna, "tea", "text/receiptline", 202),
            (.anna.with(65534), raw, "application/vnd.escpos", 202),
            (.root, raw, "application/vnd.escpos", 202),
        ]
        for (person, text, type, status) in cases {
            let response = try await send(person, text, "", daemon, type: type)
            #expect(response.status == status, "\(response.text)")
            if status == 403 { #expect(response.text.contains("--raw-group")) }
        }
        let job = try await send(.anna.with(65534), raw, "", daemon, type: "application/vnd.escpos").json(Job.self)
        #expect(try await ask(.anna, "DELETE", "/v1/jobs/\(job.id)", daemon).status == 200)
        #expect(try await ask(.anna, "POST", "/v1/jobs/\(job.id)/reprint", daemon).status == 403)
        #expect(try await ask(.anna.with(65534), "POST", "/v1/jobs/\(job.id)/reprint", daemon).status == 202)
    }

    // MARK: Contacts

    @Test func `a burst of contacts by a user is not a burst of logins`() async throws {
        let printer = try await SimulatedPrinter.start()
        let gateway = try await NginxGateway(.init(login: TestLogin("kiosk", "right")), upstreamPort: printer.port)
        let folder = try TemporaryFolder("rights")
        #expect(chmod(folder.path, 0o711) == 0)
        try folder.writePrivately(Array("office: { user: kiosk, password: wrong }".utf8), to: "secrets.yaml")
        let daemon = try await KioskdFixture(
            folder: folder,
            registry:
                "version: 1\nprinters: [{ id: till-1, url: \"\(gateway.uri)\", credentials: office }]\nroles: { receipt: { printers: [till-1] } }\n",
            arguments: ["--socket-mode", "0666", "--operator-group", "65530"])
        func logins() throws -> Int { try gateway.requests().filter { $0.user == "kiosk" }.count }
        try await eventually("the refusal") {
            try await ask(.root, "GET", "/v1/printers/till-1", daemon).text.contains("login-refused")
        }
        let before = try logins()
        #expect(before > 0)
        for _ in 1...30 {
            let status = try await ask(.anna, "POST", "/v1/printers/till-1/contact", daemon).json(PrinterStatus.self)
            #expect(status.availability.reasons.map(\.keyword) == ["login-refused"])
            let (last, next) = (try #require(status.contactedAt), try #require(status.nextContactAt))
            #expect(next.millisecondsSince1970 - last.millisecondsSince1970 >= 60_000)
        }
        #expect(try logins() == before)
        let shown = try await run(.anna, [BuiltProducts.path("kioskctl"), "printers", "contact", "till-1"], daemon)
        for words in ["next contact", "login-refused"] {
            #expect(shown.standardOutput.contains(words), "\(shown.standardOutput)\(shown.standardError)")
        }
        #expect(try logins() == before)
        for (number, person) in [Person.root, .anna.with(65530)].enumerated() {
            _ = try await ask(person, "POST", "/v1/printers/till-1/contact", daemon)
            #expect(try logins() > before + number)
        }
    }

    // MARK: The registry's files

    @Test func `a registry that others can write is not taken, and the error names what mends it`() async throws {
        let folder = try TemporaryFolder("rights")
        let path = try folder.write(
            KioskdFixture.registry(["ipp://localhost:\(freePort())/ipp/print"]), to: "printers.yaml")
        #expect(chmod(path, 0o666) == 0)
        let check = try await ChildProcess.run(
            try BuiltProducts.path("kioskd"), ["--state-dir", folder.path, "--check"])
        #expect(check.end == .exited(78))
        #expect(check.standardOutput.contains("run: chmod go-w \(path)"))
        let daemon = try await KioskdFixture(folder: folder)
        #expect(try await daemon.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
        #expect(
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.contains {
                $0.code == "registry-refused" && $0.message.contains("chmod go-w \(path)")
            })
        let refused = try await daemon.curlJSON("PUT", "/v1/printers/till-2", #"{"url":"ipp://192.0.2.1/"}"#)
        #expect(refused.status == 422, "\(refused.text)")
        #expect(refused.text.contains("chmod go-w"))
        #expect(chmod(path, 0o644) == 0)
        #expect(try await daemon.curl("/v1/registry/reload", ["-X", "POST"]).status == 204)
        #expect(try await daemon.curl("/v1/printers").json(PrinterList.self).printers.count == 1)
    }

    @Test func `profiles that others can write keep the daemon from starting`() async throws {
        let profiles = try TemporaryFolder("profiles")
        try profiles.write("name: a\ndescription: d\njob-types: [roll]\n", to: "a.yaml")
        #expect(chown(profiles.appending("a.yaml"), 65534, 65534) == 0)
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskd"), ["--state-dir", profiles.appending("state"), "--profiles", profiles.path])
        #expect(result.end == .exited(78))
        #expect(result.standardError.contains("run: chown 0 \(profiles.appending("a.yaml"))"))
    }
}
