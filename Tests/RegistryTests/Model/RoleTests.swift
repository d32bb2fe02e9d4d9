import KioskPrintModel
import Testing

@Suite struct RoleTests {
    @Test(arguments: [
        ("receipt", "receipt", Role.UnconfirmedPolicy.reprint, 600), ("label", "label", .hold, 3600),
        ("document", "document", .hold, 86_400), ("kitchen", "", .reprint, 600), ("baggage-tag", "", .hold, 86_400),
    ])
    func `the well-known roles have their own standards`(
        name: String, jobType: String, policy: Role.UnconfirmedPolicy, expiry: Int
    ) throws {
        let role = Role(name: try #require(RoleName(rawValue: name)), printers: [])
        #expect(role.jobType == JobTypes(keyword: jobType))
        #expect(role.unconfirmed == policy)
        #expect(role.effectiveExpiry == expiry)
    }

    @Test func `what is said beats the standard`() throws {
        let role = Role(
            name: try #require(RoleName(rawValue: "receipt")), printers: [], jobType: .roll, unconfirmed: .drop,
            expiresAfter: 5)
        #expect(role.jobType == .roll)
        #expect(role.unconfirmed == .drop)
        #expect(role.effectiveExpiry == 5)
    }

    @Test func `has the file's keys in JSON, and reads what it writes`() throws {
        let text =
            #"{"defaults":{"copies":2},"expires-after":600,"job-type":"receipt","name":"receipt","printers":["till-1"],"unconfirmed":"hold"}"#
        let role = try value(text, as: Role.self)
        #expect(role.defaults.copies == 2)
        #expect(role.unconfirmed == .hold)
        #expect(try json(role) == text)
        let spreading = #"{"name":"kitchen","policy":"least-busy","printers":[],"unconfirmed":"reprint"}"#
        #expect(try json(value(spreading, as: Role.self)) == spreading)
        let keeping = #"{"keep":{"documents":0,"jobs":604800},"name":"kitchen","printers":[],"unconfirmed":"reprint"}"#
        #expect(try value(keeping, as: Role.self).keep == Retention(jobs: 604_800, documents: 0))
        #expect(try json(value(keeping, as: Role.self)) == keeping)
        let limited = #"{"name":"kitchen","page-limit":20,"printers":[],"unconfirmed":"reprint"}"#
        #expect(try json(value(limited, as: Role.self)) == limited)
        let short = try value(#"{"name":"kitchen","printers":[]}"#, as: Role.self)
        #expect(try json(short) == #"{"name":"kitchen","printers":[],"unconfirmed":"reprint"}"#)
    }

    @Test(arguments: [
        #"{"name":"Receipt","printers":[]}"#, #"{"name":"receipt"}"#, #"{"name":"receipt","printers":["A"]}"#,
        #"{"name":"receipt","printers":[],"job-type":"poster"}"#,
        #"{"name":"receipt","printers":[],"unconfirmed":"maybe"}"#,
    ])
    func `refuses JSON with other values`(text: String) {
        #expect(throws: DecodingError.self) { try value(text, as: Role.self) }
    }
}

@Suite struct SavedPrinterTests {
    @Test func `has the file's keys in JSON, and reads what it writes`() throws {
        let text =
            #"{"credentials":"office","id":"till-1","job-types":["receipt"],"location":"Shop","login-without-tls":true,"name":"Till","profile":"generic-80mm","trust":"ask","url":"ipp:\/\/h\/ipp\/print"}"#
        let printer = try value(text, as: SavedPrinter.self)
        #expect(try json(printer) == text)
        #expect(
            printer.target
                == PrinterTarget(
                    url: try PrinterURL("ipp://h"), credentials: "office", trust: .ask, allowsPlainLogin: true,
                    profile: "generic-80mm"))
        #expect(
            try json(value(#"{"id":"a","url":"ipp://h"}"#, as: SavedPrinter.self))
                == #"{"id":"a","url":"ipp:\/\/h\/ipp\/print"}"#)
    }
}

@Suite struct JobTests {
    @Test func `has kebab-case keys in JSON, and reads what it writes`() throws {
        var job = Job(
            id: 7, name: "r", role: RoleName(rawValue: "receipt"), printer: nil, user: nil, format: .plainText,
            documentLength: 3,
            ticket: Ticket(), createdAt: Timestamp(millisecondsSince1970: 0),
            expiresAt: Timestamp(millisecondsSince1970: 1000))
        #expect(try value(json(job), as: Job.self) == job)
        #expect(
            try json(job)
                == #"{"attempts":0,"bytes-sent":0,"created-at":"1970-01-01T00:00:00.000Z","document-format":"text\/plain","document-length":3,"expires-at":"1970-01-01T00:00:01.000Z","id":7,"job-state":"pending","job-state-reasons":[],"name":"r","role":"receipt","ticket":{},"unconfirmed":false}"#
        )
        #expect(!job.isSettled)
        job.state = .pendingHeld
        #expect(!job.isSettled)
        job.isUnconfirmed = true
        #expect(job.isSettled)
        job.state = .completed
        #expect(job.isSettled)
    }
}
