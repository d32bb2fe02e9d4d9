import Foundation
import KioskDevicePrinting
import KioskPrintModel
import KioskUSB

/// Measures our connection and bare libusb in turns, then how soon a job is cancelled and a status told, and then what
/// printers cost to which nothing is sent.
@main struct USBBenchmark {
    private static let bytes = 20_000_000
    private static let idleTime = Duration.seconds(30)

    static func main() async throws {
        guard CommandLine.arguments.count == 3, let rounds = Int(CommandLine.arguments[2]), rounds > 0 else {
            FileHandle.standardError.write(Data("USBBenchmark BARE ROUNDS, inside the emulator (see run)\n".utf8))
            exit(64)
        }
        let bare = BareProgram(path: CommandLine.arguments[1], bytes: bytes)
        let bus = USBBus()
        let transport = USBTransport(
            bus: USBBus(), settings: { _ in DeviceSettings(completion: DeviceSettings.Completion.none) })
        let url = try PrinterURL("usb://EPSON/TM-T20II?serial=BENCH1")
        let document = PrintDocument(format: .octetStream, body: .bytes([UInt8](repeating: 0, count: bytes)))
        // As a dithered picture is: all that a printer may be asked or told stands in it by chance.
        let picture = PrintDocument(format: .octetStream, body: .bytes(chance(bytes)))
        var ours: [Double] = []
        var firsts: [Double] = []
        var deliveries: [Double] = []
        var pictures: [Double] = []
        var theirs: [BareProgram.Way: [Double]] = [:]
        for _ in 0..<rounds {
            for way in BareProgram.ways { theirs[way, default: []].append(try bare.run(way)) }
            ours.append(try await send(to: url, over: bus))
            let printer = PrinterTarget(url: url)
            _ = try await transport.contact(printer)
            firsts.append(try await deliver(document, to: printer, over: transport))
            deliveries.append(try await deliver(document, to: printer, over: transport))
            pictures.append(try await deliver(picture, to: printer, over: transport))
            await transport.forget(printer)
        }
        await transport.shutDown()
        print("| 20 MB, median of \(rounds) | MB/s |\n|---|---|")
        for way in BareProgram.ways { print("| libusb, \(way.name) | \(speed(theirs[way] ?? [])) |") }
        print("| our connection, newly opened | \(speed(ours)) |")
        print("| a whole delivery by our transport, the first one | \(speed(firsts)) |")
        print("| a whole delivery, over the connection that is open | \(speed(deliveries)) |")
        print("| the same of random bytes | \(speed(pictures)) |\n")
        let best = theirs.values.map(median).min() ?? 0
        let shares = [ours, firsts, deliveries].map { percent(best / median($0)) }
        print(
            "Beside the fastest: the connection \(shares[0]), a first delivery \(shares[1]), the next \(shares[2]) (at least 90 wanted).\n"
        )
        try await Promptness(rounds: 10 * rounds).measure()
        try await printIdleCost(of: bus)
        await bus.shutDown()
    }

    /// Bytes by chance, the same in each run (xorshift): the system's own cost a call for each.
    private static func chance(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    private static func send(to url: PrinterURL, over bus: USBBus) async throws -> Double {
        let document = [UInt8](repeating: 0, count: bytes)
        let connection = try await bus.open(url)
        let start = ContinuousClock.now
        try await connection.send(document) { _ in }
        let time = ContinuousClock.now - start
        await connection.close()
        return time / .seconds(1)
    }

    /// What a job costs with the document's reading, the conversation and its progress; the printer is open already.
    private static func deliver(
        _ document: PrintDocument, to printer: PrinterTarget, over transport: USBTransport
    ) async throws -> Double {
        let delivery = Delivery(jobID: "benchmark", name: "benchmark", ticket: Ticket(), document: document)
        let start = ContinuousClock.now
        _ = try await transport.deliver(delivery, to: printer) { _ in }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// All printers open and listened to, as the daemon has them.
    private static func printIdleCost(of bus: USBBus) async throws {
        let changes = await bus.changes()
        let printers = try await bus.printers()
        var listeners = [Task { for await _ in changes {} }]
        for url in printers.compactMap(\.url) {
            let responses = try await bus.open(url).responses()
            listeners.append(Task { for await _ in responses {} })
        }
        // Timers of the jobs before run out by themselves, also where nobody waits for them any more.
        try await Task.sleep(for: .seconds(10))
        let (start, used) = (ContinuousClock.now, clock())
        try await Task.sleep(for: idleTime)
        let share = Double(clock() - used) / Double(CLOCKS_PER_SEC) / ((ContinuousClock.now - start) / .seconds(1))
        print(
            "\(printers.count) printers open and idle: \(percent(share, digits: 4)) of a core (less than 0.1 wanted).")
        for listener in listeners { listener.cancel() }
    }

    private static func speed(_ times: [Double]) -> String {
        (Double(bytes) / 1e6 / median(times)).formatted(.number.precision(.fractionLength(1)))
    }

    private static func percent(_ share: Double, digits: Int = 1) -> String {
        (100 * share).formatted(.number.precision(.fractionLength(digits))) + " %"
    }

    private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }
}
