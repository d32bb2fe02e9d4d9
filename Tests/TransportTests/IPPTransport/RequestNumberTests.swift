import IPPCodec
import PrintModel
import Testing

@testable import IPP

/// RFC 8011 §4.1.1: an answer has its request's `request-id`.
@Suite struct RequestNumberTests {
    private let receipt = [UInt8]("Coffee 2.50\n".utf8)

    private static func numbered(_ message: IPPMessage, _ number: Int32) -> IPPMessage {
        var message = message
        message.requestID = number
        return message
    }

    /// Answers a question, and what comes behind it with the number of that question.
    private static func answerLate(_ connection: ScriptedConnection, _ stray: IPPMessage) throws {
        let question = try connection.readRequest().message
        try connection.reply(numbered(ScriptedConnection.ok(ScriptedConnection.printer()), question.requestID))
        let next = try connection.readRequest().message
        try #require(next.requestID != question.requestID)
        try connection.reply(numbered(stray, question.requestID))
        connection.waitForClose()
    }

    @Test func `another request's answer says nothing of a job, which may have printed`() async throws {
        let printer = try ScriptedPrinter({
            try Self.answerLate($0, ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
        })
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            _ = try await transport.contact(target)
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            }
            #expect(error.code == .protocolViolation)
            #expect(error.bytesAccepted == Int64(receipt.count))
            #expect(error.remoteJob == nil)
        }
        #expect(printer.connectionCount == 1)
    }

    @Test func `a question is asked again on a new connection`() async throws {
        let printer = try ScriptedPrinter(
            { try Self.answerLate($0, ScriptedConnection.status(.serverErrorInternalError)) }, { try $0.introduce() })
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            for _ in 1...2 { _ = try await transport.contact(target) }
        }
        #expect(printer.connectionCount == 2)
    }

    @Test(arguments: [0, 1] as [Int32])
    func `printers that give every answer the same number are served`(number: Int32) async throws {
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest().message
                try #require(request.requestID > 1)
                let group =
                    request.operation == .printJob ? ScriptedConnection.job(7, state: 9) : ScriptedConnection.printer()
                try connection.reply(Self.numbered(ScriptedConnection.ok(group), number))
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { _ in }
            #expect(report.state == .completed)
        }
    }
}
