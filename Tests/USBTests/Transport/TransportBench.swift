import Foundation
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization

/// A transport on the emulated bus, and one printer on it.
final class TransportBench: Sendable {
    let transport: USBTransport
    let emulator: USBEmulator
    let target: PrinterTarget
    /// The file with what came out.
    let paper: String
    private let device: Int
    private let counter = Atomic(0)

    /// The settings of the Epson profile.
    static let epson = DeviceSettings(
        language: .escPOS, completion: .processID, recovery: .clearBuffers, paperSpeed: 150)

    private init(transport: USBTransport, emulator: USBEmulator, device: Int, target: PrinterTarget, paper: String) {
        (self.transport, self.emulator, self.device, self.target, self.paper) = (
            transport, emulator, device, target, paper
        )
    }

    /// `printer` describes it as the emulator's command line does; it is unplugged when the test is over.
    static func run(
        _ serial: String, _ printer: String = "", settings: DeviceSettings = epson, url: String? = nil,
        clock: any Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace(),
        _ test: (TransportBench) async throws -> Void
    ) async throws {
        let emulator = try USBEmulator.surrounding()
        let device = try await emulator.add("--serial \(serial) \(printer)")
        let transport = USBTransport(
            bus: USBBus(clock: clock), settings: { _ in settings }, clock: clock, trace: trace)
        let target = PrinterTarget(url: try PrinterURL(url ?? "usb://EPSON/TM-T20II?serial=\(serial)"))
        let bench = TransportBench(
            transport: transport, emulator: emulator, device: device, target: target,
            paper: try await emulator.usePaper("\(device)"))
        let result: Result<Void, any Error>
        do {
            try await test(bench)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await transport.shutDown()
        _ = try? await emulator.control("\(device) unplug")
        try result.get()
    }

    @discardableResult
    func control(_ command: String) async throws -> String { try await emulator.control("\(device) \(command)") }

    func statistics() async throws -> [String: String] { try await emulator.statistics("\(device)") }

    /// The printed bytes, with the commands.
    func printed() throws -> [UInt8] { Array(FileManager.default.contents(atPath: paper) ?? Data()) }

    func count(of text: String) throws -> Int {
        String(decoding: try printed(), as: UTF8.self).components(separatedBy: text).count - 1
    }

    func delivery(_ bytes: [UInt8]) -> Delivery {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return Delivery(
            jobID: "job-\(number)", name: "receipt", ticket: Ticket(),
            document: PrintDocument(format: .escPOS, body: .bytes(bytes)))
    }

    func deliver(
        _ bytes: [UInt8], progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) async throws -> JobReport {
        try await transport.deliver(delivery(bytes), to: target, progress: progress)
    }

    func deliver(
        _ text: String, progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) async throws -> JobReport {
        try await deliver(Array(text.utf8), progress: progress)
    }

    /// A transport of another run of the program.
    func anotherRun() -> USBTransport { USBTransport(bus: USBBus(), settings: { _ in Self.epson }) }

    /// Starts a delivery, and cancels it once the printer has accepted `count` further bytes.
    func cancel(_ delivery: Delivery, after count: Int) async throws -> TransportError {
        let before = try await accepted()
        let running = Task { try await transport.deliver(delivery, to: target) { _ in } }
        try await eventually("\(count) bytes are accepted") { try await accepted() >= before + count }
        running.cancel()
        return try await failure { try await running.value }
    }

    /// The bytes that may be sent between a contact and a job: less than a packet.
    static let requestLength = 3

    /// Transfers and requests that are under way.
    func pending() async throws -> Int { try await statistics()["pending"].flatMap { Int($0) } ?? 0 }

    func accepted() async throws -> Int { try await statistics()["taken"].flatMap { Int($0) } ?? 0 }

    /// The error of a failing call.
    func failure(_ call: () async throws -> some Sendable) async throws -> TransportError {
        do {
            let value = try await call()
            throw TestSupportError("no failure but \(value)")
        } catch let error as TransportError {
            return error
        }
    }
}

/// The news items that a transport has published.
final class NewsLog: Sendable {
    private let log: Log
    private let listening: Task<Void, Never>

    private final class Log: Sendable {
        let kinds = Mutex<[PrinterNews.Kind]>([])
    }

    init(_ transport: USBTransport) {
        let (log, stream) = (Log(), transport.news())
        self.log = log
        listening = Task {
            if let stream { for await news in stream { log.kinds.withLock { $0.append(news.kind) } } }
        }
    }

    deinit { listening.cancel() }

    var all: [PrinterNews.Kind] { log.kinds.withLock(\.self) }
    var availabilities: [Availability] {
        all.compactMap { if case .changed(let availability) = $0 { availability } else { nil } }
    }
    var states: [Availability.State] { availabilities.map(\.state) }
    var hasDisappeared: Bool { all.contains { if case .disappeared = $0 { true } else { false } } }
    func clear() { log.kinds.withLock { $0 = [] } }
}
