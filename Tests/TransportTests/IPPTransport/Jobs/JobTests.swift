import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

/// Following, cancelling and locating jobs.
@Suite struct JobTests {
    private let job = RemoteJob(identifier: "7")

    /// Answers the requests with these messages in order, and repeats the last. A client that was kept from running
    /// for longer than the idle timeout continues over a new connection.
    private func printer(_ answers: IPPMessage...) throws -> ScriptedPrinter {
        let count = Atomic<Int>(0)
        return try ScriptedPrinter { connection in
            while true {
                _ = try connection.readRequest()
                let index = count.wrappingAdd(1, ordering: .relaxed).oldValue
                try connection.reply(answers[min(index, answers.count - 1)])
            }
        }
    }

    @Test func `each change is told once, and the end is returned`() async throws {
        let printer = try printer(
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 3)),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 5, reasons: ["job-printing"])),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 5, reasons: ["job-printing"])),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 6, reasons: ["printer-stopped"])),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9, reasons: ["job-completed-successfully"])))
        defer { printer.stop() }
        try await withTransport { transport in
            let updates = Recorder<JobReport>()
            let report = try await transport.follow(job, on: printer.target) { updates.add($0) }
            #expect(updates.all.map(\.state) == [.pending, .processing, .processingStopped])
            #expect(updates.all.last?.reasons == ["printer-stopped"])
            #expect(report.state == .completed)
            #expect(report.evidence == .printed)
        }
    }

    @Test func `a job that the printer holds by itself is followed on`() async throws {
        let printer = try printer(
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 4, reasons: ["job-hold-until-specified"])),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
        defer { printer.stop() }
        try await withTransport { transport in
            let updates = Recorder<JobReport>()
            let report = try await transport.follow(job, on: printer.target) { updates.add($0) }
            #expect(updates.all.map(\.state) == [.pendingHeld, .processing])
            #expect(report.state == .completed)
        }
    }

    @Test(arguments: [IPPStatus.clientErrorNotFound, .clientErrorGone, .clientErrorNotPossible])
    func `a job that is forgotten has no known outcome`(status: IPPStatus) async throws {
        let printer = try printer(ScriptedConnection.status(status))
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.follow(job, on: printer.target) { _ in }
            }
            #expect(error.code == .outcomeUnknown)
            #expect(error.remoteJob == job)
        }
    }

    @Test func `a printer that breaks the connection is asked again`() async throws {
        let printer = try ScriptedPrinter(
            { connection in
                _ = try connection.readRequest()
                connection.reset()
            },
            { connection in
                _ = try connection.readRequest()
                try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 8)))
            })
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.follow(job, on: printer.target) { _ in }
            #expect(report.state == .aborted)
            #expect(report.evidence == .accepted)
        }
    }

    @Test func `a printer that stays away leaves the outcome unknown`() async throws {
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.lostPrinter = .milliseconds(200)
        let target = PrinterTarget(url: try PrinterURL("ipp://127.0.0.1:\(try freePort())/ipp/print"))
        try await withTransport(deadlines) { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.follow(job, on: target) { _ in }
            }
            #expect(error.code == .outcomeUnknown)
        }
    }

    @Test func `following ends at once when it is cancelled`() async throws {
        let isReached = Gate()
        let printer = try ScriptedPrinter { connection in
            while true {
                _ = try connection.readRequest()
                isReached.open()
                try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            let task = Task { [job] in try await transport.follow(job, on: target) { _ in } }
            try await isReached.wait()
            task.cancel()
            let error = try await #require(throws: TransportError.self) { try await task.value }
            #expect(error.code == .cancelled)
        }
    }

    @Test func `cancelling what has ended is not an error`() async throws {
        let printer = try printer(
            ScriptedConnection.status(.clientErrorNotPossible),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
        defer { printer.stop() }
        try await withTransport { transport in try await transport.cancel(job, on: printer.target) }
    }

    @Test func `a printer that will not cancel says so`() async throws {
        let printer = try printer(
            ScriptedConnection.status(.clientErrorNotPossible),
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.cancel(job, on: printer.target)
            }
            #expect(error.code == .jobRefused)
        }
    }

    @Test func `a job is located by the id in its name`() async throws {
        var ours = ScriptedConnection.job(12, state: 5)
        ours.append(IPPAttribute("job-name", .name("k1 Receipt")))
        var other = ScriptedConnection.job(11, state: 9)
        other.append(IPPAttribute("job-name", .name("k10 Receipt")))
        let printer = try printer(
            ScriptedConnection.ok(ScriptedConnection.printer()), ScriptedConnection.ok(other, ours),
            ScriptedConnection.ok())
        defer { printer.stop() }
        try await withTransport { transport in
            let found = try await transport.locate(.receipt("k1", []), on: printer.target)
            #expect(found == RemoteJob(identifier: "12"))
        }
    }

    @Test func `a printer without job lists cannot tell`() async throws {
        let printer = try printer(
            ScriptedConnection.ok(ScriptedConnection.printer()),
            ScriptedConnection.status(.serverErrorOperationNotSupported))
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.locate(.receipt("k1", []), on: printer.target)
            }
            #expect(error.code == .outcomeUnknown)
        }
    }
}
