import DrawingService
import Glibc
import Receipts
import TestSupport
import Testing

/// What becomes of requests when the drawing program does not do its work.
@Suite struct HelperTroubleTests {
    private let helper: HelperProgram

    init() throws { helper = try HelperProgram() }

    private func running() async throws -> Int32 { try await eventuallyValue("kiosk-draw") { helper.processIDs.first } }

    private func atWork() async throws -> Int32 {
        try await eventuallyValue("a drawing's begin") { try helper.processIDs.first { try helper.status("State", of: $0)?.hasPrefix("R") == true } }
    }

    @Test(arguments: [SIGSEGV, SIGABRT, SIGSYS]) func `crashed amid a drawing, it costs that one an error`(_ signal: Int32) async throws {
        let service = DrawingService(program: helper.path)
        let slow = try await HelperProgram.slow(service)
        // Behind the slow one stands another.
        async let first = service.draw([slow])
        let process = try await atWork()
        async let second = service.draw([HelperProgram.text("next")])
        kill(process, signal)
        do {
            _ = try await first
            Issue.record("drawn by a program that crashed")
        } catch {
            #expect((error as? DrawingError)?.code == .crashed)
        }
        #expect(try await second.matrices.count == 1)
        #expect(try await running() != process)
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    /// As the kernel does where memory is short, whoever took it.
    @Test func `killed by somebody else amid a drawing, it is asked once more`() async throws {
        let service = DrawingService(program: helper.path)
        let slow = try await HelperProgram.slow(service)
        async let first = service.draw([slow])
        let process = try await atWork()
        kill(process, SIGKILL)
        #expect(try await first.matrices.count == 1)
        #expect(try await running() != process)
        await service.shutDown()
    }

    @Test func `killed over the same drawing again, it costs that one an error`() async throws {
        let service = DrawingService(program: helper.path)
        let slow = try await HelperProgram.slow(service)
        let killer = Task {
            for _ in 0..<2 {
                let process = try await atWork()
                kill(process, SIGKILL)
                try await eventually("its end") { !helper.processIDs.contains(process) }
            }
        }
        let error = await #expect(throws: DrawingError.self) { try await service.draw([slow]) }
        #expect(error?.code == .crashed)
        try await killer.value
        _ = try await service.draw([HelperProgram.text("next")])
        await service.shutDown()
    }

    @Test func `killed while it had nothing to do, it is started anew`() async throws {
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try await running(), SIGKILL)
        _ = try await service.draw([HelperProgram.text("two")])
        await service.shutDown()
    }

    @Test func `a program that hangs is given up after the deadline`() async throws {
        var settings = DrawingSettings()
        settings.deadline = .seconds(1)
        let service = DrawingService(program: helper.path, settings: settings)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try await running()
        kill(process, SIGSTOP)
        let error = await #expect(throws: DrawingError.self) { try await service.draw([HelperProgram.text("two")]) }
        #expect(error?.code == .deadline)
        #expect(try await service.draw([HelperProgram.text("two")]).matrices.count == 1)
        #expect(try await running() != process)
        await service.shutDown()
    }

    @Test func `a program that has no memory left costs one drawing`() async throws {
        let service = DrawingService(program: helper.path)
        let slow = try await HelperProgram.slow(service)
        // Less than that picture takes, beside what is mapped already.
        let prlimit = try InstalledProgram.path("prlimit", package: "util-linux")
        let limited = try await ChildProcess.run(prlimit, ["--pid", "\(try await running())", "--data=1000000:1000000"])
        #expect(limited.end.isSuccess, "\(limited.standardError)")
        await #expect(throws: DrawingError.self) { try await service.draw([slow]) }
        #expect(try await service.draw([HelperProgram.text("next")]).matrices.count == 1)
        await service.shutDown()
    }

    @Test func `a program that says nonsense is given up`() async throws {
        let folder = try TemporaryFolder("nonsense")
        let program = "\(folder.path)/kiosk-draw"
        try writeProgram("#!/bin/sh\nhead -c 8 >/dev/null\nprintf 'HTTP/1.1 200 OK'\nsleep 60\n", to: program)
        let service = DrawingService(program: program)
        let error = await #expect(throws: DrawingError.self) { try await service.draw([HelperProgram.text("one")]) }
        #expect(error?.code == .crashed)
        await service.shutDown()
    }

    @Test func `a canceled drawing ends at once, whatever the program does`() async throws {
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try await running()
        kill(process, SIGSTOP)
        let task = Task { try await service.draw([HelperProgram.text("two")]) }
        let waiting = Task { try await service.draw([HelperProgram.text("three")]) }
        waiting.cancel()
        task.cancel()
        for task in [task, waiting] {
            guard case .failure(let error as DrawingError) = await task.result else { Issue.record("drawn by a stopped program"); continue }
            #expect(error.code == .canceled)
        }
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    @Test func `shutting down ends what is waiting`() async throws {
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try await running(), SIGSTOP)
        let task = Task { try await service.draw([HelperProgram.text("two")]) }
        try await eventually("a request") { try helper.status("State", of: try await running())?.hasPrefix("T") == true }
        await service.shutDown()
        guard case .failure(let error as DrawingError) = await task.result else { Issue.record("drawn by a stopped program"); return }
        #expect(error.code == .shutDown)
        #expect(helper.processIDs.isEmpty)
    }
}
