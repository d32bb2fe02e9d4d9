import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// The built daemon with an emulated receipt printer on its USB, as it runs at a site: as an ordinary user, to whose
/// group the udev rule has given the printer's node.
@Suite(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can start the daemon as another user"))
struct KioskdUSBTests {
    /// Another user of the system's stands for `kioskd`, and another group for its own.
    private static let user = KioskdFixture.User(name: "nobody", group: "lp")
    private static let url = "usb://EPSON/TM-T20II?serial=T1"
    /// ESC @ begins anew, GS V 0 cuts.
    private static let receipt = "\u{1B}@one coffee\n\u{1D}V\u{0}"

    private static func bus(mode: String = "0660", _ more: String...) async throws -> USBEmulator {
        try await USBEmulator(["--device", "--serial", "T1", "--mode", mode, "--group", user.group] + more)
    }

    private static func daemon(_ usb: USBEmulator) async throws -> KioskdFixture {
        let profiles = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../profiles")
        return try await KioskdFixture(
            registry: KioskdFixture.registry([url]), arguments: ["--profiles", profiles.standardized.path], user: user,
            usb: usb)
    }

    private func job(_ result: ChildProcess.Result) throws -> Job {
        try APIJSON.decode(Job.self, from: Array(result.standardOutput.utf8))
    }

    private func submit(_ text: String, to daemon: KioskdFixture) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "receipt")
        parameters.format = .escPOS
        return try await daemon.client().submit(.bytes(Array(text.utf8)), parameters)
    }

    private func availability(_ daemon: KioskdFixture) async throws -> Availability {
        try await daemon.client().printers().first?.availability ?? .unknown
    }

    @Test func `a receipt printed by role is confirmed by the printer itself`() async throws {
        let usb = try await Self.bus("--kernel-driver", "on")
        let paper = try await usb.usePaper()
        let daemon = try await Self.daemon(usb)
        let result = try await daemon.kioskctl(
            "print", "-", "--role", "receipt", "--wait", "--json", input: Self.receipt)
        #expect(result.end == .exited(0), "\(result.standardError)")
        let job = try job(result)
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
        #expect(try String(contentsOfFile: paper, encoding: .isoLatin1).contains("one coffee\n"))
        #expect(try await usb.statistics()["cuts"] == "1")
        // It belongs to the kernel again when the daemon ends.
        #expect(try await usb.statistics()["driver"] == "usbfs")
        try await daemon.terminate()
        #expect(try await usb.statistics()["driver"] == "usblp")
    }

    @Test func `a printer that its user may not open is named with the rule, and prints once it may`() async throws {
        let usb = try await Self.bus(mode: "0600")
        let paper = try await usb.usePaper()
        let daemon = try await Self.daemon(usb)
        let submitted = try await submit(Self.receipt, to: daemon)
        try await eventually("the printer is known") { try await availability(daemon).state == .stopped }
        let message = try await availability(daemon).message ?? ""
        #expect(
            message.contains("60-kioskd-usb.rules") && message.contains("udevadm control --reload && udevadm trigger"),
            "\(message)")
        #expect(try await daemon.kioskctl("health").end == .exited(2))
        try await usb.control("0 unplug")
        try await usb.control("0 mode 0660")
        try await usb.control("0 plug")
        let job = try await daemon.client().job(submitted.id, wait: .seconds(20))
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
        #expect(try String(contentsOfFile: paper, encoding: .isoLatin1).contains("one coffee\n"))
    }

    @Test func `a job waits for a printer that is unplugged, and prints when it is back, at whatever port`()
        async throws
    {
        let usb = try await Self.bus()
        let daemon = try await Self.daemon(usb)
        try await eventually("the printer is ready") { try await availability(daemon).state == .ready }
        try await usb.control("0 unplug")
        try await eventually("the printer is gone") { try await availability(daemon).state == .unreachable }
        let submitted = try await submit(Self.receipt, to: daemon)
        #expect(try await daemon.client().job(submitted.id).state == .pending)
        try await usb.control("0 plug 7")
        let job = try await daemon.client().job(submitted.id, wait: .seconds(20))
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
    }

    @Test func `an open cover is told in an event, stops what is printed, and lets it go on when it is closed`()
        async throws
    {
        let usb = try await Self.bus("--speed", "20")
        let daemon = try await Self.daemon(usb)
        try await eventually("the printer is ready") { try await availability(daemon).state == .ready }
        let submitted = try await submit(String(repeating: "another line of coffee\n", count: 8), to: daemon)
        // What a contact asks is taken as well.
        try await eventually("the job is on its way") { try await daemon.client().job(submitted.id).bytesSent > 0 }
        try await usb.control("0 cover-open on")
        try await eventually("the printer says so") {
            try await availability(daemon).reasons.map(\.keyword).contains("cover-open")
        }
        try await eventually("the job stands still") {
            try await daemon.client().job(submitted.id).state == .processingStopped
        }
        try await usb.control("0 cover-open off")
        let job = try await daemon.client().job(submitted.id, wait: .seconds(20))
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
        try await eventually("the printer is ready again") { try await availability(daemon).state == .ready }
    }
}
