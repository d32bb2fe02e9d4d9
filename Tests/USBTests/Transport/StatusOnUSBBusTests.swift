import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Testing

/// Each trouble that a printer can tell of, in each way of telling it.
@Suite("What is the matter with a printer over USB", .serialized, .timeLimit(.minutes(10)))
struct StatusOnUSBBusTests {
    /// A condition of the printer, and the resulting keyword and state.
    struct Trouble: Sendable {
        var condition: String
        var keyword: String
        var state = Availability.State.stopped
    }

    private static let troubles = [
        Trouble(condition: "cover-open", keyword: "cover-open"),
        Trouble(condition: "paper-out", keyword: "media-empty"),
        Trouble(condition: "cutter-error", keyword: "separation-cutter-jam"),
        Trouble(condition: "overheated", keyword: "fuser-over-temp"),
        Trouble(condition: "unrecoverable-error", keyword: "other"), Trouble(condition: "offline", keyword: "offline"),
        Trouble(condition: "feed-button", keyword: "offline"),
    ]
    private static let harmless = [
        Trouble(condition: "paper-low", keyword: "media-low", state: .attention),
        Trouble(condition: "drawer-high", keyword: "cash-drawer-open", state: .ready),
    ]
    private static let settings = DeviceSettings(language: .escPOS, drawerOpen: .high)
    private static let star =
        "--language star --manufacturer Star --model TSP143 --device-id 'MFG:Star;CMD:STAR;MDL:TSP143;'"
    private static let starSettings = DeviceSettings(drawerOpen: .high)

    /// A mechanical error has no bit of its own in the automatic status, but makes the printer offline.
    @Test(arguments: troubles + harmless + [Trouble(condition: "mechanical-error", keyword: "offline")])
    func `An ESC/POS printer tells by itself when it begins and when it is over`(trouble: Trouble) async throws {
        try await TransportBench.run("ASB-\(trouble.condition)", settings: Self.settings) { bench in
            try await Self.comesAndGoes(trouble, bench)
        }
    }

    @Test(arguments: troubles + harmless + [Trouble(condition: "mechanical-error", keyword: "other")])
    func `An ESC/POS printer that has it from the beginning says so when it is asked`(trouble: Trouble) async throws {
        try await TransportBench.run("EOT-\(trouble.condition)", "--\(trouble.condition) on", settings: Self.settings) {
            bench in
            Self.expect(trouble, try await bench.transport.contact(bench.target).availability)
        }
    }

    @Test(arguments: troubles + harmless + [Trouble(condition: "mechanical-error", keyword: "other")])
    func `A Star printer tells by itself, and when it is asked`(trouble: Trouble) async throws {
        let serial = "STAR-\(trouble.condition)"
        let url = "usb://Star/TSP143?serial=\(serial)"
        try await TransportBench.run(serial, Self.star, settings: Self.starSettings, url: url) { bench in
            try await Self.comesAndGoes(trouble, bench)
        }
        try await TransportBench.run(
            serial, "\(Self.star) --\(trouble.condition) on", settings: Self.starSettings, url: url
        ) { bench in
            Self.expect(trouble, try await bench.transport.contact(bench.target).availability)
        }
    }

    @Test(arguments: [("38", "media-empty"), ("20", "media-empty"), ("10", "other"), ("08", "offline")])
    func `A printer that cannot answer says as much as its port status has`(byte: String, keyword: String) async throws
    {
        try await TransportBench.run("PORT-\(byte)", "--interface 7/1/1 --language none", settings: DeviceSettings()) {
            bench in
            #expect(try await bench.transport.contact(bench.target).availability == Availability(.ready))
            try await bench.control("port-status \(byte)")
            let availability = try await bench.transport.contact(bench.target).availability
            #expect(availability.state == .stopped)
            #expect(availability.reasons.map(\.keyword).contains(keyword))
            try await bench.control("port-status 18")
            #expect(try await bench.transport.contact(bench.target).availability == Availability(.ready))
        }
    }

    private static func comesAndGoes(_ trouble: Trouble, _ bench: TransportBench) async throws {
        let news = NewsLog(bench.transport)
        #expect(try await bench.transport.contact(bench.target).availability == Availability(.ready))
        try await bench.control("\(trouble.condition) on")
        let told = try await eventuallyValue("it is told") { news.availabilities.last { $0 != Availability(.ready) } }
        expect(trouble, told)
        try await bench.control("\(trouble.condition) off")
        try await eventually("it is over") { news.availabilities.last == Availability(.ready) }
    }

    private static func expect(_ trouble: Trouble, _ availability: Availability) {
        #expect(availability.state == trouble.state)
        #expect(availability.reasons.map(\.keyword) == [trouble.keyword])
        // Everyone is told what to do; a drawer may well be open.
        #expect(availability.message != nil || trouble.state == .ready)
    }
}
