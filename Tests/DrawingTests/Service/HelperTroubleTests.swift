import DrawingMessages
import Foundation
import Glibc
import Receipts
import TestSupport
import Testing

@testable import DrawingService

/// What becomes of requests when the drawing program does not do its work.
@Suite struct HelperTroubleTests {
    private func error(_ service: DrawingService, _ drawing: Drawing) async -> DrawingError? {
        do throws(DrawingError) {
            _ = try await service.draw([drawing])
            return nil
        } catch {
            return error
        }
    }

    // MARK: Ended amid a drawing

    @Test(arguments: ["KILL", "TERM", "HUP", "USR1"]) func `killed by somebody amid a drawing, it is asked once more`(
        _ signal: String
    ) async throws {
        let helper = try HelperProgram(acting: ["\(HelperProgram.beginsWork) kill -\(signal) $$"])
        let service = DrawingService(program: helper.path)
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        #expect(try helper.starts == 2)
        #expect(service.condition == .well)
        await service.shutDown()
    }

    @Test func `killed twice over a drawing, it says nothing against the drawing`() async throws {
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
    func `crashed by itself amid a drawing twice, it costs that one an error, and the next is drawn`(
        _ signal: String
    ) async throws {
        let crash = "\(HelperProgram.beginsWork) kill -\(signal) $$"
        let helper = try HelperProgram(acting: [crash, crash])
        let service = DrawingService(program: helper.path)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .crashed)
        #expect(failure?.code.isPassing == false)
        // What a document does to itself says nothing of how drawing does.
        #expect(service.condition == .well)
        #expect(try await service.draw([HelperProgram.text("next")]).matrices.count == 1)
        #expect(try helper.starts == 3)
        await service.shutDown()
    }

    @Test func `crashed by itself once, it draws the second time`() async throws {
        let helper = try HelperProgram(acting: ["\(HelperProgram.beginsWork) kill -SEGV $$"])
        let service = DrawingService(program: helper.path)
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        await service.shutDown()
    }

    /// The program itself tells them apart. Its own faults: `SandboxTests`.
    @Test(arguments: [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS])
    func `a signal of a crash that somebody else sends is no crash`(_ signal: Int32) async throws {
        let child = try ChildProcess(try BuiltProducts.path("kiosk-draw"))
        try await eventually("its greeting") { child.standardOutputBytes == MessageFrame.bytes(DrawingReply.ready) }
        child.signal(signal)
        #expect(try await child.wait() == .exited(HelperExit.killedByOthers))
    }

    @Test func `sent the signal of a crash amid a drawing, it is asked once more`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try #require(helper.processIDs.first)
        // While it stands still a request is surely not answered.
        kill(process, SIGSTOP)
        async let second = service.draw([HelperProgram.text("two")])
        try await eventually("a request") { service.requests.isAtWork }
        kill(process, SIGSEGV)
        kill(process, SIGCONT)
        #expect(try await second.matrices.count == 1)
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    @Test func `killed while it had nothing to do, it is started anew`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try #require(helper.processIDs.first), SIGKILL)
        _ = try await service.draw([HelperProgram.text("two")])
        await service.shutDown()
    }

    @Test func `a program that has no memory left is started anew`() async throws {
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

    @Test func `a program that somebody stopped is given up, and another draws`() async throws {
        let helper = try HelperProgram()
        var settings = DrawingSettings()
        settings.standstill = .milliseconds(500)
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

    @Test func `a program that stands still again and again says nothing against the drawing`() async throws {
        let hang = "\(HelperProgram.beginsWork) kill -STOP $$"
        let helper = try HelperProgram(acting: [hang, hang])
        var settings = DrawingSettings()
        settings.standstill = .milliseconds(500)
        settings.firstStartPause = .seconds(60)
        let service = DrawingService(program: helper.path, settings: settings)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code.isPassing == true, "\(failure?.message ?? "")")
        #expect(service.condition != .well)
        await service.shutDown()
    }

    @Test func `a drawing that takes too much processor time is refused at once`() async throws {
        let helper = try HelperProgram(acting: ["\(HelperProgram.beginsWork) while :; do :; done"])
        var settings = DrawingSettings()
        settings.processorTime = .milliseconds(300)
        settings.standstill = .seconds(600)
        let service = DrawingService(program: helper.path, settings: settings)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .processorTime)
        #expect(failure?.code.isPassing == false)
        #expect(try helper.starts == 1)
        await service.shutDown()
    }

    /// It works for some milliseconds every now and then, as on a machine at full load.
    @Test func `a drawing may take long where it gets little of the processor`() async throws {
        let reply = HelperProgram.octal(MessageFrame.bytes(DrawingReply.file([1, 2, 3])))
        let helper = try HelperProgram(acting: [
            "\(HelperProgram.beginsWork) for step in 1 2 3 4 5 6 7 8; do sleep 0.5; done; printf '\(reply)'; cat > /dev/null; exit"
        ])
        var settings = DrawingSettings()
        settings.previewProcessorTime = .seconds(2)
        settings.standstill = .seconds(2)
        settings.slow = .milliseconds(100)
        let service = DrawingService(program: helper.path, settings: settings)
        async let file = service.png(of: DotMatrix(width: 8, height: 8))
        try await eventually("its slowness") { if case .slow = service.condition { true } else { false } }
        #expect(try await file == [1, 2, 3])
        #expect(service.condition == .well)
        await service.shutDown()
    }

    // MARK: Not there

    @Test func `a missing program is found by itself when it is there again`() async throws {
        let folder = try TemporaryFolder("missing")
        let program = folder.appending("kiosk-draw")
        var settings = DrawingSettings()
        settings.firstStartPause = .milliseconds(20)
        settings.longestStartPause = .milliseconds(100)
        let service = DrawingService(program: program, settings: settings)
        #expect(service.condition == .well)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .cannotStart)
        #expect(failure?.code.isPassing == true)
        #expect(service.condition == .cannotStart(failure?.message ?? ""))
        try FileManager.default.createSymbolicLink(
            atPath: program, withDestinationPath: BuiltProducts.path("kiosk-draw"))
        // Nobody asks for a drawing.
        try await eventually("its recovery") { service.condition == .well }
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        await service.shutDown()
    }

    @Test(arguments: ["exit 3", "kill -SEGV $$", "printf 'HTTP/1.1 200 OK'; cat > /dev/null"])
    func `a program that ends or says nonsense before it is ready cannot start, and the drawing is not to blame`(
        _ act: String
    ) async throws {
        let helper = try HelperProgram(acting: [act])
        let service = DrawingService(program: helper.path)
        let failure = await error(service, HelperProgram.text("one"))
        #expect(failure?.code == .cannotStart, "\(failure?.message ?? "")")
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        await service.shutDown()
    }

    @Test func `why it does not start is told in its own words`() async throws {
        let refusal = HelperProgram.octal(
            MessageFrame.bytes(DrawingReply.refused(DrawingRefusal(.drawing, "there are no fonts"))))
        let helper = try HelperProgram(acting: ["printf '\(refusal)'; exit 1"])
        let service = DrawingService(program: helper.path)
        #expect(
            await error(service, HelperProgram.text("one"))?.message.contains("does not start: there are no fonts")
                == true)
        await service.shutDown()
    }

    @Test func `a program that says nonsense for an answer is given up`() async throws {
        let nonsense = "\(HelperProgram.beginsWork) printf 'HTTP/1.1 200 OK'; cat > /dev/null"
        let helper = try HelperProgram(acting: [nonsense, nonsense])
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

    /// The start waits for a file, and works meanwhile.
    @Test func `what is printed is drawn before previews, and a canceled preview never`() async throws {
        let helper = try HelperProgram(acting: [
            "until [ -e \"$0.gate\" ]; do sleep 0.05; done; tee \"$0.log\" | '\(try BuiltProducts.path("kiosk-draw"))'; exit"
        ])
        let service = DrawingService(program: helper.path)
        func draw(_ text: String, _ purpose: DrawingPurpose) -> Task<Drawn, any Error> {
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
        await service.shutDown()
        let log = String(decoding: try readFile("\(helper.path).log"), as: UTF8.self)
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
