import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Every fault of the simulated printer, seen by Debian's ipptool.
@Suite struct SimulatedPrinterFaultTests {
    private static let text = "one receipt\n"

    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write(Self.text, to: "receipt.txt")
    }

    private func start(_ kind: SimulatedPrinterKind = .receipt) async throws -> SimulatedPrinter {
        try await SimulatedPrinter.start(.init(kind))
    }

    private func printJob(_ printer: SimulatedPrinter, _ file: String) async throws -> ChildProcess.Result {
        try await Ipptool.run("print-job.test", on: printer.uri, file: file, options: ["-tv", "-T", "5"])
    }

    private func attributes(_ printer: SimulatedPrinter) async throws -> String {
        try await Ipptool.run("get-printer-attributes.test", on: printer.uri, options: ["-tv", "-T", "5"])
            .standardOutput
    }

    @Test func `keeps the bytes and reports the paper`() async throws {
        let printer = try await start()
        #expect(try await printJob(printer, file).end.isSuccess)
        try await eventually { try await printer.paper.count == 1 }
        let document = try #require(try await printer.documents.first)
        #expect(try readFile(document.path) == Array(Self.text.utf8))
        #expect(document.isComplete && document.format == "text/plain")
        #expect(document.path.hasSuffix("/job-1.txt"))
        #expect(
            try await printer.paper == [
                PaperRecord(document: 1, jobID: 1, jobName: document.jobName, bytes: 12, isComplete: true)
            ])
        try await printer.stop()
    }

    @Test func `a job waits for paper and prints after the refill`() async throws {
        let printer = try await start()
        try await printer.perform(.paperOut)
        #expect(try await attributes(printer).contains("printer-state-reasons (keyword) = media-empty-error"))
        #expect(try await printJob(printer, file).end.isSuccess)
        #expect(try await printer.jobs.map(\.state) == [.processingStopped])
        #expect(try await printer.paper.isEmpty)
        try await printer.perform(.paperIn)
        #expect(try await printer.jobs.map(\.state) == [.completed])
        #expect(try await printer.paper.count == 1)
        try await printer.stop()
    }

    @Test func `a printer that forgets each job as it ends tells of none`() async throws {
        let printer = try await start()
        try await printer.perform(.forgetAtEnd(true))
        #expect(try await printJob(printer, file).end.isSuccess)
        try await eventually { try await printer.paper.count == 1 }
        #expect(try await printer.jobs.isEmpty)
        try await printer.perform(.forgetAtEnd(false))
        #expect(try await printJob(printer, file).end.isSuccess)
        #expect(try await printer.jobs.map(\.state) == [.completed])
        try await printer.stop()
    }

    @Test func `a printer that ignores Validate-Job answers everything else`() async throws {
        let printer = try await start()
        try await printer.perform(.ignoreValidation(true))
        func validate(_ seconds: Int) async throws -> ChildProcess.Result {
            try await Ipptool.run(
                "validate-job.test", on: printer.uri, file: file, options: ["-tv", "-T", "\(seconds)"])
        }
        #expect(try await !validate(1).end.isSuccess)
        #expect(try await printJob(printer, file).end.isSuccess)
        try await printer.perform(.ignoreValidation(false))
        #expect(try await validate(60).end.isSuccess)
        try await printer.stop()
    }

    @Test func `a printer that ignores tickets says so of each wish that it lists`() async throws {
        let printer = try await start()
        try await printer.perform(.ignoreTemplates(true))
        let test = try folder.write(
            """
            {
            OPERATION Print-Job
            GROUP operation-attributes-tag
            ATTR charset attributes-charset utf-8
            ATTR naturalLanguage attributes-natural-language en
            ATTR uri printer-uri $uri
            GROUP job-attributes-tag
            ATTR integer copies 2
            ATTR keyword sides one-sided
            FILE $filename
            STATUS successful-ok-ignored-or-substituted-attributes
            EXPECT copies IN-GROUP unsupported-attributes-tag WITH-VALUE 2
            EXPECT sides IN-GROUP unsupported-attributes-tag
            }

            """, to: "one.test")
        let result = try await Ipptool.run(test, on: printer.uri, file: file, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        try await printer.stop()
    }

    @Test func `an open cover stops it, low paper does not`() async throws {
        let printer = try await start()
        try await printer.perform(.coverOpen)
        try await printer.perform(.paperLow)
        let stopped = try await attributes(printer)
        #expect(stopped.contains("cover-open-error,media-low-warning"))
        #expect(stopped.contains("printer-state (enum) = stopped"))
        try await printer.perform(.coverClose)
        #expect(try await attributes(printer).contains("printer-state (enum) = idle"))
        #expect(try await printJob(printer, file).end.isSuccess)
        try await eventually { try await printer.paper.count == 1 }
        try await printer.stop()
    }

    @Test func `responds with busy as often as told`() async throws {
        let printer = try await start()
        try await printer.perform(.busy(count: 2))
        for _ in 0..<2 {
            #expect(try await printJob(printer, file).standardOutput.contains("server-error-busy"))
        }
        #expect(try await printJob(printer, file).end.isSuccess)
        #expect(try await printer.documents.count == 1)
        try await printer.stop()
    }

    @Test func `refuses jobs and takes them again`() async throws {
        let printer = try await start()
        try await printer.perform(.refuse)
        #expect(try await attributes(printer).contains("printer-is-accepting-jobs (boolean) = false"))
        #expect(try await printJob(printer, file).standardOutput.contains("server-error-not-accepting-jobs"))
        try await printer.perform(.accept)
        #expect(try await printJob(printer, file).end.isSuccess)
        try await printer.stop()
    }

    @Test func `vanishes and comes back on its port`() async throws {
        let printer = try await start()
        let port = printer.port
        try await printer.perform(.goOffline(milliseconds: nil))
        #expect(try await !printJob(printer, file).end.isSuccess)
        try await printer.perform(.goOnline)
        #expect(printer.port == port)
        #expect(try await printJob(printer, file).end.isSuccess)
        try await printer.perform(.goOffline(milliseconds: 50))
        try await eventually("its return") { try await printJob(printer, file).end.isSuccess }
        try await printer.stop()
    }

    @Test(arguments: [(SimulatedPrinterKind.receipt, [Int64(5)]), (.laser, [])])
    func `loses power in the middle of a document`(kind: SimulatedPrinterKind, onPaper: [Int64]) async throws {
        let printer = try await start(kind)
        try await printer.perform(.losePowerAfter(bytes: 5))
        // ipptool tries again by itself, and is refused.
        #expect(try await !printJob(printer, file).end.isSuccess)
        let document = try #require(try await printer.documents.first)
        #expect(!document.isComplete && document.bytes == 5)
        #expect(try readFile(document.path) == Array(Self.text.utf8.prefix(5)))
        #expect(try await printer.paper.map(\.bytes) == onPaper)
        #expect(try await printer.paper.allSatisfy { !$0.isComplete })
        #expect(try await printer.jobs.isEmpty)
        try await printer.perform(.goOnline)
        #expect(try await printJob(printer, file).end.isSuccess)
        try await eventually { try await printer.jobs.map(\.id) == [1] }
        try await printer.stop()
    }

    @Test func `prints and loses power before it responds`() async throws {
        let printer = try await start()
        try await printer.perform(.losePowerBeforeResponse)
        #expect(try await !printJob(printer, file).end.isSuccess)
        #expect(try await printer.paper.map(\.isComplete) == [true])
        #expect(try await printer.jobs.isEmpty)
        try await printer.stop()
    }

    @Test(arguments: [ResponseFault.garbage, .half, .mute])
    func `injects a fault into a response`(fault: ResponseFault) async throws {
        let printer = try await start()
        try await printer.perform(.injectFault(fault, count: 1, documentsOnly: false))
        let faulty = try await Ipptool.run("get-printer-attributes.test", on: printer.uri, options: ["-t", "-T", "1"])
        #expect(!faulty.end.isSuccess)
        #expect(try await Ipptool.run("get-printer-attributes.test", on: printer.uri).end.isSuccess)
        try await printer.stop()
    }

    @Test func `prints although the response gets lost, and so prints twice for a client that tries again`()
        async throws
    {
        let printer = try await start()
        try await printer.perform(.injectFault(.lose, count: 1, documentsOnly: true))
        // Without a fault: the request brings no document.
        #expect(try await attributes(printer).contains("printer-name"))
        _ = try await printJob(printer, file)
        try await eventually { try await printer.paper.count >= 1 }
        try await printer.stop()
    }

    @Test func `a job at hand can be canceled, aborted and forgotten`() async throws {
        let printer = try await start()
        try await printer.perform(.hold)
        #expect(try await printJob(printer, file).end.isSuccess)
        #expect(try await printer.jobs.map(\.state) == [.processing])
        #expect(try await Ipptool.run("cancel-current-job.test", on: printer.uri).end.isSuccess)
        #expect(try await printer.jobs.map(\.state) == [.canceled])
        #expect(try await printJob(printer, file).end.isSuccess)
        try await printer.perform(.abort)
        #expect(try await printer.jobs.map(\.state) == [.canceled, .aborted])
        #expect(try await printer.paper.isEmpty)
        try await printer.perform(.forget)
        #expect(try await printer.jobs.isEmpty)
        try await printer.stop()
    }

    @Test func `breaks connections and takes new ones`() async throws {
        let printer = try await start()
        try await printer.perform(.injectFault(.mute, count: 1, documentsOnly: false))
        async let waiting = Ipptool.run("get-printer-attributes.test", on: printer.uri, options: ["-t", "-T", "60"])
        // Its request was read and is not answered: else the second one would be the one that is not.
        try await eventually { try await printer.pendingFaultCount == 0 }
        try await printer.perform(.dropConnections)
        // ipptool connects again and asks once more.
        _ = try await waiting
        #expect(try await Ipptool.run("get-printer-attributes.test", on: printer.uri).end.isSuccess)
        try await printer.stop()
    }

    @Test func `reads slowly, so that the client has to wait, and aborts the job whose connection breaks`() async throws
    {
        let printer = try await start()
        let large = try folder.write([UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20), to: "large.txt")
        // All of it would take two hours.
        try await printer.perform(.trickle(milliseconds: 1000))
        async let printing = printJob(printer, large)
        try await eventually("the first bytes") { try await (printer.jobs.first?.bytes ?? 0) > 0 }
        try await printer.perform(.powerOff)
        #expect(try await !printing.end.isSuccess)
        let document = try #require(try await printer.documents.first)
        #expect(document.bytes < 1 << 20)
        #expect(try readFile(document.path).count == Int(document.bytes))
        #expect(try await printer.paper.map(\.bytes) == [document.bytes])
        try await printer.stop()
    }
}
