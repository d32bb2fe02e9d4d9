import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Receipts by role to a printer that others wrote: emupos (PyPI), behind a raw TCP port. Where its package could not
/// be fetched, nothing is tested. It does not know `GS ( H`, which the profile asks for first, so `GS r` confirms.
@Suite(.timeLimit(.minutes(5))) struct KioskdEmuposTests {
    /// emupos's printer on a port of its own. It tells the port, each chunk of bytes that it received, and each
    /// receipt.
    private struct Printer {
        let process: ChildProcess
        let port: Int

        /// Nil without the package.
        init?() async throws {
            guard let python = PythonPeers.python else { return nil }
            let process = try ChildProcess(python, ["-u", "-c", Self.script])
            let told = try await eventuallyValue("emupos's port") { () -> Int? in
                guard process.isRunning else { throw TestSupportError("emupos: \(process.standardError)") }
                return Self.lines("port", of: process).first.flatMap { Int($0) }
            }
            (self.process, port) = (process, told)
        }

        /// All bytes that it received, in hexadecimal.
        var received: String { Self.lines("bytes", of: process).joined() }
        /// The pictures of the receipts that it printed and cut, as PNG files.
        var pictures: [[UInt8]] {
            Self.lines("picture", of: process).map { Array(Data(base64Encoded: $0) ?? Data()) }
        }
        /// The texts of the receipts that it printed and cut.
        var receipts: [String] { Self.lines("receipt", of: process) }

        func set(_ fault: String, _ isOn: Bool) async throws {
            let count = Self.lines("fault", of: process).count
            try process.write("\(fault) \(isOn ? "on" : "off")\n")
            try await eventually("the fault") { Self.lines("fault", of: process).count > count }
        }

        /// Returns once it has told everything that it did so far: it responds to the daemon before it tells of a
        /// receipt.
        func finishTelling() async throws { try await set("nothing", true) }

        private static func lines(_ kind: String, of process: ChildProcess) -> [String] {
            // What is behind the last line feed may be a part of a line.
            process.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0.hasPrefix(kind + " ") }.map { String($0.dropFirst(kind.count + 1)) }
        }

        private static let script = """
            import asyncio, base64, json, sys, types
            from importlib import resources
            import yaml
            # Its checker of settings is not needed, and wants a newer Python than Debian's.
            config = types.ModuleType("emupos.config")
            config.Level = config.PrinterId = config.PrinterProfile = object
            sys.modules["emupos.config"] = config
            from emupos.printer.printer import Printer, PrinterFault
            from emupos.transports.tcp import serve_tcp

            settings = yaml.safe_load((resources.files("emupos") / "profiles/printers/epson-tm-t20iii.yaml").read_text())
            profile = types.SimpleNamespace(**settings)
            for key in ("font_a", "font_b", "printer_id"):
                setattr(profile, key, types.SimpleNamespace(**settings[key]))
            printer = Printer("till", profile, sensor_open_level="high", job_idle_timeout_ms=60000)
            writers = {}

            def apply(output):
                for write in output.writes:
                    if write.connection in writers: writers[write.connection].write(write.data)
                for receipt in output.receipts:
                    print("picture", base64.b64encode(receipt.png).decode())
                    print("receipt", json.dumps(receipt.text))

            async def serve(connection, reader, writer):
                writers[connection] = writer
                apply(printer.open_connection(connection, 0))
                try:
                    while data := await reader.read(65536):
                        print("bytes", data.hex())
                        apply(printer.receive(connection, data, 0))
                finally:
                    apply(printer.close_connection(connection, 0))
                    del writers[connection]

            async def main():
                print("port", (await serve_tcp("127.0.0.1", 0, serve)).port)
                while line := await asyncio.to_thread(sys.stdin.readline):
                    fault, state = line.split()
                    if fault != "nothing": apply(printer.set_fault(PrinterFault(fault), state == "on", 0))
                    print("fault", fault)

            asyncio.run(main())
            """
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func daemon(_ printer: Printer) async throws -> KioskdFixture {
        try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "socket://127.0.0.1:\(printer.port)", profile: epson-tm }
                roles:
                  receipt:
                    printers: [till-1]

                """, arguments: ["--profiles", ShippedProfiles.folder])
    }

    private func print(
        _ bytes: [UInt8], as format: String = "application/vnd.escpos", on daemon: KioskdFixture
    ) async throws -> Job {
        let folder = try TemporaryFolder("receipt")
        let file = try folder.write(bytes, to: "receipt")
        return try await daemon.curl(
            "/v1/jobs?role=receipt&wait=300",
            ["-H", "Content-Type: \(format)", "--data-binary", "@\(file)"], deadline: .seconds(600)
        ).json(Job.self)
    }

    @Test func `a receipt by role arrives byte for byte, and its last byte is answered`() async throws {
        guard let printer = try await Printer() else { return }
        let daemon = try await daemon(printer)
        let receipts = (1...3).map { Array("\u{1B}@TOTAL \($0),50\n".utf8) + [0x1D, 0x56, 0] }
        for receipt in receipts {
            let job = try await print(receipt, on: daemon)
            #expect(job.state == .completed && job.evidence == .processed, "\(job.message ?? "")")
        }
        try await printer.finishTelling()
        #expect(printer.receipts.map { $0.contains("TOTAL") } == [true, true, true])
        for receipt in receipts {
            #expect(printer.received.ranges(of: Self.hexadecimal(receipt)).count == 1)
        }
    }

    @Test func `a PDF is printed as pictures, and its barcode is read from them`() async throws {
        guard let printer = try await Printer() else { return }
        let daemon = try await daemon(printer)
        // It has learnt from the first job what the printer does not know.
        _ = try await print(Array("first\n".utf8) + [0x1D, 0x56, 0], on: daemon)
        let document = LabelPages.document(width: 639, height: 800, codeAt: (60, 300))
        let job = try await print(document, as: "application/pdf", on: daemon)
        #expect(job.state == .completed && job.evidence == .processed, "\(job.message ?? "")")
        try await printer.finishTelling()
        #expect(printer.pictures.count == 2)
        let read = try await Zbar.read(try #require(printer.pictures.last))
        #expect(read.map(\.data) == [LabelPages.code])
    }

    @Test func `its empty roll and its open cover hold receipts back`() async throws {
        guard let printer = try await Printer() else { return }
        let daemon = try await daemon(printer)
        let client = daemon.client()
        defer { client.close() }
        _ = try await print(Array("first\n".utf8) + [0x1D, 0x56, 0], on: daemon)
        for (number, fault) in ["paper-out", "cover-open"].enumerated() {
            try await printer.set(fault, true)
            let waiting = try await client.submit(text: "waiting-\(number)\n", format: .receiptLine)
            try await eventually("the printer to be stopped") {
                try await client.printer(PrinterID(rawValue: "till-1")!).availability.state == .stopped
            }
            try await printer.finishTelling()
            #expect(printer.receipts.allSatisfy { !$0.contains("waiting-\(number)") })
            try await printer.set(fault, false)
            let job = try await client.job(waiting.id, wait: .seconds(300))
            #expect(job.state == .completed && job.evidence == .processed, "\(job.message ?? "")")
            try await printer.finishTelling()
            #expect(printer.receipts.count { $0.contains("waiting-\(number)") } == 1)
        }
    }
}
