import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Receipts whose letters have to be drawn, while what draws has trouble.
@Suite struct KioskdDrawingTests {
    private let programs: TemporaryFolder
    private let printer: SimulatedPrinter

    init() async throws {
        programs = try TemporaryFolder("programs")
        printer = try await SimulatedPrinter.start()
        // The daemon looks for what draws beside itself, wherever a symbolic link to it lies.
        let program = try BuiltProducts.path("kioskd")
        if link(program, programs.appending("kioskd")) != 0 {
            try FileManager.default.copyItem(atPath: program, toPath: programs.appending("kioskd"))
        }
    }

    private var drawing: String { programs.appending("kiosk-draw") }

    /// Beside it lies nothing that draws.
    private func daemon() async throws -> KioskdFixture {
        try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "\(printer.uri)", profile: epson-tm }
                roles: { receipt: { printers: [till-1] } }
                """,
            arguments: ["--profiles", KioskdMarkupTests.profiles], program: programs.appending("kioskd"))
    }

    /// The n-th start does the n-th of these once it read a part of a request, in words of sh(1); later ones draw.
    private func install(acting acts: [String] = []) throws {
        let cases = acts.enumerated().map {
            "\($0 + 1)) printf '\\000\\000\\000\\002\\004\\002'; head -c 8 > /dev/null; \($1) ;;\n"
        }.joined()
        try programs.write("0\n", to: "starts")
        try writeProgram(
            """
            #!/bin/sh
            read starts < '\(programs.appending("starts"))'
            starts=$((starts + 1))
            echo $starts > '\(programs.appending("starts"))'
            case $starts in
            \(cases)esac
            exec '\(try BuiltProducts.path("kiosk-draw"))' "$@"
            """, to: drawing)
    }

    /// A letter that the printer has not, another each time, so that nothing is drawn already.
    private func submit(_ daemon: KioskdFixture, _ number: Int = 0) async throws -> Job {
        try await daemon.client().submit(
            text: "日\(String(Unicode.Scalar(0x4E00 + number) ?? "本"))\n", format: .receiptLine)
    }

    private func settled(_ daemon: KioskdFixture, _ job: Job) async throws -> Job {
        let client = daemon.client()
        return try await eventuallyValue("the end of job \(job.id)", deadline: .seconds(120)) {
            let job = try await client.job(job.id)
            return job.isSettled ? job : nil
        }
    }

    private func drawingCheck(_ daemon: KioskdFixture) async throws -> HealthReport.Check? {
        try await daemon.client().health().checks.first { $0.code == "drawing" }
    }

    /// The process id of the daemon's `kiosk-draw`.
    private func helper(of daemon: KioskdFixture) throws -> Int32 {
        let parent = try daemon.process.processID
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        let found = processes.first { process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else {
                return false
            }
            return status.contains("\nPPid:\t\(parent)\n") && status.hasPrefix("Name:\tkiosk-draw\n")
        }
        return try #require(found)
    }

    @Test func `while what draws is missing, a receipt waits and says so, and prints when it is there`() async throws {
        let daemon = try await daemon()
        let job = try await submit(daemon)
        let waiting = try await eventuallyValue("the job to wait") {
            let job = try await daemon.client().job(job.id)
            return job.stateReasons == ["resources-are-not-ready"] ? job : nil
        }
        #expect(waiting.state == .pending)
        #expect(waiting.message?.contains("No such file") == true, "\(waiting.message ?? "")")
        // Between two attempts; during one it is on its way to the printer.
        try await eventually("the word for it") {
            try await daemon.kioskctl("jobs").standardOutput.contains("pending (to be drawn)")
        }
        #expect(try await drawingCheck(daemon)?.status == .critical)
        #expect(try await daemon.kioskctl("health").end == .exited(2))
        // What needs no drawing prints meanwhile.
        let other = try await daemon.client().submit(text: "tea\n", format: .receiptLine)
        #expect(try await settled(daemon, other).state == .completed)
        try install()
        #expect(try await settled(daemon, job).state == .completed)
        #expect(try await drawingCheck(daemon) == nil)
    }

    @Test func `what draws is found again by itself, though nobody prints`() async throws {
        let daemon = try await daemon()
        let job = try await submit(daemon)
        try await eventually("the trouble") { try await drawingCheck(daemon)?.status == .critical }
        _ = try await daemon.client().cancel(job.id)
        try install()
        try await eventually("its end") { try await drawingCheck(daemon) == nil }
    }

    @Test func `killed again and again amid a receipt, it is drawn in the end`() async throws {
        try install(acting: Array(repeating: "kill -KILL $$", count: 5))
        let daemon = try await daemon()
        let job = try await settled(daemon, submit(daemon))
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(try await printer.documents.count == 1)
    }

    @Test func `stopped amid a receipt, another draws it`() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: drawing, withDestinationPath: BuiltProducts.path("kiosk-draw"))
        let daemon = try await daemon()
        #expect(try await settled(daemon, submit(daemon)).state == .completed)
        let process = try helper(of: daemon)
        kill(process, SIGSTOP)
        let job = try await settled(daemon, submit(daemon, 1))
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(try helper(of: daemon) != process)
    }

    @Test func `a receipt over which it crashes twice ends with the reason, and the next is drawn`() async throws {
        try install(acting: ["kill -SEGV $$", "kill -SEGV $$"])
        let daemon = try await daemon()
        let job = try await settled(daemon, submit(daemon))
        #expect(job.state == .aborted)
        #expect(job.message?.contains("crashed (signal 11)") == true, "\(job.message ?? "")")
        #expect(try await settled(daemon, submit(daemon, 1)).state == .completed)
        #expect(try await drawingCheck(daemon) == nil)
    }

    @Test func `connections that take all descriptors they get keep no receipt from being drawn`() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: drawing, withDestinationPath: BuiltProducts.path("kiosk-draw"))
        let daemon = try await daemon()
        let connection = try RawConnection(daemon.socket)
        func ask(_ request: String) async throws -> String {
            try await connection.send(request)
            return try await connection.read(until: "\r\n\r\n")
        }
        _ = try await ask("GET /v1/health HTTP/1.1\r\nHost: kioskd\r\n\r\n")
        try await daemon.limitDescriptors(leaving: 160)
        let fillers = try (0..<160).map { _ in try RawConnection(daemon.socket) }
        try await eventually("a refusal") { daemon.log.contains("connections are refused") }
        let text = "日本\n"
        _ = try await ask(
            "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: kioskd\r\nContent-Type: text/receiptline\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        )
        try await eventually("the job to be printed") {
            try await ask("GET /v1/jobs/1 HTTP/1.1\r\nHost: kioskd\r\n\r\n").contains("\"job-state\":\"completed\"")
        }
        withExtendedLifetime(fillers) {}
    }
}
