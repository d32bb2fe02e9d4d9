import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskAPIMessages

@Suite struct APIShapesTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try APIJSON.decode(type, from: Array(json.utf8))
    }

    private func encode(_ value: some Encodable) throws -> String {
        String(decoding: try APIJSON.encode(value), as: UTF8.self)
    }

    private func refusal(_ type: (some Decodable).Type, _ json: String) throws -> Problem {
        try #require(throws: Problem.self) { _ = try decode(type, json) }
    }

    // MARK: Jobs

    /// Texts with every character that JSON escapes, and some that it does not.
    private static let texts: [String] = [
        "", "Tea 2.50", "\u{0}\u{1}\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}\u{80}\u{2028}", #"a "b" \c/ 'd' <e> &"#,
        "日本 é e\u{301} 🧾",
    ]

    @Test(arguments: 0..<200)
    func `a job is written as JSONEncoder writes it`(seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { random.next() % 2 == 0 ? value() : nil }
        func text() -> String { Self.texts[Int(random.next() % UInt64(Self.texts.count))] }
        func number() -> Int64 { Int64(bitPattern: random.next()) >> (random.next() % 64) }
        func time() -> Timestamp { Timestamp(millisecondsSince1970: Int64(random.next() % 253_402_300_800_000)) }
        var job = Job(
            id: number(), name: text(), role: RoleName(rawValue: "receipt"),
            printer: maybe(PrinterID(rawValue: "till-1")!),
            user: maybe(text()), format: seed % 3 == 0 ? .pdf : .escPOS, documentLength: number(), ticket: Ticket(),
            createdAt: time(), expiresAt: time())
        if random.next() % 2 == 0 { job.role = nil }
        if random.next() % 2 == 0 { (job.ticket.copies, job.ticket.media) = (2, text()) }
        job.owner = maybe(
            number().isMultiple(of: 2)
                ? .user(UInt32(truncatingIfNeeded: number())) : .token(UInt32(truncatingIfNeeded: number())))
        job.state = JobState.allCases.randomElement(using: &random)!
        job.stateReasons = (0..<Int(random.next() % 3)).map { _ in text() }
        job.message = maybe(text())
        job.evidence = maybe(.printed)
        (job.isUnconfirmed, job.bytesSent, job.attempts) = (random.next() % 2 == 0, number(), Int(number()))
        job.remoteJob = maybe(RemoteJob(identifier: text()))
        job.remoteJob?.origin = maybe(RemoteJob.Origin(deliveryID: "a", user: "b"))
        (job.processingAt, job.completedAt) = (maybe(time()), maybe(time()))
        (job.origin, job.group) = (maybe(number()), maybe([number(), number()]))
        (job.remarks, job.isWithheld) = (maybe([text(), text()]), maybe(true))
        job.requestID = maybe(text())
        let generic = String(decoding: try APIJSON.encodeGenerically(job), as: UTF8.self)
        #expect(try encode(job) == generic)
        #expect(try decode(Job.self, generic).name == job.name)
    }

    // MARK: Submissions

    @Test func `reads the shortest submission`() throws {
        let submission = try decode(JobSubmission.self, #"{"role":"receipt","document":{"text":"Tea 2.50\n"}}"#)
        #expect(submission.role?.rawValue == "receipt")
        #expect(submission.document.bytes == Array("Tea 2.50\n".utf8))
        #expect(submission.effectiveFormat == .plainText)
        #expect(submission.ticket == Ticket())
    }

    @Test func `reads base64 and tells its format by the first bytes`() throws {
        let submission = try decode(JobSubmission.self, #"{"printer":"till-1","document":{"base64":"JVBERi0xLjcK"}}"#)
        #expect(submission.effectiveFormat == .pdf)
        let said = try decode(
            JobSubmission.self,
            #"{"printer":"till-1","document-format":"application/vnd.escpos","document":{"base64":"JVBERi0xLjcK"}}"#)
        #expect(said.effectiveFormat == .escPOS)
    }

    @Test func `writes what it reads`() throws {
        var ticket = Ticket()
        ticket.copies = 2
        ticket.pageRanges = [PageRange("2-4")].compactMap(\.self)
        let submission = JobSubmission(
            role: RoleName(rawValue: "label"), name: "Box 7", user: "ann", format: .zpl,
            document: .bytes([0, 255, 10]),
            ticket: ticket)
        #expect(try decode(JobSubmission.self, encode(submission)) == submission)
    }

    @Test(arguments: [
        (#"{"role":"receipt"}"#, "\"document\" is missing"),
        (#"{"role":"receipt","document":{}}"#, "either \"text\" or \"base64\""),
        (#"{"role":"receipt","document":{"text":"a","base64":"YQ=="}}"#, "either \"text\" or \"base64\""),
        (#"{"role":"receipt","document":{"base64":"?"}}"#, "not base64"),
        (#"{"role":"receipt","document":{"text":"a"},"copies":2}"#, "\"copies\" is not known"),
        (#"{"role":"receipt","document":{"text":"a"},"ticket":{"copys":2}}"#, "\"copys\" is not known"),
        (#"{"role":"receipt","document":{"text":"a"},"ticket":{"copies":"2"}}"#, "write a whole number"),
        (
            #"{"role":"receipt","document":{"text":"a"},"ticket":{"page-ranges":null}}"#,
            #""ticket.page-ranges": it is null; write a value, or leave it out"#
        ),
        (
            #"{"role":"receipt","document":{"text":"a"},"ticket":{"copies":2,"drawer":null}}"#,
            #""ticket.drawer": it is null"#
        ),
        (#"{"role":7,"document":{"text":"a"}}"#, "\"role\" is of another type; write a string"),
        (#"{"role":"Receipt","document":{"text":"a"}}"#, "\"role\": \"Receipt\" is not a kebab-case name"),
        (#"{"role":"receipt""#, ""), ("", ""), ("[]", ""), ("null", ""), ("\u{0}", ""),
        (String(repeating: "[", count: 100_000), ""),
    ]) func `refuses a submission and names the place`(_ json: String, _ words: String) throws {
        let problem = try refusal(JobSubmission.self, json)
        #expect(problem.code == .invalidJSON)
        #expect(words.isEmpty || problem.detail?.contains(words) == true, "\(problem)")
    }

    // MARK: Changes

    @Test func `reads a printer's change and refuses a key that nobody reads`() throws {
        let change = try decode(
            PrinterChange.self, #"{"url":"ipp://192.0.2.1/ipp/print","job-types":["receipt","label"]}"#)
        #expect(change.jobTypes == [.receipt, .label])
        #expect(try decode(PrinterChange.self, encode(change)) == change)
        #expect(try refusal(PrinterChange.self, #"{"url":"ipp://h","nmae":"x"}"#).detail?.contains("\"nmae\"") == true)
        #expect(try refusal(PrinterChange.self, #"{"url":"http://h"}"#).detail?.contains("scheme") == true)
    }

    @Test func `a role's change takes the standards of its name`() throws {
        let change = try decode(RoleChange.self, #"{"printers":["till-1"]}"#)
        let role = change.role(name: try #require(RoleName(rawValue: "receipt")))
        #expect(role.jobType == .receipt)
        #expect(role.unconfirmed == .reprint)
        #expect(try decode(RoleChange.self, encode(RoleChange(role))) == RoleChange(role))
        #expect(
            try refusal(RoleChange.self, #"{"printers":[],"job-type":"papyrus"}"#).detail?.contains("papyrus") == true)
        #expect(
            try refusal(RoleChange.self, #"{"printers":[],"defaults":{"copys":1}}"#).detail?.contains("copys") == true)
    }

    // MARK: Problems

    @Test func `a problem follows RFC 9457 and carries its findings`() throws {
        let problem = Problem(
            .registryRefused, detail: "printers.yaml is not valid", instance: "/v1/registry/reload",
            problems: [
                .init(file: "printers.yaml", line: 7, column: 9, message: "\"urll\" is not known", instead: "url")
            ])
        #expect(
            try encode(problem) == """
                {"code":"registry-refused","detail":"printers.yaml is not valid","instance":"/v1/registry/reload",\
                "problems":[{"column":9,"file":"printers.yaml","instead":"url","line":7,"message":"\\"urll\\" is not known"}],\
                "status":422,"title":"The registry is not valid","type":"urn:kioskd:problem:registry-refused"}
                """)
        #expect(try decode(Problem.self, encode(problem)) == problem)
        #expect(problem.problems?.first?.description == "printers.yaml:7:9: \"urll\" is not known; write url")
    }

    @Test func `every problem has a title and an error's status, and no two share a code`() {
        for code in Problem.Code.known {
            #expect((400..<600).contains(code.status))
            #expect(!code.title.isEmpty)
        }
        #expect(Set(Problem.Code.known).count == Problem.Code.known.count)
    }

    // MARK: Filters

    @Test func `filters survive their query`() throws {
        var jobs = JobQuery()
        jobs.role = RoleName(rawValue: "receipt")
        jobs.printer = PrinterID(rawValue: "till-1")
        jobs.states = [.pending, .processing]
        jobs.since = Timestamp("2026-03-14T09:30:00Z")
        jobs.until = Timestamp("2026-03-15T09:30:00.250Z")
        jobs.name = "50 % off & more"
        jobs.limit = 7
        jobs.before = 99
        #expect(try JobQuery(query: String(jobs.path.dropFirst("/v1/jobs?".count))) == jobs)
        #expect(try JobQuery(query: nil).path == "/v1/jobs")
        var printers = PrinterFilter()
        printers.jobTypes = [.receipt, .label]
        printers.available = true
        printers.role = RoleName(rawValue: "label")
        #expect(try PrinterFilter(query: String(printers.path.dropFirst("/v1/printers?".count))) == printers)
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "state=done", "state=", "before=0", "before=-1", "role=A", "colour=red",
        "since=soon", "since=10", "until=2026-02-30", "name=",
    ])
    func `refuses a filter that means nothing`(_ query: String) {
        #expect(throws: Problem.self) { _ = try JobQuery(query: query) }
    }

    @Test func `a well-known path stands where both sides look for it`() throws {
        #expect(APIPaths.release(12) == "/v1/jobs/12/release")
        #expect(APIPaths.contact(try #require(PrinterID(rawValue: "till-1"))) == "/v1/printers/till-1/contact")
    }
}
