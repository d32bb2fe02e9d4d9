import Foundation
import Glibc
import KioskDrawingService
import KioskHelperProcesses
import KioskReceipts
import KioskTestSupport
import Testing

/// The sandbox of the drawing program.
@Suite struct SandboxTests {
    /// Runs the self-test as an admin does. It tries each act with the filter and limits of drawing.
    @Test func `every forbidden act is denied`() async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kiosk-draw"), ["--self-test"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.first == "a crash of its own: reported by its signal")
        #expect(lines.dropFirst().first == "a signal from another process: distinguished from a crash")
        #expect(lines.last == "kiosk-draw may do nothing but draw")
        let attempts = lines.dropFirst(2).dropLast()
        #expect(attempts.count > 25)
        for attempt in attempts { #expect(attempt.hasSuffix(": denied")) }
    }

    @Test func `its limits hold while it draws`() async throws {
        let helper = try HelperProgram()
        let service = DrawingService(program: helper.path)
        _ = try await service.draw([HelperProgram.text("one")])
        let process = try #require(helper.processIDs.first)
        let limits = String(decoding: try readFile("/proc/\(process)/limits"), as: UTF8.self)
        for limit in [#/Max processes +0 +0 /#, #/Max file size +0 +0 /#, #/Max data size +402653184 +402653184 /#] {
            #expect(limits.contains(limit), "\(limits)")
        }
        await service.shutDown()
    }

    @Test(.enabled(if: geteuid() == 0)) func `started by root it changes to the configured user`() async throws {
        let helper = try HelperProgram()
        var settings = DrawingSettings()
        settings.user = HelperProcess.User(id: 65533, group: 65532)
        let service = DrawingService(program: helper.path, settings: settings)
        #expect(try await service.draw([HelperProgram.text("one")]).matrices.count == 1)
        let process = try #require(helper.processIDs.first)
        #expect(try helper.status("Uid", of: process)?.split(separator: "\t") == ["65533", "65533", "65533", "65533"])
        #expect(try helper.status("Gid", of: process)?.split(separator: "\t") == ["65532", "65532", "65532", "65532"])
        #expect(try helper.status("Groups", of: process) == "")
        #expect(try helper.status("CapEff", of: process)?.allSatisfy { $0 == "0" } == true)
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    @Test(arguments: [
        ["--user", "0:0"], ["--user", "1"], ["--user", "-1:5"], ["--user", "5:x"], ["--draw"], ["--user", "1:1", "2"],
    ])
    func `other arguments are refused`(_ arguments: [String]) async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kiosk-draw"), arguments)
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("usage: kiosk-draw"))
    }
}
