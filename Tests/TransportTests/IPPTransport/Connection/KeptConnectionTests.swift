import Foundation
import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

/// Connections that are kept between requests.
@Suite struct KeptConnectionTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

    private static func takeJob(_ connection: ScriptedConnection) throws {
        let request = try connection.readRequest()
        try #require(request.message.operation == .printJob)
        try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
    }

    @Test func `one connection serves contact and jobs`() async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            while true { try Self.takeJob(connection) }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.contact(printer.target)
            for number in 1...5 {
                let report = try await transport.deliver(.receipt("k\(number)", receipt), to: printer.target) { _ in }
                #expect(report.evidence == .printed)
            }
            #expect(printer.connectionCount == 1)
        }
    }

    @Test func `a connection that the printer closed while idle is replaced without doubt`() async throws {
        let isClosed = Gate()
        let printer = try ScriptedPrinter(
            { connection in
                try connection.introduce()
                connection.end()
                isClosed.open()
            }, { try Self.takeJob($0) })
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.contact(printer.target)
            try await isClosed.wait()
            let report = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            #expect(report.state == .completed)
            #expect(printer.connectionCount == 2)
        }
    }

    @Test func `a request whose response is lost on a kept connection is sent again`() async throws {
        let printer = try ScriptedPrinter(
            { connection in
                try connection.introduce()
                _ = try connection.readRequest()
                connection.reset()
            }, { try $0.introduce() })
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.contact(printer.target)
            _ = try await transport.contact(printer.target)
            #expect(printer.connectionCount == 2)
        }
    }

    @Test func `a receipt whose response is lost is never sent again`() async throws {
        let printer = try ScriptedPrinter(
            { connection in
                try connection.introduce()
                _ = try connection.readRequest()
            }, { try Self.takeJob($0) })
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.contact(printer.target)
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            }
            #expect(error.bytesAccepted == Int64(receipt.count))
            #expect(printer.connectionCount == 1)
        }
    }

    @Test(arguments: ["1.0", "1.1"])
    func `a printer that closes after each response gets a new connection each time`(version: String) async throws {
        let fields = version == "1.0" ? "" : "Connection: close\r\n"
        let printer = try ScriptedPrinter { connection in
            let request = try connection.readRequest()
            let group =
                request.message.operation == .printJob
                ? ScriptedConnection.job(7, state: 9) : ScriptedConnection.printer()
            try connection.reply(ScriptedConnection.ok(group), fields: fields, version: version)
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            for number in 1...3 {
                _ = try await transport.deliver(.receipt("k\(number)", receipt), to: printer.target) { _ in }
            }
            #expect(printer.connectionCount == 4)
        }
    }

    @Test func `an HTTP 1-0 response may end with the connection`() async throws {
        let printer = try ScriptedPrinter { connection in
            _ = try connection.readRequest()
            let body = try IPPEncoder.encode(ScriptedConnection.ok(ScriptedConnection.printer()))
            try connection.send(Array("HTTP/1.0 200 OK\r\nContent-Type: application/ipp\r\n\r\n".utf8) + body)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.contact(printer.target)
            #expect(report.description.name == "Scripted")
        }
    }

    @Test func `an announced keep-alive time shortens how long a connection lies idle`() async throws {
        let isClosed = Gate()
        let printer = try ScriptedPrinter { connection in
            try connection.introduce(fields: "Keep-Alive: timeout=1, max=100\r\n")
            connection.waitForClose()
            isClosed.open()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.contact(printer.target)
            // One second less the margin leaves nothing: it is closed at once, long before the usual timeout.
            try await isClosed.wait()
        }
    }

    @Test func `contact goes on beside a long delivery`() async throws {
        let (isReached, isSeen) = (Gate(), Gate())
        let printer = try ScriptedPrinter(
            { connection in
                try connection.introduce()
                _ = try connection.readRequest()
                isReached.open()
                isSeen.block()
                try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
                connection.waitForClose()
            }, { try $0.introduce() })
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            _ = try await transport.contact(target)
            async let delivery = transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            try await isReached.wait()
            _ = try await transport.contact(target)
            #expect(printer.connectionCount == 2)
            isSeen.open()
            let report = try await delivery
            #expect(report.state == .completed)
        }
    }

    @Test func `cancelling ends a wait at once`() async throws {
        let isReached = Gate()
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            isReached.open()
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            let task = Task { try await transport.deliver(.receipt("k1", receipt), to: target) { _ in } }
            try await isReached.wait()
            task.cancel()
            let error = try await #require(throws: TransportError.self) { try await task.value }
            #expect(error.code == .cancelled)
            #expect(error.bytesAccepted == Int64(receipt.count))
        }
    }
}
