import Foundation
import Glibc
import KioskDrawingMessages
import KioskHelperMessages
import KioskReceipts
import KioskTestSupport
import Testing

@testable import KioskDrawingService

/// Requests whose drawing program fails, hangs or is missing.
@Suite struct HelperFailureTests {
    private func error(_ service: DrawingService, _ drawing: Drawing) async -> DrawingError? {
        do throws(DrawingError) {
            _ = try await service.draw([drawing])
            return nil
        } catch {
            return error
        }
    }

    // MARK: Ended during a drawing

    @Test(arguments: ["KILL", "TERM", "HUP", "USR1"])
    func `a drawing is repeated where another process killed the program during it`(
        _ signal: String
    ) async throws {
        let helper = try HelperProgram(acting: ["\(HelperProgram.beginsWork) kill -\(signal) $$"])
        let service = DrawingService(program: helper.path)
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        #expect(try helper.starts == 2)
        #expect(service.condition == .well)
        await service.shutDown()
    }

    @Test func `a drawing is not to blame where the program was killed twice during it`() async throws {
        let kill = "\(HelperProgram.beginsWork) kill -KILL $$"
        let helper = try HelperProgram(acting: [kill, kill])
        let service = DrawingService(program: helper.path)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .interrupted)
        #expect(failure?.code.isPassing == true)
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        #expect(service.condition == .well)
        await service.shutDown()
    }

    @Test(arguments: ["SEGV", "BUS", "ABRT", "ILL", "FPE", "TRAP", "SYS"])
    func `a drawing that crashes the program twice fails, and the next one is drawn`(
        _ signal: String
    ) async throws {
        let crash = "\(HelperProgram.beginsWork) kill -\(signal) $$"
        let helper = try HelperProgram(acting: [crash, crash])
        let service = DrawingService(program: helper.path)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .crashed)
        #expect(failure?.code.isPassing == false)
        // A fault of the document says nothing about the state of the service.
        #expect(service.condition == .well)
        #expect(try await service.draw([HelperProgram.text("next")]).matrices.count == 1)
        #expect(try helper.starts == 3)
        await service.shutDown()
    }

    @Test func `a drawing that crashes the program once is drawn the second time`() async throws {
        let helper = try HelperProgram(acting: ["\(HelperProgram.beginsWork) kill -SEGV $$"])
        let service = DrawingService(program: helper.path)
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        await service.shutDown()
    }

    /// The program itself distinguishes them. For its own faults see `SandboxTests`.
    @Test(arguments: [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS])
    func `the signal of a crash from another process is not a crash`(_ signal: Int32) async throws {
        let child = try ChildProcess(try BuiltProducts.path("kiosk-draw"))
        try await eventually("its greeting") { child.standardOutputBytes == MessageFrame.bytes(DrawingResponse.ready) }
        child.signal(signal)
        #expect(try await child.wait() == .exited(HelperExitStatus.killedByOtherProcess))
    }

    @Test func `a drawing is repeated where another process sent the signal of a crash during it`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try #require(helper.processIDs.first)
        // While the program is stopped the request is certainly not answered.
        kill(process, SIGSTOP)
        async let second = service.draw([HelperProgram.text("two")])
        try await eventually("a request") { service.requests.isAtWork }
        kill(process, SIGSEGV)
        kill(process, SIGCONT)
        #expect(try await second.matrices.count == 1)
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    @Test func `a program that was killed while idle is started again`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try #require(helper.processIDs.first), SIGKILL)
        _ = try await service.draw([HelperProgram.text("two")])
        await service.shutDown()
    }

    @Test func `a program without free memory is started again`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        let slow = try await HelperProgram.slow(service)
        let process = try #require(helper.processIDs.first)
        // Less than that picture takes, beside what is mapped already.
        let prlimit = try InstalledProgram.path("prlimit", package: "util-linux")
        let limited = try await ChildProcess.run(prlimit, ["--pid", "\(process)", "--data=1000000:1000000"])
        #expect(limited.end.isSuccess, "\(limited.standardError)")
        _ = await error(service, slow)
        #expect(try await service.draw([HelperProgram.text("next")]).matrices.count == 1)
        #expect(helper.processIDs.count == 1)
        await service.shutDown()
    }

    // MARK: Slow

    @Test func `a stopped program is ended, and another one draws`() async throws {
        let helper = try HelperProgram()
        var settings = DrawingSettings()
        settings.stallTimeout = .milliseconds(500)
        let service = DrawingService(program: helper.path, settings: settings)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try #require(helper.processIDs.first)
        kill(process, SIGSTOP)
        // A busy machine may hold up the new one for as long.
        try await eventually("the drawing") { await error(service, HelperProgram.text("two")) == nil }
        #expect(helper.processIDs.first != process)
        #expect(service.condition == .well)
        await service.shutDown()
    }

    @Test func `a drawing is not to blame where the program stalls repeatedly`() async throws {
        let hang = "\(HelperProgram.beginsWork) kill -STOP $$"
        let helper = try HelperProgram(acting: [hang, hang])
        var settings = DrawingSettings()
        settings.stallTimeout = .milliseconds(500)
        settings.firstRestartDelay = .seconds(60)
        let service = DrawingService(program: helper.path, settings: settings)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code.isPassing == true, "\(failure?.message ?? "")")
        #expect(service.condition != .well)
        await service.shutDown()
    }

    @Test func `a program that works on and on is ended, and not called stalled`() async throws {
        let spin = "\(HelperProgram.beginsWork) while :; do :; done"
        let helper = try HelperProgram(acting: [spin, spin])
        var settings = DrawingSettings()
        settings.cpuTime = .seconds(600)
        settings.stallTimeout = .seconds(600)
        settings.timeout = .seconds(1)
        settings.firstRestartDelay = .seconds(60)
        let service = DrawingService(program: helper.path, settings: settings)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .interrupted)
        #expect(failure?.message.contains("did not finish within 1 s") == true, "\(failure?.message ?? "")")
        await service.shutDown()
    }

    @Test func `a drawing that takes too much CPU time is refused at once`() async throws {
        let helper = try HelperProgram(acting: ["\(HelperProgram.beginsWork) while :; do :; done"])
        var settings = DrawingSettings()
        settings.cpuTime = .milliseconds(300)
        settings.stallTimeout = .seconds(600)
        let service = DrawingService(program: helper.path, settings: settings)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .cpuTime)
        #expect(failure?.code.isPassing == false)
        #expect(try helper.starts == 1)
        await service.shutDown()
    }

    /// The program works for some milliseconds now and then, as on a machine at full load.
    @Test func `a drawing may take long where it gets little of the processor`() async throws {
        let response = HelperProgram.octal(MessageFrame.bytes(DrawingResponse.file([1, 2, 3])))
        let helper = try HelperProgram(acting: [
            "\(HelperProgram.beginsWork) for step in 1 2 3 4 5 6 7 8; do sleep 0.5; done; printf '\(response)'; cat > /dev/null; exit"
        ])
        var settings = DrawingSettings()
        settings.previewCPUTime = .seconds(2)
        settings.stallTimeout = .seconds(2)
        settings.slowThreshold = .milliseconds(100)
        let service = DrawingService(program: helper.path, settings: settings)
        async let file = service.png(of: DotMatrix(width: 8, height: 8))
        try await eventually("its slowness") { if case .slow = service.condition { true } else { false } }
        #expect(try await file == [1, 2, 3])
        #expect(service.condition == .well)
        await service.shutDown()
    }

    // MARK: Not there

    @Test func `a missing program is found without requests when it is installed again`() async throws {
        let folder = try TemporaryFolder("missing")
        let program = folder.appending("kiosk-draw")
        var settings = DrawingSettings()
        settings.firstRestartDelay = .milliseconds(20)
        settings.maximumRestartDelay = .milliseconds(100)
        let service = DrawingService(program: program, settings: settings)
        #expect(service.condition == .well)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .cannotStart)
        #expect(failure?.code.isPassing == true)
        #expect(service.condition == .cannotStart(failure?.message ?? ""))
        try FileManager.default.createSymbolicLink(
            atPath: program, withDestinationPath: BuiltProducts.path("kiosk-draw"))
        // There are no requests.
        try await eventually("its recovery") { service.condition == .well }
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        await service.shutDown()
    }

    @Test(arguments: ["exit 3", "kill -SEGV $$", "printf 'HTTP/1.1 200 OK'; cat > /dev/null"])
    func
        `a program that ends or sends an invalid response before it is ready cannot start`(
            _ act: String
        ) async throws
    {
        let helper = try HelperProgram(acting: [act])
        let service = DrawingService(program: helper.path)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .cannotStart, "\(failure?.message ?? "")")
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        await service.shutDown()
    }

    @Test func `the program's reason for not starting is reported`() async throws {
        let refusal = HelperProgram.octal(
            MessageFrame.bytes(DrawingResponse.refused(DrawingRefusal(.drawing, "there are no fonts"))))
        let helper = try HelperProgram(acting: ["printf '\(refusal)'; exit 1"])
        let service = DrawingService(program: helper.path)
        #expect(
            await error(service, HelperProgram.text("one"))?.message.contains("does not start: there are no fonts")
                == true)
        await service.shutDown()
    }

    @Test func `a program that sends an invalid response is ended`() async throws {
        let invalidResponse = "\(HelperProgram.beginsWork) printf 'HTTP/1.1 200 OK'; cat > /dev/null"
        let helper = try HelperProgram(acting: [invalidResponse, invalidResponse])
        let service = DrawingService(program: helper.path)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .interrupted)
        #expect(failure?.message.contains("same version") == true)
        await service.shutDown()
    }

    // MARK: Waiting

    @Test func `a canceled drawing ends at once, whatever the program does`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try #require(helper.processIDs.first), SIGSTOP)
        let task = Task { try await service.draw([HelperProgram.text("two")]) }
        let waiting = Task { try await service.draw([HelperProgram.text("three")]) }
        waiting.cancel()
        task.cancel()
        for task in [task, waiting] {
            guard case .failure(let error as DrawingError) = await task.result else {
                Issue.record("drawn by a stopped program"); continue
            }
            #expect(error.code == .canceled)
        }
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    @Test func `shutting down ends what is waiting`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try #require(helper.processIDs.first), SIGSTOP)
        let task = Task { try await service.draw([HelperProgram.text("two")]) }
        try await eventually("a request") { service.requests.isAtWork }
        await service.shutDown()
        guard case .failure(let error as DrawingError) = await task.result else {
            Issue.record("drawn by a stopped program"); return
        }
        #expect(error.code == .shutDown)
        #expect(helper.processIDs.isEmpty)
    }

    /// The start waits for a file, and uses CPU time meanwhile.
    @Test func `what is printed is drawn before previews, and a canceled preview never`() async throws {
        let helper = try HelperProgram(acting: [
            "until [ -e \"$0.gate\" ]; do sleep 0.05; done; tee \"$0.log\" | '\(try BuiltProducts.path("kiosk-draw"))'; exit"
        ])
        let service = DrawingService(program: helper.path)
        func draw(_ text: String, _ purpose: DrawingPurpose) -> Task<RenderedDrawings, any Error> {
            Task { try await service.draw([HelperProgram.text(text)], for: purpose) }
        }
        func waiting(_ count: Int) async throws {
            try await eventually("\(count) requests") { service.requests.waiting == count }
        }
        var tasks = [draw("preview A", .preview)]
        try await eventually("the first") { service.requests.isAtWork }
        let canceled = draw("preview B", .preview)
        try await waiting(1)
        for index in 0..<20 {
            tasks.append(draw("preview \(index)", .preview))
            try await waiting(index + 2)
        }
        tasks.append(draw("receipt", .printing))
        try await waiting(22)
        canceled.cancel()
        #expect(await canceled.result.isFailure)
        try await waiting(21)
        try writeProgram("", to: "\(helper.path).gate")
        for task in tasks { _ = try await task.value }
        // `tee` hands a request to the program before it writes it to the log.
        var log = ""
        try await eventually("the last request in the log") {
            log = String(decoding: try readFile("\(helper.path).log"), as: UTF8.self)
            return log.contains("preview 19")
        }
        await service.shutDown()
        let places = ["preview A", "receipt", "preview 0", "preview 1", "preview 19"].map {
            log.range(of: $0)?.lowerBound
        }
        #expect(!places.contains(nil), "\(places)")
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(!log.contains("preview B"))
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
