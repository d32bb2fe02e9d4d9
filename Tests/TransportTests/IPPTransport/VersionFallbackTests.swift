import IPP
import IPPCodec
import PrintModel
import Synchronization
import TestSupport
import Testing

/// Printers that do not understand IPP 2.0, and the ways in which they say so.
@Suite struct VersionFallbackTests {
    enum Refusal: CaseIterable, Sendable {
        case versionNotSupported, badRequest, emptySuccess, httpBadRequest
    }

    /// Understands `highest` and older; keeps the versions that it was asked in.
    private func printer(_ refusal: Refusal, highest: IPPVersion, _ asked: Recorder<String>) throws -> ScriptedPrinter {
        try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                asked.add("\(request.message.operation) \(request.message.version)")
                if request.message.version > highest {
                    try Self.refuse(refusal, connection)
                } else if request.message.operation == .printJob {
                    try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
                } else {
                    try connection.reply(ScriptedConnection.ok(ScriptedConnection.printer()))
                }
            }
        }
    }

    private static func refuse(_ refusal: Refusal, _ connection: ScriptedConnection) throws {
        switch refusal {
        case .versionNotSupported: try connection.reply(ScriptedConnection.status(.serverErrorVersionNotSupported))
        case .badRequest: try connection.reply(ScriptedConnection.status(.clientErrorBadRequest))
        case .emptySuccess: try connection.reply(ScriptedConnection.ok(IPPGroup(.printer)))
        case .httpBadRequest: try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test(arguments: Refusal.allCases, [IPPVersion.v1_1, .v1_0])
    func `an older version is found once and kept`(refusal: Refusal, highest: IPPVersion) async throws {
        let asked = Recorder<String>()
        let printer = try printer(refusal, highest: highest, asked)
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.contact(printer.target)
            let tries = asked.all.count
            #expect(tries == (highest == .v1_1 ? 2 : 3))
            _ = try await transport.deliver(.receipt("k1", [1, 2, 3]), to: printer.target) { _ in }
            #expect(asked.all.dropFirst(tries) == ["Print-Job \(highest)"])
        }
    }

    @Test func `a bad request is one where the version is proven`() async throws {
        let asked = Recorder<String>()
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            while true {
                asked.add("\(try connection.readRequest().message.version)")
                try connection.reply(ScriptedConnection.status(.clientErrorBadRequest))
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", [1, 2, 3]), to: printer.target) { _ in }
            }
            #expect(error.code == .jobRefused)
            #expect(error.bytesAccepted == 0)
            // Once more without the user's name, of which the printer may think so.
            #expect(asked.all == ["2.0", "2.0"])
        }
    }

    @Test func `a printer that understands no version gets the first error told`() async throws {
        let printer = try printer(.versionNotSupported, highest: IPPVersion(0, 9), Recorder())
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) { try await transport.contact(printer.target) }
            #expect(error.code == .notSupported)
        }
    }
}
