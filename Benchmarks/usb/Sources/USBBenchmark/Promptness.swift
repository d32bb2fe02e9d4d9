import Foundation
import KioskDevicePrinting
import KioskPrintModel
import KioskUSB

/// How soon a cancelled job is off the bus, and how soon an open cover is told: a receipt printer with its transport.
struct Promptness {
    var rounds: Int
    /// The second of the printers; the others stay as they are.
    private static let device = 1
    private static let target = "usb://EPSON/TM-T20II?serial=BENCH2"
    private static let settings = DeviceSettings(
        language: .escPOS, completion: .processID, recovery: .clearBuffers, paperSpeed: 150)

    func measure() async throws {
        let line = try EmulatorLine()
        try line.send("\(Self.device) language escpos")
        let transport = USBTransport(settings: { _ in Self.settings })
        let target = PrinterTarget(url: try PrinterURL(Self.target))
        let told = try await timesToTell(transport, target, line)
        let cancelled = try await timesToCancel(transport, target, line)
        await transport.shutDown()
        try line.send("\(Self.device) language none")
        print("| in ms, \(rounds) rounds | median | worst | promised |\n|---|---|---|---|")
        print("| cancelled → nothing of the job is under way | \(Self.row(cancelled)) | 100 |")
        print("| the cover is open → its reason is told | \(Self.row(told)) | 250 |\n")
    }

    private func timesToTell(
        _ transport: USBTransport, _ target: PrinterTarget, _ line: EmulatorLine
    ) async throws -> [Duration] {
        _ = try await transport.contact(target)
        guard var news = transport.news()?.makeAsyncIterator() else { return [] }
        var times: [Duration] = []
        for _ in 0..<rounds {
            for (state, isStopped) in [("on", true), ("off", false)] {
                let start = ContinuousClock.now
                try line.send("\(Self.device) cover-open \(state)")
                while let next = await news.next() {
                    if case .changed(let availability) = next.kind, (availability.state == .stopped) == isStopped {
                        break
                    }
                }
                if isStopped { times.append(ContinuousClock.now - start) }
            }
        }
        return times
    }

    /// Each in the midst of a document that the printer is too slow for, so that transfers are under way.
    private func timesToCancel(
        _ transport: USBTransport, _ target: PrinterTarget, _ line: EmulatorLine
    ) async throws -> [Duration] {
        let document = PrintDocument(format: .escPOS, body: .bytes([UInt8](repeating: 0x41, count: 500_000)))
        var times: [Duration] = []
        for round in 0..<rounds {
            try line.send("\(Self.device) credit 20000")
            let (amid, reached) = AsyncStream.makeStream(of: Void.self)
            let delivery = Delivery(
                jobID: "cancelled-\(round)", name: "cancelled", ticket: Ticket(), document: document)
            let job = Task {
                _ = try await transport.deliver(delivery, to: target) {
                    if case .sending(let bytes, _) = $0, bytes > 0 { reached.finish() }
                }
            }
            for await _ in amid {}
            let start = ContinuousClock.now
            job.cancel()
            _ = await job.result
            times.append(ContinuousClock.now - start)
            try line.send("\(Self.device) credit off")
        }
        return times
    }

    private static func row(_ times: [Duration]) -> String {
        let sorted = times.sorted()
        guard let worst = sorted.last else { return "– | –" }
        return [sorted[sorted.count / 2], worst].map {
            ($0 / .milliseconds(1)).formatted(.number.precision(.fractionLength(2)))
        }.joined(separator: " | ")
    }
}
