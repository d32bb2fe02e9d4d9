import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskIPP

@Suite struct RequestFallbackTests {
    private typealias Attempt = RequestFallback.Attempt

    private func response(_ status: IPPStatus, unsupported: [String] = [], _ groups: IPPGroup...) -> Attempt {
        var groups = groups
        if !unsupported.isEmpty {
            groups.append(IPPGroup(.unsupported, unsupported.map { IPPAttribute($0, .unsupported) }))
        }
        return .success(IPPResponse(message: IPPMessage(status: status, requestID: 1, groups: groups)))
    }

    private func fallback(_ operation: IPPOperation = .printJob, proven: Bool = false) -> RequestFallback {
        RequestFallback(
            operation, start: RequestVariant(version: .v2_0, userName: "till"), isVersionProven: proven,
            isUserProven: proven)
    }

    private func variant(_ action: RequestFallback.Action) -> String? {
        if case .send(let variant) = action { "\(variant.version) \(variant.userName ?? "-")" } else { nil }
    }

    private func status(_ action: RequestFallback.Action) -> IPPStatus? {
        if case .finish(.success(let response)) = action { response.message.status } else { nil }
    }

    @Test func `a bad request is tried in every version, once without the name, and then told`() {
        var fallback = fallback()
        let variants = (0..<4).map { _ in variant(fallback.receive(response(.clientErrorBadRequest), bytesAccepted: 0))
        }
        #expect(variants == ["1.1 till", "1.0 till", "2.0 -", nil])
    }

    @Test(arguments: [
        (IPPStatus.clientErrorForbidden, IPPStatus.clientErrorBadRequest),
        (.clientErrorNotAuthenticated, .clientErrorBadRequest),
        (.serverErrorBusy, .serverErrorBusy), (.serverErrorNotAcceptingJobs, .serverErrorNotAcceptingJobs),
        (.successfulOk, .successfulOk),
    ])
    func `without the name, what works or will pass is told, and for a refusal the first`(
        second: IPPStatus, told: IPPStatus
    ) {
        var fallback = fallback()
        for _ in 0..<3 { _ = fallback.receive(response(.clientErrorBadRequest), bytesAccepted: 0) }
        #expect(fallback.variant.userName == nil)
        #expect(status(fallback.receive(response(second), bytesAccepted: 0)) == told)
    }

    @Test func `being cancelled without the name is told as such`() {
        var fallback = fallback(.printJob)
        for _ in 0..<3 { _ = fallback.receive(response(.clientErrorBadRequest), bytesAccepted: 0) }
        let cancelled = TransportError(.cancelled, operation: "Print-Job", message: "cancelled")
        guard case .finish(.failure(let error)) = fallback.receive(.failure(cancelled), bytesAccepted: 0) else {
            Issue.record("it goes on, or tells a refusal")
            return
        }
        #expect(error == cancelled)
    }

    @Test func `what is proven is not doubted again`() {
        var fallback = fallback(proven: true)
        #expect(status(fallback.receive(response(.clientErrorBadRequest), bytesAccepted: 0)) == .clientErrorBadRequest)
    }

    @Test func `an empty success is no answer about a printer, and one about a job`() {
        var printer = fallback(.getPrinterAttributes)
        #expect(variant(printer.receive(response(.successfulOk, IPPGroup(.printer)), bytesAccepted: 0)) == "1.1 till")
        var job = fallback(.getJobs)
        #expect(variant(job.receive(response(.successfulOk), bytesAccepted: 0)) == nil)
    }

    @Test func `the answer to an older version that is understood counts, not the first`() {
        var fallback = fallback()
        _ = fallback.receive(response(.serverErrorVersionNotSupported), bytesAccepted: 0)
        #expect(status(fallback.receive(response(.serverErrorBusy), bytesAccepted: 0)) == .serverErrorBusy)
    }

    @Test func `document bytes that may be accepted end the search, and are told`() {
        var fallback = fallback()
        _ = fallback.receive(response(.serverErrorVersionNotSupported), bytesAccepted: 0)
        let lost = TransportError(.connectionLost, operation: "Print-Job", message: "gone", bytesAccepted: 7)
        guard case .finish(.failure(let error)) = fallback.receive(.failure(lost), bytesAccepted: 7) else {
            Issue.record("it goes on")
            return
        }
        #expect(error == lost)
    }

    @Test(arguments: [(["requesting-user-name"], "2.0 -"), (["copies"], nil), ([], "2.0 -")])
    func `a refused name is left out, another attribute's refusal is told`(unsupported: [String], next: String?) {
        var fallback = fallback()
        let refusal = response(.clientErrorAttributesOrValuesNotSupported, unsupported: unsupported)
        #expect(variant(fallback.receive(refusal, bytesAccepted: 0)) == next)
    }
}

/// Printers that do not understand IPP 2.0, and the ways in which they say so, over a connection.
@Suite struct VersionFallbackTests {
    enum Refusal: CaseIterable, Sendable {
        case versionNotSupported, badRequest, emptySuccess, httpBadRequest
    }

    /// Understands `highest` and older; records the operations and versions of the requests.
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
            // Sent once more without the user's name, which the refusal may be about.
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
