import KioskPrintModel

@testable import KioskEngine

/// A job of ten bytes at each stage of its life, and everything that can happen to one.
enum JobLifeSamples {
    static let printer = SavedPrinter.test("till-1")
    static let remoteJob = RemoteJob(identifier: "7")
    static let start = Timestamp(millisecondsSince1970: 1_000_000)
    static let length: Int64 = 10

    static func circumstances(_ unconfirmed: Role.UnconfirmedPolicy = .hold, late: Bool = false) -> JobCircumstances {
        JobCircumstances(now: start.advanced(bySeconds: late ? 601 : 1), unconfirmed: unconfirmed, maximumReprints: 3)
    }

    static func accepted() -> JobLife {
        let job = Job(
            id: 1, name: "one coffee", role: .test("receipt"), printer: nil, user: nil, format: .plainText,
            documentLength: length, ticket: Ticket(), createdAt: start, expiresAt: start.advanced(bySeconds: 600)
        )
        return JobLife(accepting: job, isPinned: false)
    }

    static func after(_ events: JobEvent...) throws -> JobLife {
        var life = accepted()
        for event in events { _ = try life.handle(event, in: circumstances()) }
        return life
    }

    static func at(_ stage: JobStage) throws -> JobLife {
        let cut = JobEvent.failed(error(.connectionLost, bytes: length))
        let acceptance = JobEvent.accepted(report(.processing, .accepted), isCancelAgreed: false)
        return switch stage {
        case .waiting: accepted()
        case .routed: try after(.routed)
        case .contacting: try after(.routed, .began(printer))
        case .sending: try after(.routed, .began(printer), .acceptedBytes)
        case .following: try after(.routed, .began(printer), acceptance)
        case .doubtful: try after(.routed, .began(printer), cut)
        case .found: try after(.routed, .began(printer), cut, .located(remoteJob))
        case .unwatched: try after(.routed, .began(printer), acceptance, .failed(error(.connectionLost)))
        case .held: try after(.routed, .began(printer), .failed(error(.outcomeUnknown)))
        case .done: try after(.cancelRequested)
        }
    }

    /// The printer certainly has no more than four of the ten bytes.
    static func cut(_ stage: JobStage) throws -> JobLife {
        let cut = JobEvent.failed(error(.connectionLost, bytes: 4))
        return try stage == .found
            ? after(.routed, .began(printer), cut, .located(remoteJob)) : after(.routed, .began(printer), cut)
    }

    static func error(_ code: TransportError.Code, bytes: Int64 = 0, job: RemoteJob? = nil) -> TransportError {
        TransportError(code, operation: "Print-Job", message: "It says \(code).", bytesAccepted: bytes, remoteJob: job)
    }

    /// The printer cannot tell of this attempt, and could tell as little of the next.
    static var unanswerable: TransportError {
        var error = error(.outcomeUnknown)
        error.isUnanswerable = true
        return error
    }

    static func report(_ state: JobState, _ evidence: Evidence) -> JobReport {
        JobReport(state: state, evidence: evidence, remoteJob: remoteJob)
    }

    /// In the words of the documentation.
    static let events: [(name: String, event: JobEvent)] = [
        ("a printer is free", .routed),
        ("sending begins", .began(printer)),
        ("the printer is busy", .wasBusy(nil)),
        ("bytes are on their way", .acceptedBytes),
        ("the printer names the job", .named(remoteJob)),
        (
            "the printer has all of it and can be asked",
            .accepted(report(.processing, .accepted), isCancelAgreed: false)
        ),
        (
            "the printer has all of it, and that is its last word",
            .accepted(report(.completed, .printed), isCancelAgreed: false)
        ),
        ("failed: nothing was taken", .failed(error(.connectionLost))),
        ("failed: busy for too long", .failed(error(.printerBusy))),
        ("failed: the printer refuses the job", .failed(error(.jobRefused))),
        ("failed: bytes may have been taken", .failed(error(.connectionLost, bytes: length))),
        ("failed: the printer has named the job", .failed(error(.connectionLost, job: remoteJob))),
        ("failed: nobody can tell", .failed(error(.outcomeUnknown))),
        ("failed: the stored document is unreadable", .failed(error(.documentUnreadable))),
        ("the stored document is gone", .documentLost("It is gone.")),
        ("the document cannot be rendered", .renderingFailed("Page 3 is damaged.", bytesSent: 5)),
        ("the engine stops, or its disk is full", .interrupted("It is stopping.")),
        ("the printer gives it up over its format, and takes another", .formatRejected("It is sent as another.")),
        ("what turns it into the printer's language cannot just now", .notPrepared("It is missing.")),
        (
            "no printer will ever take it",
            .unprintable(by: nil, reason: "document-format-error", message: "Nobody takes it.")
        ),
        ("the printer says how it does", .reported(report(.processing, .processed))),
        ("the printer waits for a person", .reported(report(.processingStopped, .accepted))),
        ("the printer says: completed", .ended(report(.completed, .printed), isCancelAgreed: false)),
        ("gone after a cancel that was agreed to", .ended(report(.completed, .accepted), isCancelAgreed: true)),
        ("the printer says: canceled", .ended(report(.canceled, .accepted), isCancelAgreed: false)),
        ("the printer says: aborted", .ended(report(.aborted, .accepted), isCancelAgreed: false)),
        ("asked: it has the job", .located(remoteJob)),
        ("asked: it certainly does not have it", .notLocated),
        ("asked: no answer yet", .askingFailed(error(.timedOut))),
        ("asked: it cannot know", .askingFailed(error(.outcomeUnknown))),
        ("nobody is left to ask", .cannotBeAsked("It was removed.")),
        ("somebody cancels", .cancelRequested),
        ("an operator releases", .released()),
        ("somebody saw it on paper", .confirmed()),
        ("it expires", .expired),
    ]
}
