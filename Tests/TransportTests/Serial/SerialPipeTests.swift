import Glibc
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskSerial

/// Serial ports whose drivers block, and what is left in them.
@Suite(.timeLimit(.minutes(5))) struct SerialPipeTests {
    /// A driver that ends no call before it is let go.
    private final class Driver: Sendable {
        private let isBlocking = Atomic(true)
        private let opened = Atomic(0)

        var openedCount: Int { opened.load(ordering: .acquiring) }
        func letGo() { isBlocking.store(false, ordering: .releasing) }

        private func block() {
            while isBlocking.load(ordering: .acquiring) { usleep(1000) }
        }

        var opening: BlockingCalls {
            var calls = BlockingCalls()
            calls.open = { [self] path, flags in
                opened.add(1, ordering: .releasing)
                block()
                return Glibc.open(path, flags)
            }
            return calls
        }

        var closing: BlockingCalls {
            var calls = BlockingCalls()
            calls.close = { [self] descriptor in
                block()
                _ = Glibc.close(descriptor)
            }
            return calls
        }
    }

    private static func transport(_ calls: BlockingCalls) -> SerialTransport {
        var deadlines = SerialTransport.Deadlines()
        (deadlines.open, deadlines.close) = (.milliseconds(100), .milliseconds(10))
        return SerialTransport(
            settings: { _ in DeviceSettings(language: .escPOS) }, deadlines: deadlines, clock: ContinuousClock(),
            calls: calls)
    }

    private static func isBusy(_ transport: SerialTransport, _ target: PrinterTarget) async throws -> Bool {
        do {
            _ = try await transport.contact(target)
            return false
        } catch let error as TransportError where error.code == .printerBusy {
            #expect(error.message.contains("is still busy with an earlier call"))
            return true
        }
    }

    private static func waitUntilReady(_ transport: SerialTransport, _ target: PrinterTarget) async throws {
        try await eventually("the port to be open") {
            (try? await transport.contact(target))?.availability.state == .ready
        }
    }

    @Test func `a driver that does not close a port keeps nobody waiting, and the port is busy meanwhile`() async throws
    {
        let (printer, driver) = (try SerialLinePrinter(), Driver())
        let transport = Self.transport(driver.closing)
        let target = try printer.target()
        try await Self.waitUntilReady(transport, target)
        await transport.forget(target)
        #expect(try await Self.isBusy(transport, target))
        driver.letGo()
        try await Self.waitUntilReady(transport, target)
        await transport.shutDown()
        printer.stop()
    }

    @Test func `a driver that does not open a port keeps nobody waiting, and has one thread`() async throws {
        let (printer, driver) = (try SerialLinePrinter(), Driver())
        let transport = Self.transport(driver.opening)
        let target = try printer.target()
        for _ in 0..<3 { #expect(try await Self.isBusy(transport, target)) }
        #expect(driver.openedCount == 1)
        driver.letGo()
        try await Self.waitUntilReady(transport, target)
        await transport.shutDown()
        printer.stop()
    }

    // MARK: One pipe

    private static func open(_ line: PseudoTerminal, _ options: String = "baud=115200") async throws -> SerialPipe {
        let url = try PrinterURL("serial:\(line.link)?\(options)")
        return try await SerialPipe.open(
            line.link, try #require(url.serialSettings), within: .seconds(300), clock: ContinuousClock())
    }

    @Test func `what is sent while a port is closed ends`() async throws {
        let line = try PseudoTerminal()
        for _ in 0..<50 {
            let pipe = try await Self.open(line)
            let closing = Task { await pipe.close(within: .seconds(300)) }
            for _ in 0..<20 {
                do {
                    try await pipe.begin([0x20], isLast: true) { _ in }.wait()
                } catch {
                    #expect(error.kind == .disconnected)
                }
            }
            for await _ in pipe.responses() {}
            await closing.value
        }
    }

    @Test func `what the kernel holds of a cancelled send is dropped`() async throws {
        let line = try PseudoTerminal()
        // What the other end has received is beyond recall; it receives no more than it has room for.
        let filler = Glibc.open(line.device, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { Glibc.close(filler) }
        let rest = [UInt8](repeating: UInt8(ascii: "."), count: 8192)
        #expect(rest.withUnsafeBytes { write(filler, $0.baseAddress, $0.count) } == rest.count)
        // The line needs more than half a minute for what the kernel takes at once.
        let pipe = try await Self.open(line, "baud=1200")
        let bytes = [UInt8](repeating: 0x20, count: 3990) + Array("END".utf8)
        let accepted = Atomic(0)
        let sending = Task {
            try await pipe.begin(bytes[...], isLast: true) { accepted.add($0, ordering: .relaxed) }.wait()
        }
        try await eventually("the first bytes") { accepted.load(ordering: .relaxed) > 0 }
        sending.cancel()
        let error = try await #require(throws: DevicePipeError.self) { try await sending.value }
        #expect(error.kind == .cancelled && error.accepted > 0)
        let next = pipe.begin(Array("NEXT".utf8)[...], isLast: true) { _ in }
        var read: [UInt8] = []
        try await eventually("the next bytes") {
            read += line.read() ?? []
            return read.firstRange(of: Array("NEXT".utf8)) != nil
        }
        #expect(read.firstRange(of: Array("END".utf8)) == nil)
        try await next.wait()
        await pipe.close(within: .seconds(300))
    }

    // MARK: Another's port

    @Test func `a port that another program has stays that program's alone`() async throws {
        let line = try PseudoTerminal()
        let rival = Glibc.open(line.device, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(rival) }
        #expect(rival >= 0 && flock(rival, LOCK_EX | LOCK_NB) == 0 && ioctl(rival, UInt(TIOCEXCL)) == 0)
        // As an administrator this opens it nevertheless, and finds the lock.
        let error = try await #require(throws: SerialPortError.self) { _ = try await Self.open(line) }
        #expect(error.kind == .busy)
        var isExclusive: CInt = 0
        // TIOCGEXCL
        #expect(ioctl(rival, 0x8004_5440, &isExclusive) == 0 && isExclusive == 1)
    }

    @Test(arguments: ["/dev/ptmx", "/dev/null", "/dev/tty"])
    func `a device that is no serial port is not opened`(path: String) async throws {
        let opened = Atomic(false)
        var calls = BlockingCalls()
        calls.open = { _, _ in
            opened.store(true, ordering: .relaxed)
            return -1
        }
        let settings = try #require(PrinterURL("serial:\(path)?baud=9600").serialSettings)
        let error = #expect(throws: SerialPortError.self) { _ = try SerialPort.open(path, settings, calls) }
        #expect(error?.kind == .notSerial && !opened.load(ordering: .relaxed))
    }

    @Test func `a port that was opened again is not gone`() async throws {
        let printer = try SerialLinePrinter()
        let session = SerialSession(
            try printer.target().url, known: KnownPrinters(), deadlines: SerialTransport.Deadlines(),
            clock: ContinuousClock(), calls: BlockingCalls(), trace: WireTrace(), settings: { _ in DeviceSettings() }
        ) { _ in }
        let reports = Atomic(0)
        let first = try await session.open(profile: nil)
        await first.conversation.end(isReported: false)
        _ = try await session.open(profile: nil)
        // The end of the first conversation, which comes late.
        await session.releaseLost { reports.add(1, ordering: .relaxed) }
        #expect(reports.load(ordering: .relaxed) == 0)
        try await session.open(profile: nil).conversation.end(isReported: false)
        await session.releaseLost { reports.add(1, ordering: .relaxed) }
        #expect(reports.load(ordering: .relaxed) == 1)
        await session.forget()
        printer.stop()
    }
}
