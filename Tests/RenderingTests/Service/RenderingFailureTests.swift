import Foundation
import Glibc
import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// Documents whose rendering program fails, hangs, lies or is missing, and those that are canceled.
@Suite(.enabled(if: Renderer.isComplete)) struct RenderingFailureTests {
    private static let page: [UInt8] = {
        var pdf = PDFWriter()
        pdf.addTextPage(["one"])
        return pdf.bytes
    }()

    private static let info = RenderingResponse.info(
        DocumentInfo(pages: [DocumentInfo.PageSize(width: 100, height: 100)]))
    private static let ready = HelperProgram.sending(.ready(library: "PDFium"))
    private static let opened = HelperProgram.sending(.ready(library: "PDFium"), info)

    private func openError(_ service: RenderingService) async -> RenderingError? {
        do throws(RenderingError) {
            _ = try await service.open(.bytes(Self.page), as: .pdf)
            return nil
        } catch {
            return error
        }
    }

    private func render(_ session: RenderingSession, sides: Int = 1) -> RenderedDocument {
        session.render(RasterDocument(.dots), sides: sides) { _ in .page(width: 600, height: 800) }
    }

    /// The parts that came, and the error that ended them.
    private func read(_ document: RenderedDocument) async -> (parts: [RenderedPart], error: RenderingError?) {
        var parts: [RenderedPart] = []
        do throws(RenderingError) {
            for try await part in document { parts.append(part) }
            return (parts, nil)
        } catch {
            return (parts, error)
        }
    }

    // MARK: Ended

    @Test(arguments: ["KILL", "TERM"])
    func `a document is not to blame where another process killed the program`(_ signal: String) async throws {
        let helper = try HelperProgram(acting: ["\(Self.opened) head -c 60 > /dev/null; kill -\(signal) $$"])
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let (parts, error) = await read(render(session))
        #expect(parts.isEmpty)
        #expect(error?.code == .interrupted)
        #expect(error?.code.isTransient == true)
        #expect(error?.side == 0)
        // The next document is drawn.
        let next = try await service.open(.bytes(Self.page), as: .pdf)
        #expect(await read(render(next)).error == nil)
        #expect(service.condition == .ok)
        await service.shutDown()
    }

    @Test(arguments: ["SEGV", "ABRT", "ILL", "TRAP"])
    func `a document that crashes the program fails, and says with which page`(_ signal: String) async throws {
        let helper = try HelperProgram(acting: ["\(Self.opened) head -c 60 > /dev/null; kill -\(signal) $$"])
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let error = await read(render(session)).error
        #expect(error?.code == .crashed)
        #expect(error?.code.isTransient == false)
        #expect(error?.message.contains("on page 1") == true, "\(error?.message ?? "")")
        #expect(service.condition == .ok)
        await service.shutDown()
    }

    @Test func `a crash while a document is opened fails that document`() async throws {
        let helper = try HelperProgram(acting: ["\(Self.ready) head -c 5 > /dev/null; kill -SEGV $$"])
        let service = RenderingService(program: helper.path)
        #expect(await openError(service)?.code == .crashed)
        #expect(await openError(service) == nil)
        await service.shutDown()
    }

    @Test func `a side that fails after others leaves those, and the rest never comes`() async throws {
        // The requests before the second side have some 150 bytes.
        let first = HelperProgram.sending(.bytes([1, 2]), .sideEnd, .bytes([3]))
        let helper = try HelperProgram(acting: [
            "\(Self.opened) head -c 60 > /dev/null; \(first) head -c 150 > /dev/null; kill -SEGV $$"
        ])
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let (_, error) = await read(render(session, sides: 3))
        #expect(error?.code == .crashed)
        #expect(error?.side == 1)
        await service.shutDown()
    }

    @Test func `a session whose program was killed while idle says so`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        kill(try #require(helper.processIDs.first), SIGKILL)
        try await eventually("its end") { helper.processIDs.isEmpty }
        #expect(await read(render(session)).error?.code == .interrupted)
        await service.shutDown()
    }

    // MARK: Slow

    @Test func `a program that is stopped is ended`() async throws {
        let helper = try HelperProgram(acting: ["\(Self.opened) head -c 60 > /dev/null; kill -STOP $$"])
        var settings = RenderingSettings()
        settings.stallTimeout = .milliseconds(500)
        let service = RenderingService(program: helper.path, settings: settings)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let error = await read(render(session)).error
        #expect(error?.code == .interrupted)
        #expect(error?.message.contains("made no progress with page 1") == true, "\(error?.message ?? "")")
        try await eventually("its end") { helper.processIDs.isEmpty }
        await service.shutDown()
    }

    @Test func `a side that takes too much CPU time is refused`() async throws {
        let helper = try HelperProgram(acting: ["\(Self.opened) head -c 60 > /dev/null; while :; do :; done"])
        var settings = RenderingSettings()
        settings.cpuTime = .milliseconds(300)
        settings.stallTimeout = .seconds(600)
        let service = RenderingService(program: helper.path, settings: settings)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let error = await read(render(session)).error
        #expect(error?.code == .cpuTime)
        #expect(error?.code.isTransient == false)
        await service.shutDown()
    }

    @Test func `a program that works on and on is ended`() async throws {
        let helper = try HelperProgram(acting: ["\(Self.opened) head -c 60 > /dev/null; while :; do :; done"])
        var settings = RenderingSettings()
        settings.cpuTime = .seconds(600)
        settings.stallTimeout = .seconds(600)
        settings.timeout = .seconds(1)
        let service = RenderingService(program: helper.path, settings: settings)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let error = await read(render(session)).error
        #expect(error?.code == .interrupted)
        #expect(error?.message.contains("did not finish page 1 within 1 s") == true, "\(error?.message ?? "")")
        await service.shutDown()
    }

    @Test func `a program that sends more than a side can have is ended`() async throws {
        let part = HelperProgram.sending(.bytes([UInt8](repeating: 7, count: 1_000)))
        let helper = try HelperProgram(acting: [
            "\(Self.opened) head -c 60 > /dev/null; while :; do \(part) done"
        ])
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        let (parts, error) = await read(render(session))
        #expect(parts.isEmpty)
        #expect(error?.message.contains("unexpected response") == true, "\(error?.message ?? "")")
        try await eventually("its end") { helper.processIDs.isEmpty }
        await service.shutDown()
    }

    // MARK: Canceled

    @Test func `a canceled rendering ends its program, even one that is stopped`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        kill(try #require(helper.processIDs.first), SIGSTOP)
        let document = render(session)
        let reader = Task { await read(document).error?.code }
        session.cancel()
        #expect(await reader.value == .canceled)
        try await eventually("its end") { helper.processIDs.isEmpty }
        #expect(await read(render(session)).error?.code == .canceled)
        await service.shutDown()
    }

    @Test func `a canceled reader ends the program`() async throws {
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path)
        let session = try await service.open(.bytes(Self.page), as: .pdf)
        kill(try #require(helper.processIDs.first), SIGSTOP)
        let document = render(session)
        let reader = Task { await read(document).error?.code }
        reader.cancel()
        #expect(await reader.value == .canceled)
        try await eventually("its end") { helper.processIDs.isEmpty }
        withExtendedLifetime(session) {}
        await service.shutDown()
    }

    @Test func `a canceled opening ends the program`() async throws {
        let helper = try HelperProgram(acting: ["\(Self.ready) kill -STOP $$"])
        let service = RenderingService(program: helper.path)
        let opening = Task { await openError(service)?.code }
        try await eventually("its start") { !helper.processIDs.isEmpty }
        opening.cancel()
        #expect(await opening.value == .canceled)
        try await eventually("its end") { helper.processIDs.isEmpty }
        await service.shutDown()
    }

    // MARK: Back-pressure

    @Test func `a program waits for a slow reader, and its time does not run`() async throws {
        var settings = RenderingSettings()
        settings.waitingBytes = 100_000
        settings.stallTimeout = .milliseconds(400)
        settings.timeout = .seconds(5)
        let helper = try HelperProgram()
        let service = RenderingService(program: helper.path, settings: settings)
        var count = 0
        // On a busy machine the program itself may get no processor for as long.
        try await eventually("the whole document") {
            count = 0
            do throws(RenderingError) {
                let document = render(try await service.open(.bytes(Self.page), as: .pdf), sides: 4)
                for try await part in document {
                    guard case .bytes(let bytes) = part else { continue }
                    // Longer than a program may do nothing.
                    if count == 0 { try? await Task.sleep(for: .seconds(1)) }
                    count += bytes.count
                }
                return true
            } catch {
                guard error.code == .interrupted else { throw error }
                return false
            }
        }
        #expect(count == 4 * 600 * 800)
        await service.shutDown()
    }

    // MARK: Not there, and not what it should be

    @Test func `a missing program is an error that says what to do, and is found when it is there again`() async throws
    {
        let folder = try TemporaryFolder("missing")
        let program = folder.appending("kiosk-render")
        var settings = RenderingSettings()
        settings.firstRestartDelay = .milliseconds(20)
        settings.maximumRestartDelay = .milliseconds(100)
        let service = RenderingService(program: program, settings: settings)
        #expect(service.condition == .ok)
        let failure = await openError(service)
        #expect(failure?.code == .cannotStart)
        #expect(failure?.code.isTransient == true)
        #expect(failure?.message.contains("install it") == true)
        #expect(service.condition == .cannotStart(failure?.message ?? ""))
        try FileManager.default.createSymbolicLink(
            atPath: program, withDestinationPath: BuiltProducts.path("kiosk-render"))
        // Nothing is drawn.
        try await eventually("its recovery") { service.condition == .ok }
        #expect(await openError(service) == nil)
        await service.shutDown()
    }

    @Test func `without its library the program starts, and refuses PDF`() async throws {
        let folder = try TemporaryFolder("alone")
        let program = folder.appending("kiosk-render")
        try FileManager.default.copyItem(atPath: BuiltProducts.path("kiosk-render"), toPath: program)
        guard access("/usr/lib/kioskd/libpdfium.so", F_OK) != 0 else { return }
        let service = RenderingService(program: program)
        var failure: RenderingError?
        // A process that another test starts just now may still have the copy open for writing.
        try await eventually("its start") {
            failure = await openError(service)
            return failure?.code != .cannotStart
        }
        #expect(failure?.code == .unavailable)
        #expect(failure?.message.contains("libpdfium.so, which draws PDF, is not installed") == true)
        guard case .withoutLibrary = service.condition else {
            Issue.record("\(service.condition)")
            return
        }
        await service.shutDown()
    }

    @Test(arguments: [
        "printf 'HTTP/1.1 200 OK'; cat > /dev/null", HelperProgram.sending(.sideEnd) + "cat > /dev/null",
        HelperProgram.sending(.ready(library: nil), .end) + "cat > /dev/null", "exit 3",
    ])
    func `a program that does not speak the protocol draws nothing`(_ act: String) async throws {
        let helper = try HelperProgram(acting: [act])
        let service = RenderingService(program: helper.path)
        let failure = await openError(service)
        #expect(failure?.code.isTransient == true, "\(failure?.message ?? "opened")")
        await service.shutDown()
    }
}
