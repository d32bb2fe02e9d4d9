import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport

/// A daemon of a café in the middle of its day: printers that are ready, low on paper, out of paper, not reachable and
/// not trusted yet, and jobs that are completed, waiting, canceled and unconfirmed.
struct KioskAtWork {
    let daemon: KioskdFixture
    let port: Int
    private let till: SimulatedRawPrinter
    private let printers: [SimulatedPrinter]

    /// The URL of a printer that can be added.
    var printerToAdd: String { printers[0].uri }

    /// The paths of the screens that have something to show, in the order of the navigation.
    static let paths = [
        "/", "/printers/new", "/printers/till", "/roles", "/roles/receipt", "/jobs", "/jobs/1", "/receipt", "/health",
        "/fleet", "/profiles", "/trust", "/trust/invoices", "/tokens", "/changes",
    ]

    /// What the kiosk's people have named things by the page's own words.
    static let words = ["Terrace", "Kitchen", "Bar", "Entrance", "receipt", "label", "document", "counter", "read"]

    /// Starts the printers and the daemon, and returns once all its jobs are where they should be.
    init() async throws {
        till = try await SimulatedRawPrinter.start()
        let bar = try await Self.printer(.receipt, "Bar") { _ in }
        let kitchen = try await Self.printer(.receipt, "Kitchen") { $0.condition.isPaperOut = true }
        let labels = try await Self.printer(.label, "Stock room") { $0.condition.isPaperLow = true }
        let office = try await Self.printer(.laser, "Office, first floor") { _ in }
        let invoices = try await Self.printer(.laser, "Accounting") { $0.tls = PrinterTLSOptions() }
        printers = [bar, kitchen, labels, office, invoices]
        port = try freePort()
        daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till, url: "\(till.uri)/?waiteof=false", profile: epson-tm, name: Front till, location: Entrance }
                  - { id: bar, url: "\(bar.uri)", name: Bar till }
                  - { id: kitchen, url: "\(kitchen.uri)", name: Kitchen pass }
                  - { id: terrace, url: "socket://127.0.0.1:\(try freePort())", profile: epson-tm-m30, name: Terrace till, location: Terrace }
                  - { id: labels, url: "\(labels.uri)", name: Price labels }
                  - { id: office, url: "\(office.uri)", name: Office laser printer }
                  - { id: invoices, url: "\(invoices.uri)", name: Invoices, trust: ask }
                roles:
                  receipt: { printers: [till, bar], unconfirmed: hold }
                  terrace: { printers: [terrace], job-type: receipt }
                  kitchen: { printers: [kitchen], job-type: receipt }
                  counter: { printers: [bar], job-type: receipt, unconfirmed: hold }
                  label: { printers: [labels] }
                  document: { printers: [office, invoices] }

                """,
            arguments: [
                "--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:\(port)",
                // A hub that is away.
                "--fleet-hub", "nats://127.0.0.1:9", "--fleet-site", "corner-cafe", "--fleet-node", "kiosk-1",
                "--fleet-configuration", "shown", "--fleet-pair",
            ])
        try await print(with: bar)
        try await changeSettings()
    }

    /// Stops the printers.
    func stop() async throws {
        for printer in printers { try await printer.stop() }
        try await till.stop()
    }

    private static func printer(
        _ kind: SimulatedPrinterKind, _ location: String, _ change: (inout SimulatedPrinter.Options) -> Void
    ) async throws -> SimulatedPrinter {
        var options = SimulatedPrinter.Options(kind)
        options.location = location
        change(&options)
        return try await SimulatedPrinter.start(options)
    }

    // MARK: What has happened

    private func print(with bar: SimulatedPrinter) async throws {
        let client = daemon.client()
        defer { client.close() }
        @discardableResult
        func send(
            _ name: String, to role: String, _ bytes: [UInt8], _ format: DocumentFormat = .receiptLine
        ) async throws -> Job.ID {
            var parameters = SubmissionParameters()
            (parameters.role, parameters.name, parameters.format) = (RoleName(rawValue: role), name, format)
            return try await client.submit(.bytes(bytes), parameters).id
        }
        func ends(_ id: Job.ID) async throws { _ = try await client.job(id, wait: .seconds(300)) }

        try await ends(try await send("Order 1041", to: "receipt", Self.receipt))
        try await ends(try await send("Opening hours", to: "document", Self.document, .pdf))
        try await ends(try await send("Espresso beans, 250 g", to: "label", Self.label, .pdf))
        try await ends(try await send("Order 1042", to: "receipt", Self.receipt))

        // The bar's printer loses its power in the middle of a job, and with it what it knows of it.
        try await bar.perform(.hold)
        let doubtful = try await send("Order 1043", to: "counter", Self.receipt)
        try await eventually("the job at the printer") { try await bar.jobs.contains { $0.state == .processing } }
        try await bar.perform(.powerOff)
        try await bar.perform(.release)
        try await bar.perform(.goOnline)
        try await eventually("the doubt") { try await client.job(doubtful).stateReasons.contains("unconfirmed") }

        let wrong = try await send("Table 7 (wrong table)", to: "terrace", Self.order)
        _ = try await client.cancel(wrong)
        try await send("Table 8", to: "terrace", Self.order)
        for table in ["Table 3", "Table 12"] { try await send(table, to: "kitchen", Self.order) }
        try await ends(try await send("Order 1044", to: "receipt", Self.receipt))
        let expected: [PrinterID: Availability.State] = [
            "till": .ready, "bar": .ready, "kitchen": .stopped, "terrace": .unreachable, "labels": .attention,
            "office": .ready, "invoices": .stopped,
        ]
        try await eventually("the printers' states") {
            let states = try await client.printers()
            return states.allSatisfy { expected[$0.printer.id] == $0.availability.state }
        }
    }

    /// Versions of the registry, and tokens.
    private func changeSettings() async throws {
        for arguments in [
            ["roles", "assign", "document", "office", "invoices", "--page-limit", "20"],
            ["roles", "assign", "label", "labels", "--expires-after", "1800"],
            [
                "tokens", "add", "till-1", "--scope", "print:receipt", "--scope", "drawer", "--origin",
                "https://till.example",
            ],
            ["tokens", "add", "web-shop", "--scope", "print:label", "--scope", "read"],
        ] {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
            guard result.end.isSuccess else { throw TestSupportError(result.standardError) }
        }
    }

    // MARK: What is printed

    private static let receipt = Array(
        """
        ^^^"Corner Café"
        12 Market Street
        {width:*,3,8; border:line}
        |Item|Qty|Price|
        -
        Flat white | 2| 6.40
        Croissant | 1| 2.10
        -
        TOTAL || ^8.50
        {border:space; width:auto}
        {code:https://cafe.example/r/8842; option:qrcode,5,m}
        Thank you!
        =

        """.utf8)

    private static let order = Array("^^Kitchen\n{border:line; width:4,*}\n2 |Tomato soup\n1 |Club sandwich\n=\n".utf8)

    private static let document: [UInt8] = {
        var writer = PDFWriter()
        writer.addTextPage(["Corner Café", "Monday to Friday 7 to 19", "Saturday 8 to 17"], size: 24)
        return writer.bytes
    }()

    private static let label: [UInt8] = {
        var writer = PDFWriter()
        writer.addTextPage(width: 176, height: 82, ["Espresso beans", "250 g   9.80"], size: 14)
        return writer.bytes
    }()
}
