import Foundation
import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

/// How much of a document counts as taken when a connection ends, stage by stage.
@Suite struct BrokenConnectionTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
    /// More than all socket buffers on the way can hold.
    private let long = [UInt8](repeating: 0x20, count: 32 << 20)

    /// The error of delivering to a printer with this script.
    private func failure(
        _ document: [UInt8], deadlines: IPPTransport.Deadlines = .patient, _ scripts: ScriptedPrinter.Script...
    ) async throws -> TransportError {
        let printer =
            scripts.count == 1 ? try ScriptedPrinter(scripts[0]) : try ScriptedPrinter(scripts[0], scripts[1])
        defer { printer.stop() }
        var caught: TransportError?
        try await withTransport(deadlines) { transport in
            let target = try printer.target
            caught = await #expect(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", document), to: target) { _ in }
            }
        }
        return try #require(caught)
    }

    @Test func `a printer that refuses the connection took nothing`() async throws {
        let target = PrinterTarget(url: try PrinterURL("ipp://127.0.0.1:\(try freePort())/ipp/print"))
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            }
            #expect(error.code == .connectionRefused)
            #expect(error.bytesAccepted == 0)
            #expect(error.message.contains(target.url.description))
        }
    }

    @Test func `a host that nobody knows is named in the error`() async throws {
        let target = PrinterTarget(url: try PrinterURL("ipp://no-such-printer.invalid/ipp/print"))
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.code == .hostNotFound)
            #expect(error.message.contains("no-such-printer.invalid"))
        }
    }

    @Test func `a URL of another scheme is not spoken to`() async throws {
        let target = PrinterTarget(url: try PrinterURL("usb://Epson/TM-T88V?serial=1"))
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.code == .notSupported)
        }
    }

    @Test func `closed before any request`() async throws {
        let error = try await failure(receipt) { $0.finish() }
        #expect(error.code == .connectionLost)
        #expect(error.bytesAccepted == 0)
    }

    @Test func `closed after the whole document was read`() async throws {
        let error = try await failure(receipt) { connection in
            try connection.introduce()
            _ = try connection.readRequest()
        }
        #expect(error.code == .connectionLost)
        #expect(error.bytesAccepted == Int64(receipt.count))
    }

    @Test func `reset after the attributes were read`() async throws {
        let error = try await failure(receipt) { connection in
            try connection.introduce()
            _ = try connection.readMessage()
            connection.reset()
        }
        #expect(error.code == .connectionLost)
        #expect(error.bytesAccepted == Int64(receipt.count))
    }

    @Test func `closed in the middle of a long document`() async throws {
        let read = 100_000
        let error = try await failure(long) { connection in
            try connection.introduce(Self.withoutCreateJob)
            let request = try connection.readMessage()
            try connection.read(read - request.document.count)
            connection.reset()
        }
        #expect(error.code == .connectionLost)
        #expect(error.bytesAccepted >= Int64(read))
        #expect(error.bytesAccepted < Int64(long.count))
    }

    @Test func `half a response`() async throws {
        let error = try await failure(receipt) { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            let response = try ScriptedConnection.response(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
            try connection.send(response.dropLast(10))
        }
        #expect(error.code == .connectionLost)
        #expect(error.bytesAccepted == Int64(receipt.count))
    }

    @Test func `a response that never comes`() async throws {
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.documentResponse = .milliseconds(200)
        let error = try await failure(receipt, deadlines: deadlines) { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            connection.waitForClose()
        }
        #expect(error.code == .timedOut)
        #expect(error.bytesAccepted == Int64(receipt.count))
    }

    @Test func `a printer that stops taking bytes`() async throws {
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.stall = .milliseconds(300)
        let isOver = Gate()
        defer { isOver.open() }
        let error = try await failure(long, deadlines: deadlines) { connection in
            try connection.introduce(Self.withoutCreateJob)
            _ = try connection.readMessage()
            isOver.block()
        }
        #expect(error.code == .timedOut)
        #expect(error.bytesAccepted > 0)
        #expect(error.bytesAccepted < Int64(long.count))
    }

    @Test func `a response that trickles past the total deadline`() async throws {
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.delivery = .seconds(2)
        let error = try await failure(receipt, deadlines: deadlines) { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while true {
                try connection.send("x")
                usleep(10_000)
            }
        }
        #expect(error.code == .timedOut)
        #expect(error.bytesAccepted == Int64(receipt.count))
    }

    @Test func `an early refusal ends the sending at once, and nothing was taken`() async throws {
        let error = try await failure(long) { connection in
            try connection.introduce(Self.withoutCreateJob)
            _ = try connection.readMessage()
            try connection.reply(ScriptedConnection.status(.serverErrorBusy))
            connection.waitForClose()
        }
        #expect(error.code == .printerBusy)
        #expect(error.bytesAccepted == 0)
    }

    @Test func `a success before the end of the document is no reason to stop sending`() async throws {
        let long = long
        let printer = try ScriptedPrinter { connection in
            try connection.introduce(Self.withoutCreateJob)
            let request = try connection.readMessage()
            try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
            try connection.read(request.documentLength - request.document.count)
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", long), to: printer.target) { _ in }
            #expect(report.remoteJob == RemoteJob(identifier: "7"))
        }
    }

    @Test func `an early success and then a broken connection leaves the job to be asked for`() async throws {
        let error = try await failure(long) { connection in
            try connection.introduce(Self.withoutCreateJob)
            _ = try connection.readMessage()
            try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
            try connection.read(1 << 20)
            connection.reset()
        }
        #expect(error.code == .connectionLost)
        #expect(error.remoteJob == RemoteJob(identifier: "7"))
        #expect(error.bytesAccepted > 0)
    }

    static let withoutCreateJob = IPPAttribute(
        "operations-supported", .enums([IPPOperation.printJob, .getJobAttributes].map { Int32($0.rawValue) }))
}
