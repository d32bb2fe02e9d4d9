import KioskPrintModel
import KioskSimulatedPrinter
import Testing

/// The printer's state machine, without sockets and clocks: every input carries the current time.
@Suite struct PrinterModelTests {
    /// A job with a whole document, ready to print.
    private func addJob(_ model: inout PrinterModel, bytes: Int64 = 1024, at now: Duration = .zero) throws -> Int32 {
        let id = try model.createJob(JobRequest(), at: now).id
        try model.beginDocument(id, number: Int(id), format: "text/plain")
        model.received(id, bytes: bytes)
        _ = model.endDocument(id, isLast: true, at: now)
        return id
    }

    private func states(_ actions: [PrinterModel.Action]) -> [JobState] {
        actions.compactMap { if case .jobChanged(let job) = $0 { job.state } else { nil } }
    }

    private func paper(_ actions: [PrinterModel.Action]) -> [Int64] {
        actions.compactMap { if case .paper(_, let bytes, _) = $0 { bytes } else { nil } }
    }

    private func slow(_ milliseconds: Int) -> PrinterCondition {
        var condition = PrinterCondition()
        condition.timePerKilobyte = .milliseconds(milliseconds)
        return condition
    }

    @Test func `prints a whole document and then says so`() throws {
        var model = PrinterModel()
        let id = try addJob(&model)
        #expect(model.job(id)?.state == .pending)
        let actions = model.advance(to: .zero)
        #expect(states(actions) == [.processing, .completed])
        #expect(paper(actions) == [1024])
        #expect(model.job(id)?.reasons == ["job-completed-successfully"])
        #expect(model.state == .idle)
    }

    @Test func `prints for as long as the document is`() throws {
        var model = PrinterModel(condition: slow(100))
        let id = try addJob(&model, bytes: 2048)
        #expect(states(model.advance(to: .zero)) == [.processing])
        #expect(model.nextDeadline == .milliseconds(200))
        #expect(model.advance(to: .milliseconds(199)) == [])
        #expect(states(model.advance(to: .milliseconds(200))) == [.completed])
        #expect(model.job(id)?.completedAt == .milliseconds(200))
        #expect(model.nextDeadline == nil)
    }

    @Test func `prints jobs in their order, one at a time`() throws {
        var model = PrinterModel(condition: slow(100))
        let first = try addJob(&model)
        let second = try addJob(&model)
        _ = model.advance(to: .zero)
        #expect(model.currentJob?.id == first)
        #expect(model.job(second)?.state == .pending)
        _ = model.advance(to: .milliseconds(100))
        #expect(model.currentJob?.id == second)
    }

    @Test func `waits for paper at processing-stopped and prints the rest after the refill`() throws {
        var model = PrinterModel(condition: slow(100))
        let id = try addJob(&model)
        _ = model.advance(to: .zero)
        var out = slow(100)
        out.isPaperOut = true
        #expect(states(model.setCondition(out, at: .milliseconds(40))) == [.processingStopped])
        #expect(model.state == .stopped)
        #expect(model.condition.reasons == ["media-empty-error"])
        #expect(model.job(id)?.reasons == ["printer-stopped"])
        #expect(model.nextDeadline == nil)
        #expect(model.advance(to: .seconds(100)) == [])
        #expect(states(model.setCondition(slow(100), at: .seconds(200))) == [.processing])
        #expect(model.nextDeadline == .seconds(200) + .milliseconds(60))
        #expect(states(model.advance(to: .seconds(201))) == [.completed])
    }

    @Test func `a job that comes to a printer without paper waits at processing-stopped`() throws {
        var condition = PrinterCondition()
        condition.isPaperOut = true
        var model = PrinterModel(condition: condition)
        let id = try addJob(&model)
        _ = model.advance(to: .zero)
        #expect(model.job(id)?.state == .processingStopped)
        let actions = model.setCondition(PrinterCondition(), at: .seconds(1))
        #expect(model.job(id)?.state == .completed)
        #expect(paper(actions) == [1024])
    }

    @Test func `a held job stays at processing until it is released`() throws {
        var condition = PrinterCondition()
        condition.isHoldingJobs = true
        var model = PrinterModel(condition: condition)
        let id = try addJob(&model)
        _ = model.advance(to: .zero)
        #expect(model.advance(to: .seconds(1000)) == [])
        #expect(model.job(id)?.state == .processing)
        #expect(model.nextDeadline == nil)
        _ = model.setCondition(PrinterCondition(), at: .seconds(1001))
        #expect(model.job(id)?.state == .completed)
    }

    @Test func `canceling in the middle leaves on paper what came out`() throws {
        var model = PrinterModel(condition: slow(100))
        let id = try addJob(&model, bytes: 1000)
        _ = model.advance(to: .zero)
        let total = try #require(model.nextDeadline)
        let actions = try model.cancelJob(id, at: total / 2)
        #expect(states(actions) == [.canceled])
        #expect(paper(actions) == [500])
    }

    @Test func `a finished job cannot be canceled, nor one that never was`() throws {
        var model = PrinterModel()
        let id = try addJob(&model)
        _ = model.advance(to: .zero)
        #expect(throws: PrinterModel.JobError.notPossible(.completed)) { try model.cancelJob(id, at: .zero) }
        #expect(throws: PrinterModel.JobError.notFound) { try model.cancelJob(99, at: .zero) }
    }

    @Test(arguments: [(true, [Int64(700)]), (false, [])])
    func `a broken connection aborts the job; only a roll has printed what came`(
        streaming: Bool, onPaper: [Int64]
    ) throws {
        var model = PrinterModel(printsWhileReceiving: streaming)
        let id = try model.createJob(JobRequest(), at: .zero).id
        try model.beginDocument(id, number: 1, format: "text/plain")
        model.received(id, bytes: 700)
        let actions = model.abandonDocument(id, at: .seconds(1))
        #expect(states(actions) == [.aborted])
        #expect(paper(actions) == onPaper)
    }

    @Test func `losing power forgets the jobs, keeps the paper and begins at job 1 again`() throws {
        var model = PrinterModel(condition: slow(100))
        _ = try addJob(&model)
        _ = try addJob(&model)
        _ = model.advance(to: .zero)
        let actions = model.losePower(at: .milliseconds(50))
        #expect(paper(actions) == [512])
        #expect(model.jobs.isEmpty)
        #expect(!model.isOn)
        model.powerOn(at: .seconds(5))
        #expect(try addJob(&model, at: .seconds(5)) == 1)
    }

    @Test func `a job whose document never comes is given up`() throws {
        var model = PrinterModel()
        let id = try model.createJob(JobRequest(), at: .zero).id
        let deadline = try #require(model.nextDeadline)
        #expect(model.advance(to: deadline - .milliseconds(1)) == [])
        #expect(states(model.advance(to: deadline)) == [.aborted])
        #expect(model.job(id)?.reasons.contains("job-data-insufficient") == true)
    }

    @Test func `a job has one document`() throws {
        var model = PrinterModel()
        let id = try model.createJob(JobRequest(), at: .zero).id
        try model.beginDocument(id, number: 1, format: "text/plain")
        _ = model.endDocument(id, isLast: false, at: .zero)
        #expect(throws: PrinterModel.JobError.multipleDocuments) {
            try model.beginDocument(id, number: 2, format: "text/plain")
        }
        _ = try model.closeJob(id, at: .zero)
        #expect(model.job(id)?.state == .pending)
        #expect(throws: PrinterModel.JobError.notPossible(.pending)) { try model.closeJob(id, at: .zero) }
    }

    @Test func `takes no jobs while it refuses`() {
        var condition = PrinterCondition()
        condition.isRejectingJobs = true
        var model = PrinterModel(condition: condition)
        #expect(throws: PrinterModel.JobError.notAcceptingJobs) { try model.createJob(JobRequest(), at: .zero) }
    }

    @Test func `holds only so many jobs at a time`() throws {
        var model = PrinterModel()
        for _ in 0..<1000 { _ = try model.createJob(JobRequest(), at: .zero) }
        #expect(throws: PrinterModel.JobError.tooManyJobs) { try model.createJob(JobRequest(), at: .zero) }
        _ = try model.cancelJob(500, at: .zero)
        _ = try model.createJob(JobRequest(), at: .zero)
    }

    @Test func `remembers only so many finished jobs`() throws {
        var model = PrinterModel()
        for _ in 0..<700 {
            _ = try addJob(&model)
            _ = model.advance(to: .zero)
        }
        #expect(model.jobs.count == 500)
        #expect(model.jobs.first?.id == 201)
    }
}
