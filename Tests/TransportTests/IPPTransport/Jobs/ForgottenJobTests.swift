import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskIPP

/// Printers that forget their jobs as soon as these have ended, or do not tell their states.
@Suite struct ForgottenJobTests {
    private static let now = Timestamp(millisecondsSince1970: 1_000_000_000)

    private static func printer(upTime: Int32?, state: Int32 = 3) -> IPPGroup {
        var attributes = [IPPAttribute("printer-state", .enum(state))]
        if let upTime { attributes.append(IPPAttribute("printer-up-time", .integer(upTime))) }
        return IPPGroup(.printer, attributes)
    }

    /// Sent ten seconds ago.
    private static func verdict(
        _ printer: IPPGroup?, sent secondsAgo: Int = 10, after elapsed: Duration = .zero
    ) -> ForgottenJob.Verdict {
        ForgottenJob(takenWholeSince: now.advanced(bySeconds: -secondsAgo)).judge(printer, at: now, after: elapsed)
    }

    @Test func `a printer that was on since before the job and is idle accepted it`() {
        #expect(Self.verdict(Self.printer(upTime: 3600)) == .accepted)
        #expect(Self.verdict(Self.printer(upTime: 13)) == .accepted)
    }

    @Test(arguments: [0, 5, 10, 12] as [Int32])
    func `a printer that was switched on since proves nothing`(upTime: Int32) {
        guard case .unknown(_, isUnanswerable: false) = Self.verdict(Self.printer(upTime: upTime)) else {
            Issue.record("it counts as proof")
            return
        }
    }

    @Test func `a printer without an up-time, or that may have less than the whole, can never tell`() {
        for verdict in [
            Self.verdict(Self.printer(upTime: nil)),
            ForgottenJob(takenWholeSince: nil).judge(Self.printer(upTime: 3600), at: Self.now, after: .zero),
        ] {
            guard case .unknown(_, isUnanswerable: true) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
        }
    }

    @Test func `a clock that was set back proves nothing`() {
        guard case .unknown(_, isUnanswerable: false) = Self.verdict(Self.printer(upTime: 3600), sent: -60) else {
            Issue.record("it counts as proof")
            return
        }
    }

    @Test(arguments: [4, 5] as [Int32])
    func `a printer that works or is stopped is asked again, less often, for a minute`(state: Int32) {
        let busy = Self.printer(upTime: 3600, state: state)
        #expect(Self.verdict(busy) == .wait(.milliseconds(40)))
        #expect(Self.verdict(busy, after: .seconds(4)) == .wait(.seconds(1)))
        #expect(Self.verdict(nil, after: .seconds(59)) == .wait(.seconds(2)))
        guard case .unknown(_, isUnanswerable: true) = Self.verdict(busy, after: .seconds(60)) else {
            Issue.record("it is asked for good")
            return
        }
    }

    /// A job that was sent a second ago, all of it.
    private var job: RemoteJob {
        var job = RemoteJob(identifier: "7")
        job.origin = RemoteJob.Origin(takenWholeSince: Timestamp.now.advanced(bySeconds: -1))
        return job
    }

    private static let stateless = IPPGroup(
        .job, [IPPAttribute("job-id", .integer(7)), IPPAttribute("job-state-reasons", keyword: "none")])

    @Test(arguments: [
        ScriptedConnection.status(.clientErrorNotFound), ScriptedConnection.status(.clientErrorGone),
        ScriptedConnection.status(.clientErrorNotPossible), ScriptedConnection.ok(stateless),
        ScriptedConnection.ok(),
    ])
    func `a job that an idle printer took whole and does not tell of ends as accepted, with a remark`(
        answer: IPPMessage
    ) async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let upTime = [IPPAttribute("printer-up-time", .integer(3600))]
        let printer = try ScriptedPrinter(describedBy: upTime, requests) { _ in answer }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.follow(job, on: printer.target) { _ in }
            #expect(report.state == .completed)
            #expect(report.evidence == .accepted)
            #expect(report.reasons == ["queued-in-device"])
            #expect(report.remarks.count == 1)
            // It is told of the printer from now on.
            let contact = try await transport.contact(printer.target)
            #expect(contact.availability.reasons == [.missingJobHistory])
            #expect(contact.availability.state == .ready)
        }
        #expect(requests.all.count == 1)
    }

    @Test func `a printer that remembers a later job is not told to forget`() async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let upTime = [IPPAttribute("printer-up-time", .integer(3600))]
        let printer = try ScriptedPrinter(describedBy: upTime, requests) { _ in
            requests.all.count == 1
                ? ScriptedConnection.status(.clientErrorNotFound)
                : ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let first = try await transport.follow(job, on: printer.target) { _ in }
            let second = try await transport.follow(job, on: printer.target) { _ in }
            #expect([first, second].map(\.evidence) == [.accepted, .printed])
            let contact = try await transport.contact(printer.target)
            #expect(contact.availability.reasons == [])
        }
    }

    @Test func `that a printer forgets its jobs is known in the next run, until it tells a job's end`() async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let isForgetful = Atomic(true)
        let upTime = [IPPAttribute("printer-up-time", .integer(3600))]
        // Its history holds an older job, as if it reached back far enough.
        var older = ScriptedConnection.job(1, state: 9)
        older.append(IPPAttribute("job-name", .name("k0 Receipt")))
        older.append(IPPAttribute("time-at-creation", .integer(1)))
        let printer = try ScriptedPrinter(describedBy: upTime, requests) { [older] request in
            if request.message.operation == .getJobs { return ScriptedConnection.ok(older) }
            return isForgetful.load(ordering: .acquiring)
                ? ScriptedConnection.status(.clientErrorNotFound)
                : ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        let target = try printer.target
        let learned = Recorder<LearnedBehavior>()
        try await withTransport { transport in
            _ = try await transport.follow(job, on: target) { _ in }
            learned.add(try #require(try await transport.contact(target).description.learned))
            // Nor does another link to it forget that.
            await transport.forget(target)
            #expect(try await transport.contact(target).description.learned == learned.all[0])
        }
        #expect(learned.all == [LearnedBehavior(lacksJobHistory: true)])
        var delivery = Delivery.receipt("k1", [1])
        delivery.sentAt = Timestamp.now.advanced(bySeconds: -60)
        try await withTransport { [delivery] transport in
            transport.recall(learned.all[0], of: target)
            #expect(try await transport.contact(target).availability.reasons == [.missingJobHistory])
            let error = try await #require(throws: TransportError.self) {
                try await transport.locate(delivery, on: target)
            }
            #expect(error.code == .outcomeUnknown)
            #expect(error.message.contains("forgets its jobs"), "\(error.message)")
            isForgetful.store(false, ordering: .releasing)
            _ = try await transport.follow(job, on: target) { _ in }
            let contact = try await transport.contact(target)
            #expect(contact.description.learned == LearnedBehavior(lacksJobHistory: false))
            #expect(contact.availability.reasons == [])
            #expect(try await transport.locate(delivery, on: target) == nil)
        }
    }

    @Test func `nothing is learned of a printer that always tells its jobs' ends`() async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter(describedBy: [], requests) { _ in
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.follow(job, on: printer.target) { _ in }
            #expect(try await transport.contact(printer.target).description.learned == nil)
        }
    }

    @Test(arguments: [[], [IPPAttribute("printer-up-time", .integer(1))]])
    func `a printer that may have lost the job by a restart leaves its outcome unknown`(
        about: [IPPAttribute]
    ) async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter(describedBy: about, requests) { _ in
            ScriptedConnection.status(.clientErrorNotFound)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.follow(job, on: printer.target) { _ in }
            }
            #expect(error.code == .outcomeUnknown)
            #expect(error.isUnanswerable == about.isEmpty)
        }
    }

    @Test func `a printer without job lists can never tell of a lost response`() async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let upTime = [IPPAttribute("printer-up-time", .integer(3600))]
        let printer = try ScriptedPrinter(describedBy: upTime, requests) { _ in
            ScriptedConnection.status(.serverErrorOperationNotSupported)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.locate(.receipt("k1", []), on: printer.target)
            }
            #expect(error.isUnanswerable)
        }
    }
}
