import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// Long documents for printers that are busy or take no jobs: what is sent is counted.
@Suite struct BusyPrinterTests {
    private static let document = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
    private static let format = IPPAttribute("document-format-supported", .mimeMediaTypes(["text/plain"]))

    private static func operations(_ operations: IPPOperation...) -> IPPAttribute {
        IPPAttribute("operations-supported", .enums(operations.map { Int32($0.rawValue) }))
    }

    /// Offers a long document so many times to a printer that answers all with this status; returns what it was asked.
    private func offer(
        times: Int, supporting operations: IPPAttribute, _ status: IPPStatus, _ code: TransportError.Code
    ) async throws -> [ScriptedConnection.Request] {
        let requests = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter(describedBy: [operations, Self.format], requests) { _ in
            ScriptedConnection.status(status)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            for number in 0..<times {
                let error = try await #require(throws: TransportError.self) {
                    try await transport.deliver(
                        .receipt("k\(number)", Self.document, format: .plainText), to: printer.target
                    ) { _ in }
                }
                #expect(error.code == code)
                #expect(error.bytesAccepted == 0)
            }
        }
        return requests.all
    }

    private static let busy: [(IPPStatus, TransportError.Code)] = [
        (.serverErrorBusy, .printerBusy), (.serverErrorServiceUnavailable, .printerBusy),
        (.serverErrorNotAcceptingJobs, .printerNotAccepting),
    ]

    @Test(arguments: busy)
    func `a printer that says so to Validate-Job gets no byte of the document`(
        status: IPPStatus, code: TransportError.Code
    ) async throws {
        let requests = try await offer(
            times: 3,
            supporting: Self.operations(.printJob, .validateJob, .getJobs, .getJobAttributes, .getPrinterAttributes),
            status, code)
        #expect(requests.map(\.message.operation) == [.validateJob, .validateJob, .validateJob])
        #expect(requests.allSatisfy { $0.documentLength == 0 })
    }

    @Test(arguments: busy)
    func `a printer that says so to Create-Job gets no byte of the document`(
        status: IPPStatus, code: TransportError.Code
    ) async throws {
        let requests = try await offer(
            times: 3,
            supporting: Self.operations(
                .printJob, .createJob, .sendDocument, .getJobs, .getJobAttributes, .getPrinterAttributes),
            status, code)
        #expect(requests.map(\.message.operation) == [.createJob, .createJob, .createJob])
        #expect(requests.allSatisfy { $0.documentLength == 0 })
    }

    @Test func `a printer whose Validate-Job is always busy gets the document every fourth time`() async throws {
        let requests = try await offer(
            times: 8,
            supporting: Self.operations(.printJob, .validateJob, .getJobs, .getJobAttributes, .getPrinterAttributes),
            .serverErrorBusy, .printerBusy)
        let once = [IPPOperation.validateJob, .validateJob, .validateJob, .validateJob, .printJob]
        #expect(requests.map(\.message.operation) == once + once)
    }
}
