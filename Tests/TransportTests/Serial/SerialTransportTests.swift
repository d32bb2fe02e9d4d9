import Foundation
import Glibc
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskDevicePrinting
@testable import KioskSerial

/// Printers on serial ports. Where news never come, the limit ends the wait.
@Suite(.timeLimit(.minutes(5))) struct SerialTransportTests {
    private static let receipt = Array("TOTAL 12,50\n".utf8)

    private func withShop(
        settings: DeviceSettings = DeviceSettings(language: .escPOS, completion: .processID),
        _ body: (SerialLinePrinter, SerialTransport) async throws -> Void
    ) async throws {
        let printer = try SerialLinePrinter()
        let transport = SerialTransport(settings: { _ in settings })
        do {
            try await body(printer, transport)
        } catch {
            await transport.shutDown()
            printer.stop()
            throw error
        }
        await transport.shutDown()
        printer.stop()
    }

    private func failure(
        of delivery: Delivery, to target: PrinterTarget, over transport: SerialTransport
    ) async throws -> TransportError {
        try await #require(throws: TransportError.self) { try await transport.deliver(delivery, to: target) { _ in } }
    }

    // MARK: Evidence

    @Test(
        arguments: [
            (DeviceSettings.Completion.processID, Evidence.printed), (.statusRequest, .processed), (.none, .sent),
        ])
    func `a receipt arrives byte for byte, with the evidence that the printer gives`(
        completion: DeviceSettings.Completion, evidence: Evidence
    ) async throws {
        try await withShop(settings: DeviceSettings(language: .escPOS, completion: completion)) { printer, transport in
            // All 256 bytes, as in pictures.
            let receipt = Self.receipt + (0..<2000).map { UInt8(truncatingIfNeeded: $0) | 0x80 } + [0x11, 0x13]
            let target = try printer.target("baud=115200+bits=8+parity=none+flow=hard+stop=1")
            let report = try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            #expect(report.state == .completed && report.evidence == evidence)
            try await eventually("the paper") { printer.paper.firstRange(of: receipt) != nil }
        }
    }

    @Test func `the line has the settings of the URL, and is the printer's alone`() async throws {
        try await withShop { printer, transport in
            _ = try await transport.contact(try printer.target("baud=38400&flow=hard&stop=2"))
            let mode = try printer.line.mode
            #expect(mode.c_cflag & tcflag_t(CLOCAL) != 0 && mode.c_cflag & tcflag_t(HUPCL) == 0)
            #expect(mode.c_cflag & CRTSCTS != 0 && mode.c_cflag & tcflag_t(CSTOPB) != 0)
            #expect(mode.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0 && mode.c_oflag & tcflag_t(OPOST) == 0)
            var copy = mode
            #expect(cfgetospeed(&copy) == speed_t(B38400))
            // Another transport stands for another program.
            let rival = SerialTransport()
            let target = try printer.target("baud=9600")
            let error = try await #require(throws: TransportError.self) { try await rival.contact(target) }
            #expect(error.code == .printerBusy)
            #expect(error.message.contains("another program has \(printer.line.link) open"))
            await rival.shutDown()
        }
    }

    @Test func `a slow line is waited for, and its progress is that of its speed`() async throws {
        try await withShop { printer, transport in
            let receipt = [UInt8](repeating: 0x20, count: 480) + Self.receipt
            let progress = Mutex<[Int64]>([])
            let start = ContinuousClock.now
            let report = try await transport.deliver(
                .receipt("k1", receipt), to: try printer.target("baud=2400")
            ) { step in
                if case .sending(let bytes, _) = step { progress.withLock { $0.append(bytes) } }
            }
            #expect(report.evidence == .printed)
            // 240 bytes a second.
            #expect(ContinuousClock.now - start >= .seconds(2))
            #expect(Set(progress.withLock(\.self)).count > 2)
        }
    }

    // MARK: Before each job

    @Test func `a printer that was switched off gets nothing, and is used when it is on again`() async throws {
        try await withShop { printer, transport in
            let target = try printer.target()
            _ = try await transport.deliver(.receipt("k1", Self.receipt), to: target) { _ in }
            printer.switchOff(true)
            let silence = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(silence.code == .timedOut && silence.message.contains("does not respond"))
            let error = try await failure(of: .receipt("k2", Array("second\n".utf8)), to: target, over: transport)
            #expect(error.code == .timedOut && error.bytesAccepted == 0)
            printer.switchOff(false)
            try await eventually("a response in time") {
                (try? await transport.deliver(.receipt("k3", Array("third\n".utf8)), to: target) { _ in })?.evidence
                    == .printed
            }
            #expect(printer.paper.firstRange(of: Array("second".utf8)) == nil)
        }
    }

    /// What arrives at another speed: bytes that are no response, and some that look like one to another request.
    @Test(arguments: [[0xFE, 0x80, 0xFF], [0x00, 0x60]] as [[UInt8]])
    func `a printer that answers at another speed is told so, and gets no job`(noise: [UInt8]) async throws {
        try await withShop { printer, transport in
            printer.garble(as: noise)
            let target = try printer.target("baud=9600")
            // On a busy machine, what it says may come when the request is over.
            try await eventually("three responses") {
                do {
                    _ = try await transport.contact(target)
                    return false
                } catch let error as TransportError where error.code == .protocolViolation {
                    return error.message.contains("the printer answers, but not at this baud rate")
                } catch let error as TransportError where error.code == .timedOut {
                    return false
                }
            }
            let error = try await failure(of: .receipt("k1", Self.receipt), to: target, over: transport)
            #expect(error.code == .protocolViolation || error.code == .timedOut)
            #expect(error.bytesAccepted == 0)
            printer.garble(as: nil)
            try await eventually("a response in time") {
                (try? await transport.deliver(.receipt("k2", Self.receipt), to: target) { _ in })?.evidence == .printed
            }
        }
    }

    @Test func `its state is reported while it is idle`() async throws {
        try await withShop { printer, transport in
            let target = try printer.target()
            #expect(try await transport.contact(target).availability.state == .ready)
            var news = try #require(transport.news()).makeAsyncIterator()
            printer.change(.paperOut, to: true)
            while let next = await news.next() {
                if case .changed(let availability) = next.kind, availability.state == .stopped { break }
            }
            let error = try await failure(of: .receipt("k1", Self.receipt), to: target, over: transport)
            #expect(error.code == .printerNotAccepting && error.bytesAccepted == 0)
        }
    }

    // MARK: Unplugged

    @Test func `an adapter that is pulled out in a job leaves it in doubt, and is used again when it is back`()
        async throws
    {
        let folder = try TemporaryFolder("serial")
        let transport = SerialTransport(settings: { _ in
            DeviceSettings(language: .escPOS, completion: .processID)
        })
        let printer = try SerialLinePrinter(in: folder)
        let target = try printer.target()
        _ = try await transport.deliver(.receipt("k1", Self.receipt), to: target) { _ in }
        var news = try #require(transport.news()).makeAsyncIterator()
        printer.unplug(after: 500)
        let long = [UInt8](repeating: 0x20, count: 20_000)
        let error = try await failure(of: .receipt("k2", long), to: target, over: transport)
        #expect(error.code == .outcomeUnknown && error.bytesAccepted > 0 && error.bytesAccepted < Int64(long.count))
        #expect(error.message.contains("unplugged"))
        let gone = try await #require(throws: TransportError.self) { try await transport.contact(target) }
        #expect(gone.code == .hostNotFound && gone.message.contains("ls /dev/serial/by-id"))
        printer.stop()
        let replugged = try SerialLinePrinter(in: folder)
        var kinds: [PrinterNews.Kind] = []
        while kinds.last != .appeared, let next = await news.next() { kinds.append(next.kind) }
        #expect(kinds.contains { if case .disappeared = $0 { true } else { false } })
        let report = try await transport.deliver(.receipt("k3", Self.receipt), to: target) { _ in }
        #expect(report.evidence == .printed)
        // The printer lacks the rest of the job: it is resynchronised first.
        #expect(replugged.paper.count >= Resynchroniser.padding)
        await transport.shutDown()
        replugged.stop()
    }

    // MARK: No room

    /// Starts a job on a printer that takes nothing in the middle of it, and returns once that is so.
    private func start(
        _ document: [UInt8], on printer: SerialLinePrinter, _ transport: SerialTransport
    ) async throws -> Task<JobReport, any Error> {
        let target = try printer.target(Self.fast)
        printer.stall(after: 10_000)
        let job = Task { try await transport.deliver(.receipt("k1", document), to: target) { _ in } }
        try await eventually("the printer to take no more") { printer.isStalled }
        return job
    }

    private static let fast = "baud=4000000+flow=hard"

    @Test func `a printer without room is waited for`() async throws {
        try await withShop { printer, transport in
            let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) | 0x80 }
            let job = try await start(long, on: printer, transport)
            printer.goOn()
            #expect(try await job.value.evidence == .printed)
            #expect(printer.paper.firstRange(of: long) != nil)
        }
    }

    @Test func `a job that is cancelled while the printer takes nothing ends, and the next one prints`() async throws {
        try await withShop { printer, transport in
            let long = [UInt8](repeating: 0x20, count: 300_000)
            let job = try await start(long, on: printer, transport)
            job.cancel()
            let error = try await #require(throws: TransportError.self) { try await job.value }
            #expect(error.code == .cancelled)
            #expect(error.bytesAccepted > 0 && error.bytesAccepted < Int64(long.count))
            printer.goOn()
            let target = try printer.target(Self.fast)
            let report = try await transport.deliver(.receipt("k2", Self.receipt), to: target) { _ in }
            #expect(report.evidence == .printed)
        }
    }

    // MARK: What cannot work

    @Test func `pictures are refused where the line takes their bytes for flow control`() async throws {
        try await withShop { printer, transport in
            let target = try printer.target("baud=115200+flow=soft")
            let picture = Self.receipt + [0x1D, 0x76, 0x30, 0, 1, 0, 1, 0, 0x13]
            let error = try await failure(of: .receipt("k1", picture), to: target, over: transport)
            #expect(error.code == .jobRefused && error.message.contains("flow=soft"))
            let report = try await transport.deliver(.receipt("k2", Self.receipt), to: target) { _ in }
            #expect(report.evidence == .printed)
            #expect(printer.paper.firstRange(of: picture) == nil)
        }
    }

    @Test(
        arguments: [
            ("baud=9600+flow=dtrdsr", "has no wire for DSR"), ("baud=9600+parity=even", "cannot be set to"),
        ])
    func `a port that lacks what the URL asks for says so`(options: String, reason: String) async throws {
        try await withShop { printer, transport in
            let target = try printer.target(options)
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.code == .notSupported && error.message.contains(reason))
        }
    }

    @Test(
        arguments: [
            (SerialPortError(.accessDenied(group: "dialout"), "open", EACCES), "SupplementaryGroups=dialout"),
            (SerialPortError(.accessDenied(group: nil), "open", EACCES), "udev rule"),
            (SerialPortError(.forbidden, "open", EPERM), "DeviceAllow=/dev/ttyUSB0 rw"),
        ])
    private func `missing rights are named, with what gives them`(error: SerialPortError, advice: String) throws {
        let shown = TransportError(error, printer: try PrinterURL("serial:/dev/ttyUSB0?baud=9600"))
        #expect(shown.code == .accessDenied && shown.message.contains(advice))
    }

    @Test func `a file that is no serial port gets nothing`() async throws {
        let folder = try TemporaryFolder("serial")
        let file = try folder.write("text", to: "file")
        let transport = SerialTransport()
        let target = PrinterTarget(url: try PrinterURL("serial:\(file)?baud=9600"))
        let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
        #expect(error.code == .notSupported && error.message.contains("is not a serial port"))
        await transport.shutDown()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "text")
    }
}

/// How far a line can have got. The times are handed in.
@Suite struct LinePaceTests {
    @Test func `a line sends no faster than its speed, one write behind the other`() {
        var settings = SerialSettings()
        settings.baud = 9600
        settings.parity = .even
        settings.stopBits = 2
        var pace = LinePace(settings)
        #expect(pace.bytes(in: .seconds(1)) == 800)
        let start = ContinuousClock.now
        #expect(pace.unsent(at: start) == 0)
        pace.wrote(800, at: start)
        pace.wrote(400, at: start)
        #expect(pace.unsent(at: start) == 1200)
        #expect(pace.unsent(at: start + .milliseconds(500)) == 800)
        #expect(pace.unsent(at: start + .seconds(2)) == 0)
        pace.wrote(80, at: start + .seconds(2))
        #expect(pace.unsent(at: start + .seconds(2)) == 80)
        pace.discard()
        #expect(pace.unsent(at: start + .seconds(2)) == 0)
    }
}
