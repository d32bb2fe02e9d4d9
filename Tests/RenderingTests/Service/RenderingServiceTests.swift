import Foundation
import Glibc
import KioskPageEncoding
import KioskPrintModel
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

@Suite(.enabled(if: Renderer.isComplete)) struct RenderingServiceTests {
    private static let twoPages: [UInt8] = {
        var pdf = PDFWriter()
        pdf.catalog = "/ViewerPreferences << /PrintScaling /None /Duplex /DuplexFlipLongEdge /NumCopies 2 >>"
        pdf.addTextPage(["one"])
        pdf.addTextPage(width: 842, height: 595, ["two"])
        return pdf.bytes
    }()

    private static let sides = (0..<2).map { SideDrawing.page($0, width: 842, height: 842) }

    private func render(_ session: RenderingSession, _ language: PageLanguage = .dots) -> RenderedDocument {
        session.render(RasterDocument(language, sideCount: 2), sides: 2) { Self.sides[$0] }
    }

    /// All bytes, and the sides that ended.
    private func read(_ document: RenderedDocument) async throws -> (bytes: [UInt8], sides: [Int]) {
        var (bytes, sides): ([UInt8], [Int]) = ([], [])
        for try await part in document {
            switch part {
            case .bytes(let chunk): bytes += chunk
            case .sideEnd(let side): sides.append(side)
            }
        }
        return (bytes, sides)
    }

    private func error(
        _ service: RenderingService, _ file: [UInt8], password: String? = nil
    ) async -> RenderingError? {
        do throws(RenderingError) {
            _ = try await service.open(.bytes(file), as: .pdf, password: password)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Documents

    @Test func `tells what a document says of its pages`() async throws {
        let service = try Renderer.service()
        let session = try await service.open(.bytes(Self.twoPages), as: .pdf)
        #expect(session.info.pages.map(\.width) == [595, 842])
        #expect(session.info.pages.map(\.height) == [842, 595])
        #expect(session.info.preferences.actualSize)
        #expect(session.info.preferences.sides == .twoSidedLongEdge)
        #expect(session.info.preferences.copies == 2)
        #expect(service.library?.hasPrefix("PDFium") == true)
        await service.shutDown()
    }

    @Test func `draws a document from a file, and the same bytes each time`() async throws {
        let folder = try TemporaryFolder("render")
        let path = try folder.write(Self.twoPages, to: "document.pdf")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        let service = try Renderer.service()
        let session = try await service.open(.descriptor(file), as: .pdf)
        // The document is the process's now, even where its file goes.
        close(file)
        try FileManager.default.removeItem(atPath: path)
        let first = try await read(render(session, .pwgRaster))
        let second = try await read(render(session, .pwgRaster))
        #expect(first.bytes.starts(with: Array("RaS2PwgRaster".utf8)))
        #expect(first.sides == [0, 1])
        #expect(first.bytes == second.bytes)
        session.end()
        await service.shutDown()
    }

    @Test func `a document of no sides is only begun and ended`() async throws {
        let service = try Renderer.service()
        let session = try await service.open(.bytes(Self.twoPages), as: .pdf)
        let document = session.render(RasterDocument(.pwgRaster), sides: 0) { Self.sides[$0] }
        #expect(try await read(document).bytes == Array("RaS2".utf8))
        await service.shutDown()
    }

    @Test(arguments: [
        ([], RenderingError.Code.damaged), (Array("hello".utf8), .damaged),
        (Array(twoPages.prefix(300)), .damaged), (PDFWriter().bytes, .damaged),
    ])
    func `what is no document is refused`(_ file: [UInt8], _ code: RenderingError.Code) async throws {
        let service = try Renderer.service()
        let failure = await error(service, file)
        #expect(failure?.code == code, "\(failure?.message ?? "opened")")
        #expect(failure?.code.isTransient == false)
        #expect(service.condition == .ok)
        await service.shutDown()
    }

    @Test func `an encrypted document is opened by its password alone`() async throws {
        let service = try Renderer.service()
        let file = EncryptedDocument.file
        let missing = await error(service, file)
        #expect(missing?.code == .password)
        #expect(missing?.message.contains("save it without a password") == true)
        for wrong in ["", "falsch", String(repeating: "x", count: 2_000)] {
            let failure = await error(service, file, password: wrong)
            #expect(failure?.code == .password, "\(failure?.message ?? "opened")")
            if !wrong.isEmpty { #expect(failure?.message.contains(wrong) == false) }
        }
        #expect(await error(service, file, password: EncryptedDocument.password) == nil)
        await service.shutDown()
    }

    @Test func `another format is refused`() async throws {
        let service = try Renderer.service()
        await #expect(throws: RenderingError.self) { try await service.open(.bytes([1]), as: .webp) }
        await service.shutDown()
    }

    @Test(arguments: [(0, 10), (10, -1), (200_000, 1), (60_000, 60_000)])
    func `a side beyond the limits is refused`(_ width: Int, _ height: Int) async throws {
        let service = try Renderer.service()
        let session = try await service.open(.bytes(Self.twoPages), as: .pdf)
        let document = session.render(RasterDocument(.dots), sides: 1) { _ in .page(width: width, height: height) }
        let failure = await #expect(throws: RenderingError.self) { try await read(document) }
        #expect(failure?.code == .tooLarge)
        await service.shutDown()
    }

    // MARK: The process

    @Test func `each document has a process of its own, which ends with it`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        let first = try await service.open(.bytes(Self.twoPages), as: .pdf)
        let second = try await service.open(.bytes(Self.twoPages), as: .pdf)
        #expect(helper.processIDs.count == 2)
        first.end()
        try await eventually("its end") { helper.processIDs.count == 1 }
        #expect(try await read(render(second)).sides == [0, 1])
        await service.shutDown()
        #expect(helper.processIDs.isEmpty)
    }

    @Test func `a released document ends its process`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        do { _ = try await service.open(.bytes(Self.twoPages), as: .pdf) }
        try await eventually("its end") { helper.processIDs.isEmpty }
        await service.shutDown()
    }

    @Test func `a document stays open while it is read`() async throws {
        let service = try Renderer.service()
        let document = render(try await service.open(.bytes(Self.twoPages), as: .pdf))
        #expect(try await read(document).sides == [0, 1])
        await service.shutDown()
    }

    @Test func `a spare waits, and is replaced when it is used or ends`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        service.keepSpare(true)
        try await eventually("a spare") { service.library != nil }
        let spare = try #require(helper.processIDs.first)
        let session = try await service.open(.bytes(Self.twoPages), as: .pdf)
        #expect(try await read(render(session)).sides == [0, 1])
        try await eventually("another spare") { helper.processIDs.count == 2 }
        #expect(helper.processIDs.contains(spare))
        session.end()
        try await eventually("the end of the first") { !helper.processIDs.contains(spare) }
        let second = try #require(helper.processIDs.first)
        kill(second, SIGKILL)
        try await eventually("a third spare") { helper.processIDs.count == 1 && helper.processIDs != [second] }
        service.keepSpare(false)
        try await eventually("no spare") { helper.processIDs.isEmpty }
        await service.shutDown()
    }

    @Test func `it gave up its rights before it reads anything`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.twoPages), as: .pdf)
        let process = try #require(helper.processIDs.first)
        #expect(try helper.status("NoNewPrivs", of: process) == "1")
        // 2 is a filter of system calls.
        #expect(try helper.status("Seccomp", of: process) == "2")
        let limits = String(decoding: try readFile("/proc/\(process)/limits"), as: UTF8.self)
        for limit in [
            #/Max address space +1073741824/#, #/Max core file size +0/#, #/Max processes +0 +0 /#,
            #/Max file size +0 +0 /#,
        ] { #expect(limits.contains(limit), "\(limits)") }
        let score = String(decoding: try readFile("/proc/\(process)/oom_score_adj"), as: UTF8.self)
        #expect(score == "1000\n")
        session.end()
        await service.shutDown()
    }

    @Test func `every forbidden act is denied`() async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kiosk-render"), ["--self-test"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.first == "a crash of its own: reported by its signal")
        #expect(lines.dropFirst().first == "a signal from another process: distinguished from a crash")
        #expect(lines.last == "kiosk-render may do nothing but draw pages")
        let attempts = lines.dropFirst(2).dropLast()
        #expect(attempts.count > 27)
        for attempt in attempts { #expect(attempt.hasSuffix(": denied")) }
    }

    @Test(arguments: [["--user", "0:0"], ["--user", "1"], ["--draw"]])
    func `other arguments are refused`(_ arguments: [String]) async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kiosk-render"), arguments)
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("usage: kiosk-render"))
    }
}

@Suite struct LibraryAgeTests {
    // 2026-11-09 is the day 20,766 since 1970.
    @Test(arguments: [
        ("2026-11-09", 0, false), ("2026-11-09", 90, false), ("2026-11-09", 91, true), ("2026-11-09", -5, false),
        ("unknown", 900, false), ("2026-13-41", 900, false),
    ])
    func `a library older than 90 days is told`(_ built: String, _ days: Int, _ isTold: Bool) {
        let warning = LibraryAge.warning("PDFium 8149", built: built, at: (20_766 + days) * 86_400 + 3_600)
        #expect((warning != nil) == isTold)
        if let warning { #expect(warning.contains("\(days) days") && warning.contains("PDFium 8149")) }
    }
}
