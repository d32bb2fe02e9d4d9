import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Each thing that can stop a printer stops one, a job waits, the thing goes away, and the job prints with nobody
/// touching anything. The bounds stand in docs/delivery.md; here only a hang fails, and the times are told.
@Suite(.serialized) struct LatchedNeverTests {
    /// What a person or a fault does to a printer on the network.
    struct Reason: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var begin: [PrinterCommand]
        var end: [PrinterCommand]
    }

    private static let reasons: [Reason] = [
        .init(testDescription: "no paper", begin: [.paperOut], end: [.paperIn]),
        .init(testDescription: "the cover is open", begin: [.coverOpen], end: [.coverClose]),
        .init(testDescription: "a paper jam", begin: [.jam], end: [.unjam]),
        .init(testDescription: "it takes no jobs", begin: [.refuse], end: [.accept]),
        .init(testDescription: "off the network", begin: [.goOffline(milliseconds: nil)], end: [.goOnline]),
        .init(testDescription: "powered off", begin: [.powerOff], end: [.goOnline]),
    ]

    private func printer(_ options: SimulatedPrinter.Options = .init()) async throws -> SimulatedPrinter {
        var options = options
        options.port = try freePort()
        return try await SimulatedPrinter.start(options)
    }

    /// What stops the printer, and what the job is then seen to wait for; what ends it. The job prints once.
    private func expectPrinted(
        _ reason: String, on daemon: KioskdFixture, _ printer: SimulatedPrinter? = nil, isReadyFirst: Bool = true,
        format: DocumentFormat = .plainText, stop: () async throws -> Void, end: () async throws -> Void
    ) async throws {
        let client = daemon.client()
        defer { client.close() }
        func isAvailable() async throws -> Bool {
            try await client.printers().allSatisfy { $0.availability.isAvailable }
        }
        if isReadyFirst { try await eventually("the printer to be ready") { try await isAvailable() } }
        try await stop()
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "receipt")
        parameters.format = format
        let job = try await client.submit(.bytes(Array("one coffee\n".utf8)), parameters)
        try await eventually("\(reason): the printer to be stopped") {
            try await !isAvailable()
        }
        #expect(try await !client.job(job.id).isSettled, "\(reason)")
        let clock = ContinuousClock()
        let removed = clock.now
        try await end()
        let settled = try await client.job(job.id, wait: .seconds(300))
        let passed = clock.now - removed
        #expect(settled.state == .completed, "\(reason): \(settled)")
        #expect(!settled.isUnconfirmed, "\(reason): \(settled)")
        if let printer { #expect(try await printer.copies() == ["one coffee\n": 1], "\(reason)") }
        print("\(reason): printed \(passed.formatted(.units(allowed: [.milliseconds]))) after its end")
    }

    @Test(arguments: reasons)
    func `a stopped printer prints what waits as soon as it can`(reason: Reason) async throws {
        let printer = try await printer()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        try await expectPrinted(reason.testDescription, on: daemon, printer) {
            for command in reason.begin { try await printer.perform(command) }
        } end: {
            for command in reason.end { try await printer.perform(command) }
        }
    }

    @Test func `a printer that another keeps busy prints what waits`() async throws {
        let printer = try await printer()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let client = daemon.client()
        try await printer.perform(.busy(count: 1_000_000))
        let job = try await client.submit(text: "one coffee\n")
        try await eventually("it to be tried") { try await client.job(job.id).attempts > 0 }
        #expect(try await !client.job(job.id).isSettled)
        try await printer.perform(.busy(count: 0))
        let clock = ContinuousClock()
        let removed = clock.now
        #expect(try await client.job(job.id, wait: .seconds(300)).state == .completed)
        print(
            "held by busy: printed \((clock.now - removed).formatted(.units(allowed: [.milliseconds]))) after its end")
        #expect(try await printer.copies() == ["one coffee\n": 1])
    }

    /// A host that is off responds to no connection at all.
    @Test func `a host that was silent and comes up prints what waits`() async throws {
        var silence: FullListener? = try FullListener()
        var options = SimulatedPrinter.Options()
        options.port = silence?.port ?? 0
        var printer: SimulatedPrinter?
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(options.port)/ipp/print"])
        try await expectPrinted("a silent host", on: daemon, isReadyFirst: false, stop: {}) {
            silence = nil
            printer = try await SimulatedPrinter.start(options)
        }
        #expect(try await printer?.copies() == ["one coffee\n": 1])
        _ = silence
    }

    @Test func `a host whose name is gone and known again prints what waits`() async throws {
        let printer = try await printer()
        let names = try TemporaryFolder("names")
        var time = Date()
        // The library looks at the file again when its time has changed, in seconds.
        func know(_ lines: String) throws {
            try names.write("127.0.0.1 localhost\n\(lines)", to: "hosts")
            time += 10
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: names.appending("hosts"))
        }
        try know("127.0.0.1 till.test\n")
        let daemon = try await KioskdFixture(
            registry: KioskdFixture.registry(["ipp://till.test:\(printer.port)/ipp/print"]),
            environment: ["LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": names.appending("hosts")])
        try await expectPrinted("a name that is gone", on: daemon, printer) {
            try know("")
            try await printer.perform(.dropConnections)
        } end: {
            try know("127.0.0.1 till.test\n")
        }
    }

    @Test func `a printer with another certificate prints what waits once that is trusted`() async throws {
        var options = SimulatedPrinter.Options()
        options.tls = PrinterTLSOptions()
        let printer = try await printer(options)
        let registry = KioskdFixture.registry([printer.uri]).replacingOccurrences(of: "\" }", with: "\", trust: ask }")
        let daemon = try await KioskdFixture(registry: registry)
        let client = daemon.client()
        let till = try #require(PrinterID(rawValue: "till-1"))
        func trust() async throws {
            let shown = try await client.inspectTrust(of: till)
            _ = try await client.trust(try #require(shown.certificate?.keyFingerprint), of: till)
        }
        try await trust()
        try await expectPrinted("another certificate", on: daemon, printer) {
            try await printer.perform(.newCertificate)
            try await printer.perform(.dropConnections)
        } end: {
            try await trust()
        }
    }

    @Test func `a login that is mended prints what waits`() async throws {
        var options = SimulatedPrinter.Options()
        options.login = PrinterLogin(.basic, user: "till", password: Secret("right-3b1f"))
        let printer = try await printer(options)
        let folder = try TemporaryFolder("kioskd")
        func know(_ password: String) throws {
            try folder.writePrivately(Array("office: { user: till, password: \(password) }\n".utf8), to: "secrets.yaml")
        }
        try know("right-3b1f")
        let registry = KioskdFixture.registry([printer.uri])
            .replacingOccurrences(of: "\" }", with: "\", credentials: office, login-without-tls: true }")
        let daemon = try await KioskdFixture(folder: folder, registry: registry)
        let client = daemon.client()
        defer { client.close() }
        try await eventually("the login to be accepted") {
            try await client.printers().allSatisfy { $0.availability.isAvailable }
        }
        try await expectPrinted("a refused login", on: daemon, printer, isReadyFirst: false) {
            try know("wrong-77e0")
            // A job that comes before this is noticed prints with the login that was good.
            try await eventually("the login to be refused") {
                try await client.printers().allSatisfy { !$0.availability.isAvailable }
            }
        } end: {
            try know("right-3b1f")
        }
    }

    @Test(.enabled("where tests may mount a file system") { SmallDisk.isPossible })
    func `a disk that was full prints what waits once there is room`() async throws {
        let disk = try SmallDisk()
        let printer = try await printer()
        let daemon = try await KioskdFixture(
            folder: TemporaryFolder(at: "\(disk.path)/state"), registry: KioskdFixture.registry([printer.uri]))
        try await expectPrinted("a full disk", on: daemon, printer) {
            try await printer.perform(.goOffline(milliseconds: nil))
        } end: {
            try disk.fill()
            try await printer.perform(.goOnline)
            let client = daemon.client()
            try await eventually("the printer to be back") {
                try await client.printers().allSatisfy { $0.availability.isAvailable }
            }
            try disk.makeRoom()
        }
    }

    @Test(arguments: [
        ("unplug", "plug"), ("power-off", "plug 5"), ("cover-open on", "cover-open off"),
        ("paper-out on", "paper-out off"),
        ("offline on", "offline off"),
    ])
    func `a printer on USB prints what waits as soon as it can`(begin: String, end: String) async throws {
        let usb = try await USBEmulator(["--device", "--serial", "T1"])
        let profiles = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../profiles")
        let daemon = try await KioskdFixture(
            printers: ["usb://EPSON/TM-T20II?serial=T1"], arguments: ["--profiles", profiles.standardized.path],
            usb: usb)
        let paper = try await usb.usePaper()
        try await expectPrinted("USB: \(begin)", on: daemon, format: .escPOS) {
            try await usb.control("0 \(begin)")
        } end: {
            try await usb.control("0 \(end)")
        }
        #expect(
            try String(contentsOfFile: paper, encoding: .isoLatin1).components(separatedBy: "one coffee").count == 2)
    }
}
