import Glibc
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import KioskDevicePrinting
@testable import KioskSocket

/// Printers that take raw data over TCP.
@Suite(.timeLimit(.minutes(10))) struct SocketTransportTests {
    private static let receipt = Array("TOTAL 12,50\n".utf8)

    private struct Shop {
        let printer: SimulatedRawPrinter
        let transport: SocketTransport
        var target: PrinterTarget { get throws { PrinterTarget(url: try PrinterURL(printer.uri)) } }

        func deliver(_ id: String, _ bytes: [UInt8]) async throws -> JobReport {
            try await transport.deliver(.receipt(id, bytes), to: target) { _ in }
        }
    }

    private func withShop(
        _ options: SimulatedRawPrinter.Options = .init(), idleTimeout: Duration = .seconds(60),
        maximumSilence: Duration = .seconds(2), close: Duration = .seconds(5),
        settings: DeviceSettings = DeviceSettings(language: .escPOS, completion: .processID),
        _ body: (Shop) async throws -> Void
    ) async throws {
        let printer = try await SimulatedRawPrinter.start(options)
        let transport = Self.transport(
            idleTimeout: idleTimeout, settings: settings, maximumSilence: maximumSilence, close: close)
        do {
            try await body(Shop(printer: printer, transport: transport))
        } catch {
            await transport.shutDown()
            try await printer.stop()
            throw error
        }
        await transport.shutDown()
        try await printer.stop()
    }

    private static func transport(
        idleTimeout: Duration, settings: DeviceSettings, maximumSilence: Duration = .seconds(2),
        close: Duration = .seconds(5)
    ) -> SocketTransport {
        var deadlines = SocketTransport.Deadlines()
        deadlines.close = close
        deadlines.maximumSilence = maximumSilence
        deadlines.idleTimeout = idleTimeout
        return SocketTransport(
            settings: { _ in settings }, group: .singletonMultiThreadedEventLoopGroup, deadlines: deadlines)
    }

    /// Without what the conversation itself sends before and behind a job.
    private static func occurrences(of bytes: [UInt8], in paper: [UInt8]) -> Int {
        guard paper.count >= bytes.count else { return 0 }
        return (0...(paper.count - bytes.count)).count { paper[$0..<$0 + bytes.count].elementsEqual(bytes) }
    }

    // MARK: Evidence

    @Test(
        arguments: [
            (DeviceSettings.Completion.processID, Evidence.printed), (.statusRequest, .processed), (.none, .sent),
        ])
    func `a receipt arrives byte for byte, with the evidence that the printer gives`(
        completion: DeviceSettings.Completion, evidence: Evidence
    ) async throws {
        try await withShop(settings: DeviceSettings(language: .escPOS, completion: completion)) { shop in
            let report = try await shop.deliver("k1", Self.receipt)
            #expect(report.state == .completed && report.evidence == evidence)
            #expect(Self.occurrences(of: Self.receipt, in: try await shop.printer.paper) == 1)
        }
    }

    @Test func `a Star printer that another program holds is busy, or stopped where its status port says so`()
        async throws
    {
        var options = SimulatedRawPrinter.Options()
        (options.language, options.statusPort) = (.star, 0)
        let printer = try await SimulatedRawPrinter.start(options)
        var statusPort = StarStatusPort()
        statusPort.port = try #require(printer.statusPort)
        let settings = DeviceSettings(language: .starLine)
        let transport = SocketTransport(
            settings: { _ in settings }, group: .singletonMultiThreadedEventLoopGroup, deadlines: .init(),
            starStatusPort: statusPort)
        let target = PrinterTarget(url: try PrinterURL(printer.uri))
        transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: target)
        let rival = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: printer.port).get()
        try await eventually("the rival has the printer") { try await printer.connections == 1 }
        #expect(try await transport.contact(target).availability.state == .busy)
        try await printer.perform(.set(.paperOut, true))
        let stopped = try await transport.contact(target).availability
        #expect(stopped.state == .stopped && stopped.reasons.map(\.keyword) == ["media-empty"])
        try await printer.perform(.set(.paperOut, false))
        try await rival.close()
        try await eventually("its turn") { try await transport.contact(target).availability.state == .ready }
        // Without power, the status port says nothing either.
        try await printer.perform(.powerOff)
        try await eventually("it is gone") {
            do {
                _ = try await transport.contact(target)
                return false
            } catch is TransportError {
                return true
            }
        }
        await transport.shutDown()
        try await printer.stop()
    }

    @Test func `a Star printer confirms by its counter`() async throws {
        var options = SimulatedRawPrinter.Options()
        options.language = .star
        try await withShop(options, settings: DeviceSettings(language: .starLine)) { shop in
            for number in 1...3 {
                let report = try await shop.deliver("k\(number)", Self.receipt)
                #expect(report.evidence == .printed)
            }
            #expect(Self.occurrences(of: Self.receipt, in: try await shop.printer.paper) == 3)
            #expect(try await shop.printer.connections == 1)
        }
    }

    @Test func `a printer that never says a word gets the bytes, and the evidence is that they were sent`() async throws
    {
        var options = SimulatedRawPrinter.Options()
        options.language = .none
        try await withShop(options, settings: DeviceSettings()) { shop in
            let long = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try await shop.deliver("k1", long).evidence == .sent)
            try await eventually("the printer to have read all") { try await shop.printer.paper == long }
        }
    }

    // MARK: Before each job

    @Test(arguments: [RawPrinterLanguage.escPOS, .star])
    func `a printer is asked again before each job, over the same connection`(language: RawPrinterLanguage) async throws
    {
        var options = SimulatedRawPrinter.Options()
        options.language = language
        let settings = DeviceSettings(language: language == .star ? .starLine : .escPOS)
        try await withShop(options, maximumSilence: .zero, settings: settings) { shop in
            shop.transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: try shop.target)
            for number in 1...3 { #expect(try await shop.deliver("k\(number)", Self.receipt).evidence > .sent) }
            #expect(Self.occurrences(of: Self.receipt, in: try await shop.printer.paper) == 3)
            #expect(try await shop.printer.connections == 1)
        }
    }

    @Test func `a printer that has responded and now does not gets nothing`() async throws {
        try await withShop(idleTimeout: .milliseconds(1), maximumSilence: .zero) { shop in
            shop.transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: try shop.target)
            #expect(try await shop.deliver("k1", Self.receipt).evidence == .printed)
            try await shop.printer.perform(.mute(true))
            try await eventually("a refusal") {
                do {
                    _ = try await shop.deliver("k2", Array("second\n".utf8))
                    return false
                } catch let error as TransportError {
                    return error.code == .printerBusy && error.bytesAccepted == 0
                }
            }
            try await shop.printer.perform(.mute(false))
            #expect(try await shop.deliver("k3", Array("third\n".utf8)).evidence == .printed)
        }
    }

    @Test func `a printer that hangs with its first job leaves it in doubt, and its silence is told meanwhile`()
        async throws
    {
        // A paper speed at which the time for the receipt is over soon.
        let settings = DeviceSettings(language: .escPOS, completion: .processID, paperSpeed: 1000)
        try await withShop(settings: settings) { shop in
            _ = try await shop.transport.contact(shop.target)
            // The first bytes may be read all the same.
            try await shop.printer.perform(.mute(true))
            try await shop.printer.perform(.stall(true))
            async let first = shop.deliver("k1", Self.receipt)
            try await eventually("its silence is told") {
                do {
                    _ = try await shop.transport.contact(shop.target)
                    return false
                } catch let error as TransportError {
                    return error.message.contains("it has a job and does not respond")
                }
            }
            do {
                let report = try await first
                Issue.record("it counts as \(report)")
            } catch let error as TransportError {
                #expect(error.bytesAccepted == Self.receipt.count, "\(error)")
            }
            // It gets nothing more before it responds.
            await #expect(throws: TransportError.self) { _ = try await shop.deliver("k2", Self.receipt) }
            try await shop.printer.perform(.mute(false))
            try await shop.printer.perform(.stall(false))
            try await eventually("it is back") {
                (try? await shop.deliver("k3", Self.receipt))?.evidence == .printed
            }
        }
    }

    @Test func `one that must not be asked is never waited for`() async throws {
        let settings = DeviceSettings(language: .escPOS, completion: .statusRequest, status: .never)
        try await withShop(idleTimeout: .milliseconds(1), settings: settings) { shop in
            #expect(try await shop.deliver("k1", Self.receipt).evidence == .processed)
            try await eventually("another connection") {
                #expect(try await shop.transport.contact(shop.target).availability.state == .ready)
                return try await shop.printer.connections > 1
            }
        }
    }

    @Test func `a recovery that another program's turn kept from the printer is done again`() async throws {
        try await withShop { shop in
            _ = try await shop.deliver("k1", Self.receipt)
            try await shop.printer.perform(.losePowerAfter(bytes: 10_000))
            let long = [UInt8](repeating: 0x20, count: 200_000)
            await #expect(throws: TransportError.self) { try await shop.deliver("k2", long) }
            try await shop.printer.perform(.powerOn)
            let before = try await shop.printer.connections
            var rival: LoopbackSocket? = try LoopbackSocket()
            try rival?.connect(to: shop.printer.port)
            try await eventually("the rival's turn") { try await shop.printer.connections > before }
            let error = try await #require(throws: TransportError.self) { try await shop.deliver("k3", Self.receipt) }
            #expect(error.code == .printerBusy && rival != nil)
            rival = nil
            try await eventually("its turn") {
                do {
                    return try await shop.deliver("k4", Self.receipt).evidence == .printed
                } catch let error as TransportError where error.code == .printerBusy {
                    return false
                }
            }
            // The NULs of the recovery are there, before the receipt.
            let runs = try await shop.printer.paper.split(omittingEmptySubsequences: true) { $0 != 0 }
            #expect(runs.contains { $0.count >= Resynchroniser.padding })
        }
    }

    @Test func `what a printer took is printed later, also where the connection is closed before`() async throws {
        var options = SimulatedRawPrinter.Options()
        options.language = .none
        try await withShop(
            options, idleTimeout: .milliseconds(1), close: .milliseconds(1), settings: DeviceSettings()
        ) { shop in
            try await shop.printer.perform(.stall(true))
            #expect(try await shop.deliver("k1", Self.receipt).evidence == .sent)
            await shop.transport.shutDown()
            try await shop.printer.perform(.stall(false))
            try await eventually("the receipt") { try await shop.printer.paper == Self.receipt }
        }
    }

    // MARK: Status

    @Test func `contact tells what the profile and the printer say`() async throws {
        try await withShop { shop in
            var report = try await shop.transport.contact(shop.target)
            #expect(report.availability.state == .ready)
            #expect(report.description.jobTypes == [.receipt, .roll])
            #expect(report.description.formats == [.escPOS, .octetStream])
            #expect(report.description.learned?.respondsToStatusRequests == true)
            try await shop.printer.perform(.set(.coverOpen, true))
            // It tells by itself.
            try await eventually("the open cover") {
                report = try await shop.transport.contact(shop.target)
                return report.availability.state == .stopped
            }
            #expect(report.availability.reasons.map(\.keyword) == ["cover-open"])
        }
    }

    @Test func `a printer that runs out of paper in the middle prints on after the refill`() async throws {
        try await withShop { shop in
            _ = try await shop.deliver("k1", Self.receipt)
            try await shop.printer.perform(.set(.paperOut, true))
            // A job that has begun before the printer says so waits for the refill.
            try await eventually("the end of the paper") {
                try await shop.transport.contact(shop.target).availability.state == .stopped
            }
            await #expect(throws: TransportError.self) { try await shop.deliver("k2", Self.receipt) }
            try await shop.printer.perform(.set(.paperOut, false))
            let stopped = Recorder<Bool>()
            let long = Array(String(repeating: "line\n", count: 20_000).utf8)
            let target = try shop.target
            async let report = shop.transport.deliver(.receipt("k3", long), to: target) { step in
                if case .sending(let bytes, _) = step, bytes > 0, stopped.all.isEmpty { stopped.add(true) }
            }
            try await eventually("the first bytes") { !stopped.all.isEmpty }
            try await shop.printer.perform(.set(.paperOut, true))
            try await shop.printer.perform(.set(.paperOut, false))
            #expect(try await report.evidence == .printed)
            #expect(Self.occurrences(of: long, in: try await shop.printer.paper) == 1)
        }
    }

    // MARK: Other programs

    @Test func `nothing is sent to a printer that serves another program, and nothing is printed later`() async throws {
        try await withShop { shop in
            let rival = try LoopbackSocket()
            try rival.connect(to: shop.printer.port)
            try await eventually("the rival's turn") { try await shop.printer.connections == 1 }
            shop.transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: try shop.target)
            let error = try await #require(throws: TransportError.self) { try await shop.deliver("k1", Self.receipt) }
            #expect(error.code == .printerBusy && error.bytesAccepted == 0)
            #expect(error.message.contains("another program"))
            let busy = try await #require(throws: TransportError.self) { try await shop.transport.contact(shop.target) }
            #expect(busy.code == .printerBusy)
            try await shop.printer.perform(.dropConnection)
            #expect(try await shop.deliver("k2", Array("second\n".utf8)).evidence == .printed)
            #expect(Self.occurrences(of: Self.receipt, in: try await shop.printer.paper) == 0)
            withExtendedLifetime(rival) {}
        }
    }

    @Test func `two tills share a printer that serves one at a time`() async throws {
        let settings = DeviceSettings(language: .escPOS, completion: .processID)
        try await withShop(idleTimeout: .milliseconds(1), settings: settings) { shop in
            let other = Self.transport(idleTimeout: .milliseconds(1), settings: settings)
            let target = try shop.target
            for transport in [shop.transport, other] {
                transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: target)
            }
            let count = 20
            try await withThrowingDiscardingTaskGroup { group in
                for (till, transport) in [("A", shop.transport), ("B", other)] {
                    group.addTask {
                        for number in 0..<count {
                            let text = Array("[\(till)\(number)]\n".utf8)
                            try await eventually("\(till)'s turn") {
                                do {
                                    let report = try await transport.deliver(
                                        .receipt("\(till)\(number)", text), to: target
                                    ) { _ in }
                                    #expect(report.evidence == .printed)
                                    return true
                                } catch let error as TransportError where error.code == .printerBusy {
                                    #expect(error.bytesAccepted == 0)
                                    return false
                                }
                            }
                        }
                    }
                }
            }
            let paper = try await shop.printer.paper
            for till in ["A", "B"] {
                let text = String(decoding: paper, as: UTF8.self)
                var places: [String.Index] = []
                for number in 0..<count {
                    #expect(Self.occurrences(of: Array("[\(till)\(number)]".utf8), in: paper) == 1)
                    places += text.ranges(of: "[\(till)\(number)]").map(\.lowerBound)
                }
                #expect(places == places.sorted())
            }
            await other.shutDown()
        }
    }

    @Test func `the idle connection is closed some time after the last job`() async throws {
        try await withShop(idleTimeout: .milliseconds(1)) { shop in
            _ = try await shop.deliver("k1", Self.receipt)
            // The printer serves the next client only once the first has gone.
            let next = try LoopbackSocket()
            try next.connect(to: shop.printer.port)
            try await eventually("the next client's turn") { try await shop.printer.connections == 2 }
            withExtendedLifetime(next) {}
        }
    }

    // MARK: Faults

    @Test func `a connection that the printer closed while idle costs nothing`() async throws {
        try await withShop { shop in
            #expect(try await shop.deliver("k1", Self.receipt).evidence == .printed)
            // As at the end of its idle limit.
            try await shop.printer.perform(.closeConnection)
            try await eventually("another connection") {
                #expect(try await shop.transport.contact(shop.target).availability.state == .ready)
                return try await shop.printer.connections == 2
            }
            #expect(try await shop.deliver("k2", Array("second\n".utf8)).evidence == .printed)
            #expect(Self.occurrences(of: Array("second\n".utf8), in: try await shop.printer.paper) == 1)
        }
    }

    @Test func `a printer that loses its power in the middle leaves the job in doubt`() async throws {
        try await withShop { shop in
            _ = try await shop.deliver("k1", Self.receipt)
            try await shop.printer.perform(.losePowerAfter(bytes: 10_000))
            let long = [UInt8](repeating: 0x20, count: 200_000)
            let error = try await #require(throws: TransportError.self) { try await shop.deliver("k2", long) }
            #expect(error.code == .outcomeUnknown)
            #expect(error.bytesAccepted > 0 && error.bytesAccepted <= Int64(long.count))
            let refused = try await #require(throws: TransportError.self) { try await shop.deliver("k3", Self.receipt) }
            #expect(refused.code == .connectionRefused && refused.bytesAccepted == 0)
            try await shop.printer.perform(.powerOn)
            #expect(try await shop.deliver("k4", Self.receipt).evidence == .printed)
        }
    }

    @Test func `a job that is cancelled at a closed window ends at once, and its rest is not printed later`()
        async throws
    {
        try await withShop { shop in
            _ = try await shop.deliver("k1", Self.receipt)
            try await shop.printer.perform(.stall(true))
            let long = [UInt8](repeating: 0x20, count: 400_000) + Array("END\n".utf8)
            let begun = Gate()
            let target = try shop.target
            let job = Task {
                try await shop.transport.deliver(.receipt("k2", long), to: target) { step in
                    if case .sending = step { begun.open() }
                }
            }
            try await begun.wait()
            job.cancel()
            let error = try await #require(throws: TransportError.self) { try await job.value }
            #expect(error.code == .cancelled)
            #expect(error.bytesAccepted < Int64(long.count))
            try await shop.printer.perform(.stall(false))
            #expect(try await shop.deliver("k3", Self.receipt).evidence == .printed)
            #expect(Self.occurrences(of: Array("END\n".utf8), in: try await shop.printer.paper) == 0)
        }
    }

    @Test func `nobody at the port is told with what to do`() async throws {
        let transport = Self.transport(idleTimeout: .seconds(1), settings: DeviceSettings(language: .escPOS))
        let target = PrinterTarget(url: try PrinterURL("socket://127.0.0.1:\(try freePort())"))
        let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
        #expect(error.code == .connectionRefused)
        #expect(error.message.contains("another program may have the printer"))
        await transport.shutDown()
    }

    @Test func `a port that sends garbage without end harms nothing`() async throws {
        let server = try ScriptedPrinter { connection in
            let noise = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            while true { try connection.send(noise) }
        }
        // Else it would go on for as long as the tests run.
        defer { server.stop() }
        let transport = Self.transport(
            idleTimeout: .seconds(1), settings: DeviceSettings(language: .escPOS, completion: .statusRequest))
        let target = PrinterTarget(url: try PrinterURL("socket://127.0.0.1:\(server.port)"))
        do {
            _ = try await transport.contact(target)
        } catch {
            await transport.shutDown()
            throw error
        }
        await transport.shutDown()
    }
}

/// What becomes of probes that nobody answers. The times are handed in.
@Suite struct UnansweredProbesTests {
    /// Whether the probes are too many after each of these: unanswered ones, and the second at which that is seen.
    private func tooMany(_ states: [(TCPCounters, second: UInt64)]) -> [Bool] {
        var probes = UnansweredProbes()
        return states.map { probes.areTooMany($0.0, at: .uptimeNanoseconds($0.second * 1_000_000_000)) }
    }

    @Test func `a few lost probes prove nothing, and many for a while do`() {
        let states = [(TCPCounters(probes: 1), UInt64(0)), (TCPCounters(probes: 5), 14), (TCPCounters(probes: 6), 15)]
        #expect(tooMany(states) == [false, false, true])
    }

    @Test func `an answered probe begins the time anew`() {
        let states = [
            (TCPCounters(retransmits: 4), UInt64(0)), (TCPCounters(), 10), (TCPCounters(retransmits: 4), 16),
        ]
        #expect(tooMany(states) == [false, false, false])
    }
}
