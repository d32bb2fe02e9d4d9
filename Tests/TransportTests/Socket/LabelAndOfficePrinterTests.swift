import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import NIOPosix
import Synchronization
import Testing

@testable import KioskDevicePrinting
@testable import KioskSocket

/// Label printers (ZPL) and office printers (PJL) behind a raw TCP port.
@Suite struct LabelAndOfficePrinterTests {
    private static let label = Array("^XA^FO50,50^ADN,36,20^FDBag 17^FS^XZ".utf8)
    private static let pages = Array("page one\u{0C}page two\u{0C}".utf8)

    private func withPrinter(
        _ language: RawPrinterLanguage, confirms: Bool = true, timePerPage: Duration = .milliseconds(100),
        statusRequestsPerLabel: Int = 0,
        _ body: (SimulatedRawPrinter, SocketTransport, PrinterTarget) async throws -> Void
    ) async throws {
        var options = SimulatedRawPrinter.Options()
        (options.language, options.confirmsByID, options.timePerPage) = (language, confirms, timePerPage)
        options.statusRequestsPerLabel = statusRequestsPerLabel
        let printer = try await SimulatedRawPrinter.start(options)
        var deadlines = SocketTransport.Deadlines()
        deadlines.idleTimeout = .seconds(60)
        let settings = DeviceSettings(language: language == .zpl ? .zpl : .pjl)
        let transport = SocketTransport(
            settings: { _ in settings }, group: .singletonMultiThreadedEventLoopGroup, deadlines: deadlines)
        do {
            try await body(printer, transport, PrinterTarget(url: try PrinterURL(printer.uri)))
        } catch {
            await transport.shutDown()
            try await printer.stop()
            throw error
        }
        await transport.shutDown()
        try await printer.stop()
    }

    private func availability(
        _ expected: [String], of target: PrinterTarget, _ transport: SocketTransport
    ) async throws {
        try await eventually("the reasons \(expected)") {
            let report = try await transport.contact(target)
            return report.availability.reasons.map(\.keyword) == expected
        }
    }

    // MARK: Labels

    @Test(arguments: [(true, Evidence.printed), (false, .processed)])
    func `a label is printed where the odometer says so, else processed`(
        hasOdometer: Bool, evidence: Evidence
    ) async throws {
        // Without an odometer only a printer that was seen at work has processed anything. The first response may come
        // before the transport knows that the printer has the whole job.
        let requests = hasOdometer ? 0 : 2
        try await withPrinter(
            .zpl, confirms: hasOdometer, statusRequestsPerLabel: requests
        ) { printer, transport, target in
            for number in 1...3 {
                let report = try await transport.deliver(.receipt("k\(number)", Self.label), to: target) { _ in }
                #expect(report.state == .completed && report.evidence == evidence, "label \(number)")
            }
            #expect(try await printer.paper == Self.label + Self.label + Self.label)
        }
    }

    @Test func `a job that prints no label proves nothing`() async throws {
        try await withPrinter(.zpl) { printer, transport, target in
            let report = try await transport.deliver(.receipt("k1", Array("~SD15\r\n".utf8)), to: target) { _ in }
            #expect(report.state == .completed && report.evidence == .sent)
            #expect(try await printer.paper == [])
        }
    }

    @Test func `labels wait for media, and are printed once when it is in`() async throws {
        try await withPrinter(.zpl) { printer, transport, target in
            _ = try await transport.contact(target)
            let many = Array("^XA^FDBag^FS^PQ5^XZ".utf8)
            let stops = Steps()
            // Until its media is out.
            try await printer.perform(.hold(true))
            async let report = transport.deliver(.receipt("k1", many), to: target) { stops.add($0) }
            try await eventually("it has the labels") { stops.isSending }
            try await printer.perform(.set(.paperOut, true))
            try await printer.perform(.hold(false))
            try await eventually("the job waits for media") { stops.reasons.contains("media-empty") }
            try await printer.perform(.set(.paperOut, false))
            let ended = try await report
            #expect(ended.evidence == .printed)
            #expect(try await printer.paper == many)
        }
    }

    @Test func `why it cannot print is told, and nothing is sent to it`() async throws {
        try await withPrinter(.zpl) { printer, transport, target in
            try await availability([], of: target, transport)
            try await printer.perform(.set(.coverOpen, true))
            try await availability(["interlock-open"], of: target, transport)
            await #expect(throws: TransportError.self) {
                _ = try await transport.deliver(.receipt("k1", Self.label), to: target) { _ in }
            }
            try await printer.perform(.set(.coverOpen, false))
            try await availability([], of: target, transport)
            #expect(try await printer.paper == [])
        }
    }

    // MARK: Pages

    @Test func `pages are printed once the printer has ended the job`() async throws {
        try await withPrinter(.pjl) { printer, transport, target in
            for _ in 1...2 {
                let report = try await transport.deliver(.receipt("k1", Self.pages), to: target) { _ in }
                #expect(report.state == .completed && report.evidence == .printed)
            }
            #expect(try await printer.paper == Self.pages + Self.pages)
        }
    }

    @Test func `a document's own PJL job does not end ours`() async throws {
        try await withPrinter(.pjl) { printer, transport, target in
            let exit = "\u{1B}%-12345X"
            let document = Array(
                "\(exit)@PJL JOB NAME=\"driver\"\r\npage one\u{0C}\(exit)@PJL EOJ NAME=\"driver\"\r\n\(exit)".utf8)
            let report = try await transport.deliver(.receipt("k1", document), to: target) { _ in }
            #expect(report.evidence == .printed)
            #expect(try await printer.paper == Array("page one\u{0C}".utf8))
        }
    }

    @Test func `an open cover is told within the job, which then goes on`() async throws {
        try await withPrinter(.pjl) { printer, transport, target in
            let steps = Steps()
            let document = Self.pages + Self.pages
            // Until its cover is open.
            try await printer.perform(.hold(true))
            async let report = transport.deliver(.receipt("k1", document), to: target) { steps.add($0) }
            try await eventually("it has the pages") { steps.isSending }
            try await printer.perform(.set(.coverOpen, true))
            try await printer.perform(.hold(false))
            try await eventually("the job waits for the cover") { steps.reasons.contains("cover-open") }
            try await printer.perform(.set(.coverOpen, false))
            #expect(try await report.evidence == .printed)
            #expect(try await printer.paper == document)
        }
    }

    @Test func `a power failure before the end leaves the outcome open`() async throws {
        try await withPrinter(.pjl, timePerPage: .seconds(30)) { printer, transport, target in
            let steps = Steps()
            async let report = transport.deliver(.receipt("k1", Self.pages), to: target) { steps.add($0) }
            try await eventually("it has the pages") { steps.hasSent(Int64(Self.pages.count)) }
            try await printer.perform(.powerOff)
            do {
                let ended = try await report
                Issue.record("it counts as \(ended)")
            } catch let error as TransportError {
                #expect(error.bytesAccepted == Self.pages.count)
            }
        }
    }
}

/// What a delivery has told.
private final class Steps: Sendable {
    private let told = Mutex<[DeliveryProgress]>([])
    private var all: [DeliveryProgress] { told.withLock(\.self) }

    func add(_ step: DeliveryProgress) { told.withLock { $0.append(step) } }

    var isSending: Bool { hasSent(1) }

    /// Whether the printer has this many bytes.
    func hasSent(_ count: Int64) -> Bool {
        all.contains { step in
            switch step {
            case .sending(let bytes, _): bytes >= count
            case .printing: true
            default: false
            }
        }
    }

    var reasons: [String] {
        all.flatMap { step in
            if case .stopped(let reasons) = step { reasons.map(\.keyword) } else { [String]() }
        }
    }
}
