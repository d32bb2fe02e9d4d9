import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Receipts by role to a printer on a serial line, which socat joins to a simulated printer.
@Suite struct KioskdSerialTests {
    @Test func `a receipt in markup is confirmed, and an adapter that was unplugged prints again when it is back`()
        async throws
    {
        let printer = try await SimulatedRawPrinter.start()
        let folder = try TemporaryFolder("serial")
        let path = folder.appending("printer")
        let socat = try await Self.socat(path, printer)
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "serial:\(path)?baud=115200+flow=hard", profile: epson-tm }
                roles:
                  receipt:
                    printers: [till-1]

                """, arguments: ["--profiles", ShippedProfiles.folder])
        let client = daemon.client()
        defer { client.close() }
        let first = try await client.submit(text: "^Corner Café\n-\nTea | 2.50\nTOTAL | 2.50\n", format: .receiptLine)
        let printed = try await client.job(first.id, wait: .seconds(300))
        #expect(printed.state == .completed && printed.evidence == .printed, "\(printed.message ?? "")")
        var paper = try PaperPrinter(PaperModel())
        let receipts = paper.print(try await printer.paper, as: .escPOS)
        #expect(receipts[0].text.contains("TOTAL") && receipts[0].faults.isEmpty)

        socat.signal(SIGTERM)
        try await eventually("the printer to be unreachable") {
            try await client.printer(PrinterID(rawValue: "till-1")!).availability.state == .unreachable
        }
        let waiting = try await client.submit(text: "second\n", format: .receiptLine)
        try await socat.wait()
        let again = try await Self.socat(path, printer)
        let job = try await client.job(waiting.id, wait: .seconds(300))
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "") \(daemon.log)")
        #expect(String(decoding: try await printer.paper, as: UTF8.self).ranges(of: "second").count == 1)
        try await daemon.terminate()
        again.kill()
        try await printer.stop()
    }

    private static func socat(_ path: String, _ printer: SimulatedRawPrinter) async throws -> ChildProcess {
        let process = try Socat.serialPort(path, to: printer.port)
        try await eventually("socat's port") { FileManager.default.fileExists(atPath: path) }
        return process
    }

    @Test(.enabled(if: geteuid() == 0, "another user takes root"))
    func `without the right to open the port, the group that has it is named`() async throws {
        let line = try PseudoTerminal()
        // Debian's dialout.
        #expect(chown(line.device, 0, 20) == 0 && chmod(line.device, 0o660) == 0)
        let daemon = try await KioskdFixture(
            registry: KioskdFixture.registry(["serial:\(line.device)?baud=9600"]),
            user: KioskdFixture.User(name: "nobody", group: "nogroup"))
        let client = daemon.client()
        defer { client.close() }
        let till = try #require(PrinterID(rawValue: "till-1"))
        try await eventually("the contact") { try await client.printer(till).availability.state == .stopped }
        let shown = try await client.printer(till).availability
        #expect(shown.reasons.map(\.keyword) == ["access-denied"])
        #expect(shown.message?.contains("add SupplementaryGroups=dialout to the service") == true)
        try await daemon.terminate()
    }

    @Test func `an adapter that is saved by its number is warned about`() async throws {
        let daemon = try await KioskdFixture(registry: "version: 1\n")
        let added = try await daemon.kioskctl("printers", "add", "till-1", "serial:/dev/ttyUSB99?baud=9600")
        #expect(added.standardError.contains("/dev/serial/by-id"))
        #expect(added.standardOutput.contains("there is no /dev/ttyUSB99"))
        let refused = try await daemon.kioskctl("printers", "add", "till-2", "serial:/dev/ttyS0?speed=9600")
        #expect(refused.standardError.contains("its option \"speed=9600\" is not known"))
        try await daemon.terminate()
    }
}
