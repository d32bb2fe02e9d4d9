import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

/// How a printer's quirks and refusals change the requests to it.
@Suite struct IPPQuirksTransportTests {
    private static let long = [UInt8](repeating: 0x20, count: 300_000)

    /// Answers Get-Printer-Attributes with `attributes` beside the usual ones, everything else with `respond`.
    private func printer(
        _ attributes: [IPPAttribute] = [], _ asked: Recorder<ScriptedConnection.Request>,
        _ respond: @escaping @Sendable (ScriptedConnection.Request) -> IPPMessage
    ) throws -> ScriptedPrinter {
        try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                asked.add(request)
                guard request.message.operation == .getPrinterAttributes else {
                    try connection.reply(respond(request))
                    continue
                }
                var group = ScriptedConnection.printer()
                for attribute in attributes { group[attribute.name] = attribute }
                try connection.reply(ScriptedConnection.ok(group))
            }
        }
    }

    private func with(
        _ quirks: @escaping @Sendable (PrinterIdentity) -> [Quirk], body: (IPPTransport) async throws -> Void
    ) async throws {
        try await use(IPPTransport(quirks: quirks, deadlines: .patient), body)
    }

    private static func quirk(_ name: Quirk.Name, _ value: String) -> Quirk {
        Quirk(name: name, value: value, why: "it does", source: "https://example.org/", profile: "test")
    }

    @Test func `a saved profile counts from the first request, the model from its response on`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let model = IPPAttribute("printer-make-and-model", .text("Acme 1"))
        let deviceID = IPPAttribute("printer-device-id", .text("MFG:Acme;MDL:1;"))
        let printer = try printer([model, deviceID], asked) { _ in
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        let identities = Recorder<PrinterIdentity>()
        try await with { identity in
            identities.add(identity)
            return identity.makeAndModel == nil
                ? [Self.quirk(.host, "localhost:631"), Self.quirk(.ippVersion, "1.1")]
                : [Self.quirk(.host, "localhost"), Self.quirk(.requestingUserName, "omit")]
        } body: { transport in
            var target = try printer.target
            target.profile = "acme"
            _ = try await transport.deliver(.receipt("k1", [1]), to: target) { _ in }
        }
        #expect(
            identities.all == [
                PrinterIdentity(profile: "acme"),
                PrinterIdentity(profile: "acme", makeAndModel: "Acme 1", deviceID: "MFG:Acme;MDL:1;"),
            ])
        let requests = asked.all
        try #require(requests.count == 2)
        #expect(requests[0].head.contains("Host: localhost:631\r\n"))
        #expect(requests[1].head.contains("Host: localhost\r\n"))
        // A version that worked is kept whatever a profile says about the first request.
        #expect(requests.map(\.message.version) == [.v1_1, .v1_1])
        #expect(requests[0].message.attribute("requesting-user-name", in: .operation) != nil)
        #expect(requests[1].message.attribute("requesting-user-name", in: .operation) == nil)
    }

    @Test(arguments: [("plain", #"SHOP\Jürgen Müller"#, "SHOP_J_rgen_M_ller"), ("plain", "日本", "kiosk")])
    func `a printer with simple tastes gets simple names`(rule: String, user: String, expected: String) async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await with { _ in
            [Self.quirk(.requestingUserName, rule)]
        } body: { transport in
            var delivery = Delivery.receipt("k1", [1])
            delivery.user = user
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        #expect(asked.all.last?.message.attribute("requesting-user-name", in: .operation)?.string == expected)
    }

    @Test(arguments: ["close", "keep-alive"])
    func `HTTP's Connection is said as the model wants it`(option: String) async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await with { _ in
            [Self.quirk(.connection, option)]
        } body: { transport in
            _ = try await transport.deliver(.receipt("k1", [1]), to: printer.target) { _ in }
        }
        #expect(asked.all.count == 2)
        #expect(asked.all.allSatisfy { $0.head.lowercased().contains("connection: \(option)\r\n") })
        #expect(printer.connectionCount == (option == "close" ? 2 : 1))
    }

    @Test func `a contact asks by name, and never for what is long`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok() }
        defer { printer.stop() }
        try await withTransport { _ = try await $0.contact(printer.target) }
        let names = try #require(asked.all.first?.message.attribute("requested-attributes", in: .operation)?.strings)
        #expect(names.contains("printer-state"))
        #expect(Set(names).isDisjoint(with: ["all", "printer-description", "job-template", "media-col-database"]))
        #expect(Set(names).count == names.count)
    }

    @Test func `a medium that is not loaded is asked for nevertheless`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let media = [
            IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm", "iso_a5_148x210mm"]),
            IPPAttribute("media-ready", keywords: ["iso_a4_210x297mm"]),
        ]
        let printer = try printer(media, asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1])
        delivery.ticket.media = "iso_a5_148x210mm"
        try await withTransport { transport in
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        #expect(asked.all.last?.message.first(.job)?["media"]?.string == "iso_a5_148x210mm")
    }

    @Test func `a name that is refused is left out from then on`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { request in
            request.message.attribute("requesting-user-name", in: .operation) == nil
                ? ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
                : ScriptedConnection.status(.clientErrorBadRequest)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            for job in ["k1", "k2"] { _ = try await transport.deliver(.receipt(job, [1]), to: printer.target) { _ in } }
        }
        let prints = asked.all.filter { $0.message.operation == .printJob }
        #expect(
            prints.map { $0.message.attribute("requesting-user-name", in: .operation)?.string } == ["till", nil, nil])
    }

    @Test func `a refusal without the name is told as it was with it`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { request in
            ScriptedConnection.status(
                request.message.attribute("requesting-user-name", in: .operation) == nil
                    ? .clientErrorNotAuthorized : .clientErrorBadRequest)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", [1]), to: printer.target) { _ in }
            }
            #expect(error.underlying == .ippStatus(Int(IPPStatus.clientErrorBadRequest.rawValue)))
            #expect(error.code == .jobRefused)
            #expect(error.bytesAccepted == 0)
        }
    }

    @Test func `a login that is demanded of nobody's request is not told either`() async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            try connection.reply(ScriptedConnection.status(.clientErrorBadRequest))
            _ = try connection.readRequest()
            try connection.send(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", [1]), to: printer.target) { _ in }
            }
            #expect(error.code == .jobRefused)
        }
    }

    /// `isTold`: the refusal says that it is about the name.
    @Test(arguments: [(true, ["till", nil, nil, nil]), (false, ["till", nil, nil, "till", nil])])
    func `a contact ends the suspicion that names are refused, not what the printer said`(
        isTold: Bool, names: [String?]
    ) async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { request in
            let unsupported = IPPGroup(.unsupported, isTold ? [IPPAttribute("requesting-user-name", .unsupported)] : [])
            return request.message.attribute("requesting-user-name", in: .operation) == nil
                ? ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
                : ScriptedConnection.status(.clientErrorAttributesOrValuesNotSupported, unsupported)
        }
        defer { printer.stop() }
        try await withTransport { transport in
            for job in ["k1", "k2"] { _ = try await transport.deliver(.receipt(job, [1]), to: printer.target) { _ in } }
            _ = try await transport.contact(printer.target)
            _ = try await transport.deliver(.receipt("k3", [1]), to: printer.target) { _ in }
        }
        let prints = asked.all.filter { $0.message.operation == .printJob }
        #expect(prints.map { $0.message.attribute("requesting-user-name", in: .operation)?.string } == names)
    }

    @Test func `a connection that breaks in a second attempt counts its bytes`() async throws {
        let document = [UInt8](repeating: 0x20, count: 1000)
        let printer = try ScriptedPrinter { connection in
            try connection.introduce()
            _ = try connection.readRequest()
            try connection.reply(ScriptedConnection.status(.serverErrorVersionNotSupported))
            _ = try connection.readRequest()
            connection.reset()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", document), to: printer.target) { _ in }
            }
            #expect(error.code == .connectionLost)
            #expect(error.bytesAccepted == 1000)
        }
    }

    @Test func `responses that call themselves 1.0 are read, and 2.0 is spoken on`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                asked.add(request)
                let group =
                    request.message.operation == .printJob
                    ? ScriptedConnection.job(7, state: 9) : ScriptedConnection.printer()
                var response = ScriptedConnection.ok(group)
                response.version = .v1_0
                try connection.reply(response)
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.deliver(.receipt("k1", [1]), to: printer.target) { _ in }
        }
        #expect(asked.all.map(\.message.version) == [.v2_0, .v2_0])
    }

    @Test func `an error status with all that was asked for is a response`() async throws {
        let printer = try ScriptedPrinter { connection in
            while true {
                _ = try connection.readRequest()
                try connection.reply(ScriptedConnection.status(.serverErrorInternalError, ScriptedConnection.printer()))
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let report = try await transport.contact(printer.target)
            #expect(report.description.name == "Scripted")
        }
    }

    @Test func `Create-Job goes unused by quirk`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        try await with { _ in
            [Self.quirk(.createJob, "off")]
        } body: { transport in
            _ = try await transport.deliver(.receipt("k1", Self.long), to: printer.target) { _ in }
        }
        #expect(asked.all.map(\.message.operation) == [.getPrinterAttributes, .validateJob, .printJob])
    }

    @Test func `a Send-Document that is announced and missing gives way to Print-Job for good`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { request in
            request.message.operation == .sendDocument
                ? ScriptedConnection.status(.serverErrorOperationNotSupported)
                : ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            for job in ["k1", "k2"] {
                _ = try await transport.deliver(.receipt(job, Self.long), to: printer.target) { _ in }
            }
        }
        #expect(
            asked.all.map(\.message.operation) == [
                .getPrinterAttributes, .validateJob, .createJob, .sendDocument, .cancelJob, .printJob, .validateJob,
                .printJob,
            ])
    }

    @Test func `Validate-Job is tried twice, and then the job itself`() async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer([], asked) { request in
            request.message.operation == .validateJob
                ? ScriptedConnection.status(.serverErrorInternalError)
                : ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        try await withTransport { transport in
            _ = try await transport.deliver(.receipt("k1", Self.long), to: printer.target) { _ in }
        }
        #expect(asked.all.map(\.message.operation).filter { $0 == .validateJob }.count == 2)
        #expect(asked.all.last?.message.operation == .sendDocument)
    }

    private static let cuts: [([IPPAttribute], Ticket.Cut, String?)] = [
        ([], .full, nil), ([IPPAttribute("finishings-supported", .enums([3, 4]))], .full, nil),
        ([IPPAttribute("finishings-supported", .enums([3, 11]))], .partial, "finishings 11"),
        ([IPPAttribute("finishings-supported", .enums([3, 11, 63]))], .full, "finishings 63"),
        ([IPPAttribute("finishings-supported", .enums([3, 63]))], .none, "finishings 3"),
        ([IPPAttribute("finishings-supported", .enums([3, 4]))], .none, nil),
        (
            [
                IPPAttribute("finishings-col-supported", keywords: ["finishing-template"]),
                IPPAttribute("finishing-template-supported", keywords: ["staple", "trim"]),
            ], .full, "finishings-col trim"
        ),
    ]

    @Test(arguments: cuts.indices)
    func `a cut is asked for where the printer lists one`(index: Int) async throws {
        let (attributes, cut, expected) = Self.cuts[index]
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try printer(attributes, asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1])
        delivery.ticket.cut = cut
        try await withTransport { transport in
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        let attribute = asked.all.last?.message.first(.job)?.attributes.first
        let value = attribute?.integer.map { "\($0)" } ?? attribute?.collection?["finishing-template"]?.string
        #expect(attribute.map { "\($0.name) \(value ?? "")" } == expected)
    }

    private static let rollSizes = IPPAttribute(
        "media-size-supported",
        .collections([
            [IPPAttribute("x-dimension", .integer(21000)), IPPAttribute("y-dimension", .integer(29700))],
            [
                IPPAttribute("x-dimension", .rangeOfInteger(IPPRange(5000, 8000))),
                IPPAttribute("y-dimension", .rangeOfInteger(IPPRange(1000, 100_000))),
            ],
        ]))

    @Test(arguments: [
        ("iso_a4_210x297mm", "media iso_a4_210x297mm"), ("om_receipt_72.5x200mm", "media-col 7250x20000"),
        ("om_wide_90x200mm", "media om_wide_90x200mm"),
    ])
    func `a medium that is not listed goes by its size where that is in range`(
        media: String, expected: String
    ) async throws {
        let asked = Recorder<ScriptedConnection.Request>()
        let attributes = [
            Self.rollSizes, IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"]),
            IPPAttribute("media-col-supported", keywords: ["media-size"]),
        ]
        let printer = try printer(attributes, asked) { _ in ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1])
        delivery.ticket.media = media
        try await withTransport { transport in
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        let attribute = try #require(asked.all.last?.message.first(.job)?.attributes.first)
        let size = attribute.collection?["media-size"]?.collection
        let value =
            size.map { "\($0["x-dimension"]?.integer ?? 0)x\($0["y-dimension"]?.integer ?? 0)" } ?? attribute.string
        #expect("\(attribute.name) \(value ?? "")" == expected)
    }
}
