import Foundation
import Glibc
import KioskDrawingService
import KioskReceipts
import KioskTestSupport
import Testing

/// The start, the end and the resources of the drawing program.
@Suite struct HelperLifecycleTests {
    private let helper: HelperProgram

    init() throws { helper = try HelperProgram() }

    @Test func `it is started when it is needed and stopped when it is not`() async throws {
        var settings = DrawingSettings()
        settings.idleTimeout = .seconds(1)
        let service = DrawingService(program: helper.path, settings: settings)
        #expect(helper.processIDs.isEmpty)
        _ = try await service.draw([HelperProgram.text("one")])
        try await eventually("its end") { helper.processIDs.isEmpty }
        _ = try await service.draw([HelperProgram.text("two")])
        await service.shutDown()
    }

    @Test func `it gave up its rights before it reads anything`() async throws {
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try #require(helper.processIDs.first)
        #expect(try helper.status("NoNewPrivs", of: process) == "1")
        // 2 is a filter of system calls.
        #expect(try helper.status("Seccomp", of: process) == "2")
        let limits = String(decoding: try readFile("/proc/\(process)/limits"), as: UTF8.self)
        #expect(limits.contains(/Max address space +1073741824/))
        #expect(limits.contains(/Max core file size +0/))
        await service.shutDown()
    }

    @Test func `it ends with its input`() async throws {
        let child = try ChildProcess(helper.path)
        child.closeInput()
        #expect(try await child.wait() == .exited(0))
    }

    @Test func `it refuses what is not a request`() async throws {
        let child = try ChildProcess(helper.path)
        try child.write("GET / HTTP/1.1\r\n\r\n")
        #expect(try await child.wait() == .exited(1))
        #expect(child.standardError.hasPrefix("kiosk-draw: a message of "))
    }

    /// It ends even if its input stays open.
    @Test func `it ends with the process that started it`() async throws {
        let shell = try ChildProcess("/bin/sh", ["-c", "exec 3<&0; \"$0\" <&3 & wait", helper.path])
        try await eventually("its start") { !helper.processIDs.isEmpty }
        let process = try #require(helper.processIDs.first)
        try await eventually("its readiness") { try helper.status("Seccomp", of: process) == "2" }
        kill(shell.processID, SIGKILL)
        try await eventually("its end") { helper.processIDs.isEmpty }
        withExtendedLifetime(shell) {}
    }

    @Test func `a thousand drawings leave nothing behind`() async throws {
        var settings = DrawingSettings()
        settings.cachedBytes = 0
        let service = DrawingService(program: helper.path, settings: settings)
        let logo = try PictureFiles.png(width: 60, height: 40) { x, y in [UInt8(x), UInt8(y), 0, 255] }
        func draw(_ number: Int) async throws {
            _ = try await service.draw([
                HelperProgram.text("Łine \(number)"), Drawing(width: 40, height: 30, .picture(DrawnPicture(logo))),
                Drawing(width: 42, height: 42, .code(DrawnCode(.qrcode, "\(number)", scale: 2))),
            ])
        }
        for number in 0..<100 { try await draw(number) }
        let process = try #require(helper.processIDs.first)
        func memory() throws -> Int {
            Int(try helper.status("RssAnon", of: process)?.prefix { $0.isNumber } ?? "") ?? .max
        }
        let before = try memory()
        for number in 100..<434 { try await draw(number) }
        #expect(try memory() < before + 1024, "in kB")
        #expect(helper.processIDs == [process])
        await service.shutDown()
    }

    @Test func `what was drawn is kept, and bounded`() async throws {
        var settings = DrawingSettings()
        settings.cachedBytes = 20_000
        let service = DrawingService(program: helper.path, settings: settings)
        let logo = HelperProgram.text("logo")
        let drawn = try await service.draw([logo])
        kill(try #require(helper.processIDs.first), SIGKILL)
        try await eventually("its end") { helper.processIDs.isEmpty }
        #expect(try await service.draw([logo]) == drawn)
        // No program was needed for that.
        #expect(helper.processIDs.isEmpty)
        for number in 0..<60 { _ = try await service.draw([HelperProgram.text("line \(number)")]) }
        kill(try #require(helper.processIDs.first), SIGKILL)
        try await eventually("its end") { helper.processIDs.isEmpty }
        _ = try await service.draw([logo])
        #expect(helper.processIDs.count == 1)
        await service.shutDown()
    }

    @Test func `a full queue refuses further drawings`() async throws {
        var settings = DrawingSettings()
        settings.queuedRequests = 2
        let service = DrawingService(program: helper.path, settings: settings)
        _ = try await service.draw([HelperProgram.text("one")])
        kill(try #require(helper.processIDs.first), SIGSTOP)
        // While the program is stopped no other drawing ends.
        let first = await withTaskGroup(of: DrawingError.Code?.self) { group in
            for number in 0..<6 {
                group.addTask {
                    do throws(DrawingError) {
                        _ = try await service.draw([HelperProgram.text("\(number)")])
                        return nil
                    } catch { return error.code }
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        #expect(first == .busy)
        await service.shutDown()
    }
}
