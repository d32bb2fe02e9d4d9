import Glibc
import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

/// The requests that a delivery sends to a printer, and what refusals mean.
@Suite struct DeliveryTests {
    private let long = [UInt8](repeating: 0x20, count: 300_000)

    /// A printer that describes itself. `respond` makes the responses to all other requests, which `asked` records.
    private func printer(
        _ attributes: [IPPAttribute] = [], _ asked: Recorder<ScriptedConnection.Request>,
        _ respond: @escaping @Sendable (IPPOperation) -> IPPMessage
    ) throws -> ScriptedPrinter {
        try ScriptedPrinter(describedBy: attributes, asked) { respond($0.message.operation) }
    }

    @Test func `a receipt takes one request, in the order that printers check`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.deliver(.receipt("k1", [1, 2, 3]), to: printer.target) { _ in }
        }
        let request = try #require(asked.all.first)
        #expect(asked.all.count == 1)
        #expect(request.message.operation == .printJob)
        #expect(request.document == [1, 2, 3])
        #expect(
            request.message.first(.operation)?.attributes.map(\.name) == [
                "attributes-charset", "attributes-natural-language", "printer-uri", "requesting-user-name", "job-name",
                "document-format",
            ])
        #expect(request.message.attribute("job-name", in: .operation)?.string == "k1 Receipt")
        #expect(request.message.attribute("requesting-user-name", in: .operation)?.string == "till")
        #expect(request.message.first(.job) == nil)
    }

    @Test func `a long document is validated, and its job has a number before the bytes flow`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await withTransport { transport in
            let progress = Recorder<DeliveryProgress>()
            let report = try await transport.deliver(.receipt("k1", long), to: printer.target) { progress.add($0) }
            #expect(report.remoteJob == RemoteJob(identifier: "7"))
            #expect(progress.all.prefix(2) == [.connecting, .accepted(RemoteJob(identifier: "7"))])
            #expect(progress.all.last == .sending(bytes: Int64(long.count), of: Int64(long.count)))
        }
        #expect(asked.all.map(\.message.operation) == [.validateJob, .createJob, .sendDocument])
        let sent = try #require(asked.all.last)
        #expect(sent.document == long)
        #expect(sent.message.attribute("last-document", in: .operation)?.boolean == true)
        #expect(sent.message.attribute("job-id", in: .operation)?.integer == 7)
    }

    @Test func `a Create-Job that is announced and fails gives way to Print-Job`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { operation in
            operation == .printJob
                ? ScriptedConnection.ok(ScriptedConnection.job(8, state: 5))
                : ScriptedConnection.status(.serverErrorOperationNotSupported)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.deliver(.receipt("k1", long), to: printer.target) { _ in }
            #expect(report.remoteJob == RemoteJob(identifier: "8"))
        }
        #expect(asked.all.map(\.message.operation) == [.validateJob, .createJob, .printJob])
    }

    @Test func `a job whose document is refused is taken back`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { operation in
            operation == .sendDocument
                ? ScriptedConnection.status(.serverErrorBusy)
                : ScriptedConnection.ok(ScriptedConnection.job(7, state: 3))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", long), to: printer.target) { _ in }
            }
            #expect(error.code == .printerBusy)
            #expect(error.bytesAccepted == 0)
            // Nobody must follow a job that we cancelled ourselves.
            #expect(error.remoteJob == nil)
        }
        #expect(asked.all.last?.message.operation == .cancelJob)
    }

    @Test func `a ticket's choices go where the printer says that it takes them`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer(
            [
                IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 99))),
                IPPAttribute("sides-supported", keywords: ["one-sided", "two-sided-long-edge"]),
                IPPAttribute("print-color-mode-supported", keywords: ["monochrome"]),
                IPPAttribute("page-ranges-supported", .boolean(true)),
            ], asked
        ) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1], format: .pdf)
        delivery.ticket.copies = 2
        delivery.ticket.sides = .twoSidedLongEdge
        delivery.ticket.colorMode = .color
        delivery.ticket.quality = .high
        delivery.ticket.pageRanges = [try #require(PageRange("2-3")), try #require(PageRange("7"))]
        try await withTransport { transport in
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        let job = try #require(asked.all.first?.message.first(.job))
        #expect(job.attributes.map(\.name) == ["copies", "sides", "page-ranges"])
        #expect(job["copies"]?.integer == 2)
        #expect(job["page-ranges"]?.ranges == [IPPRange(2, 3), IPPRange(7, 7)])
    }

    @Test func `copies are left out for raster, which counts them itself`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer(
            [
                IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 99))),
                IPPAttribute("document-format-supported", .mimeMediaTypes(["image/pwg-raster"])),
            ], asked
        ) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1], format: .pwgRaster)
        delivery.ticket.copies = 2
        try await withTransport { transport in
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        #expect(asked.all.first?.message.first(.job) == nil)
    }

    @Test func `printer commands go as octet-stream where nothing else is listed`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let formats = IPPAttribute("document-format-supported", .mimeMediaTypes(["application/octet-stream"]))
        let printer = try printer([formats], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.deliver(.receipt("k1", [1]), to: printer.target) { _ in }
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k2", [1], format: .pdf), to: printer.target) { _ in }
            }
            #expect(error.code == .formatRefused)
            #expect(error.message.contains("application/octet-stream"))
        }
        let format = asked.all.first?.message.attribute("document-format", in: .operation)
        #expect(format?.string == "application/octet-stream")
    }

    @Test(arguments: [
        (IPPStatus.serverErrorInternalError, TransportError.Code.printerFailed),
        (.serverErrorDeviceError, .printerFailed),
        (.serverErrorJobCanceled, .jobRefused),
    ])
    func `a printer that broke in the middle may have printed`(
        status: IPPStatus, code: TransportError.Code
    ) async throws {
        let printer = try printer([], Recorder()) { _ in ScriptedConnection.status(status) }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", [1, 2, 3]), to: printer.target) { _ in }
            }
            #expect(error.code == code)
            #expect(error.bytesAccepted == 3)
        }
    }

    @Test(arguments: [
        (IPPStatus.serverErrorBusy, TransportError.Code.printerBusy),
        (.serverErrorNotAcceptingJobs, .printerNotAccepting),
        (.clientErrorDocumentFormatNotSupported, .formatRefused), (.clientErrorNotPossible, .jobRefused),
        (.clientErrorAttributesOrValuesNotSupported, .jobRefused), (.clientErrorNotAuthorized, .accessDenied),
        (IPPStatus(rawValue: 0x04F0), .jobRefused),
    ])
    func `each refusal has its meaning, and took nothing`(status: IPPStatus, code: TransportError.Code) async throws {
        let printer = try printer([], Recorder()) { _ in ScriptedConnection.status(status) }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", [1, 2, 3]), to: printer.target) { _ in }
            }
            #expect(error.code == code)
            #expect(error.bytesAccepted == 0)
            #expect(error.underlying == .ippStatus(Int(status.rawValue)))
            #expect(error.message.contains("ipp://127.0.0.1"))
        }
    }

    @Test func `a device error that names a job leaves the job to be asked for`() async throws {
        let printer = try printer([], Recorder()) { _ in
            ScriptedConnection.status(.serverErrorDeviceError, ScriptedConnection.job(9, state: 6))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", [1, 2, 3]), to: printer.target) { _ in }
            }
            #expect(error.code == .printerFailed)
            #expect(error.bytesAccepted == 3)
            #expect(error.remoteJob == RemoteJob(identifier: "9"))
        }
    }

    @Test func `a file that is not as long as it was stored is not sent`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("short", to: "document")
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await withTransport { transport in
            for body in [PrintDocument.Body.file(path: path, length: 6), .file(path: "\(path)-missing", length: 5)] {
                var delivery = Delivery.receipt("k1", [])
                delivery.document.body = body
                let error = try await #require(throws: TransportError.self) {
                    try await transport.deliver(delivery, to: printer.target) { _ in }
                }
                #expect(error.code == .documentUnreadable)
                #expect(error.bytesAccepted == 0)
            }
        }
        #expect(asked.all.isEmpty)
    }

    @Test func `a file that is cut off while it is sent ends the delivery`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](repeating: 0x20, count: 32 << 20), to: "document")
        let printer = try ScriptedPrinter { connection in
            try connection.introduce(BrokenConnectionTests.withoutCreateJob)
            let request = try connection.readMessage()
            guard truncate(path, 1 << 20) == 0 else { return }
            try connection.read(request.documentLength - request.document.count)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            var delivery = Delivery.receipt("k1", [])
            delivery.document.body = .file(path: path, length: 32 << 20)
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(delivery, to: printer.target) { _ in }
            }
            #expect(error.code == .documentUnreadable)
            #expect(error.bytesAccepted > 0)
            #expect(error.bytesAccepted < 32 << 20)
        }
    }
}
