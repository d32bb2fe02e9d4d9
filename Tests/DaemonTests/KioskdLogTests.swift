import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Synchronization
import Testing

@testable import kioskd

/// A log that nobody reads.
@Suite struct KioskdLogTests {
    /// A pipe with the least room that the kernel gives; nobody reads until `text` is asked for.
    private final class UnreadPipe: Sendable {
        let path: String
        private let descriptor: CInt

        init(in folder: TemporaryFolder) throws {
            path = folder.appending("log")
            guard mkfifo(path, 0o600) == 0 else { throw TestSupportError.errno("mkfifo", errno) }
            descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw TestSupportError.errno("open", errno) }
            // F_SETPIPE_SZ (fcntl(2)), which glibc shows to GNU sources only.
            _ = fcntl(descriptor, 1031, 4096)
        }

        deinit { close(descriptor) }

        /// The bytes that are in it now.
        func read() -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            return Array(buffer.prefix(max(count, 0)))
        }
    }

    /// A registry with so many errors that to tell of it takes some kilobytes.
    private static let broken =
        "version: 1\nprinters:\n"
        + (0..<90).map { "  - { id: till-\($0), url: \"nowhere://printer-\($0)/\" }\n" }.joined()

    @Test func `jobs are printed while nobody reads the log, which tells later what is missing`() async throws {
        let printer = try await SimulatedPrinter.start()
        let folder = try TemporaryFolder("kioskd")
        try folder.write(KioskdFixture.registry([printer.uri]), to: "printers.yaml")
        let log = try UnreadPipe(in: folder)
        let daemon = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" 2>'\(log.path)'", try BuiltProducts.path("kioskd"), "--state-dir",
                folder.path, "--log-level", "trace",
            ])
        let client = KioskClient(socket: SocketLocation(path: folder.appending("kioskd.sock")))
        defer { client.close() }
        try await eventually("kioskd to answer") { (try? await client.health()) != nil }
        // Each time the log is to tell of all the errors. A submission between them gives the daemon time to hear the
        // signal.
        try folder.write(Self.broken, to: "printers.yaml")
        for number in 0..<150 {
            daemon.signal(SIGHUP)
            let job = try await client.submit(text: "receipt \(number)")
            #expect(try await client.job(job.id, wait: .seconds(300)).state == .completed)
        }
        var text: [UInt8] = []
        try await eventually("the log to tell how many lines are missing") {
            text += log.read()
            return String(decoding: text, as: UTF8.self).contains("dropped: nobody read standard error")
        }
        #expect(String(decoding: text, as: UTF8.self).contains("ready: listening"))
        // It ends in time also where nobody reads to the end.
        daemon.signal(SIGHUP)
        #expect(try await daemon.terminate() == .exited(0))
    }

    @Test func `every line is written or counted, in order`() throws {
        let folder = try TemporaryFolder("log")
        let pipe = try UnreadPipe(in: folder)
        let descriptor = open(pipe.path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let queue = LogQueue(descriptor) { "\($0) are missing\n" }
        let count = 100_000
        for number in 0..<count { queue.append("line \(number) of many\n") }
        var bytes: [UInt8] = []
        // Until the queue has written all that it took.
        let isWritten = Mutex(false)
        Thread.detachNewThread {
            queue.flush(atMost: 60)
            isWritten.withLock { $0 = true }
        }
        while !isWritten.withLock(\.self) { bytes += pipe.read() }
        bytes += pipe.read()
        queue.append("end\n")
        queue.flush(atMost: 60)
        bytes += pipe.read()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let numbers = lines.compactMap { $0.hasPrefix("line ") ? Int($0.split(separator: " ")[1]) : nil }
        let missing = lines.compactMap { $0.hasSuffix("are missing") ? Int($0.prefix { $0.isNumber }) : nil }
        #expect(!missing.isEmpty && numbers == numbers.sorted())
        #expect(missing.reduce(numbers.count, +) == count)
        #expect(lines.last == "end")
    }

    @Test func `a library's own words do not wait either`() throws {
        let folder = try TemporaryFolder("log")
        let pipe = try UnreadPipe(in: folder)
        let descriptor = open(pipe.path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let queue = LogQueue(descriptor) { "\($0)\n" }
        let words = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        var written = 0
        for _ in 0..<100 { written += max(0, write(descriptor, words, words.count)) }
        #expect(written < 100 * words.count)
        withExtendedLifetime(queue) {}
    }
}
