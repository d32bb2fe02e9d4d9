import CKioskSandbox
import Glibc
import KioskDrawingMessages
import KioskReceiptDrawing

/// `kiosk-draw`: reads drawing requests from its standard input and writes the responses to its standard output, until
/// the input ends. `kioskd` starts it. It runs C libraries on callers' pictures and text, so it may do no more than
/// this. `--user ID:GROUP`: the user that it changes to first. `--self-test`: shows that the sandbox holds.
@main enum KioskDraw {
    static func main() {
        do {
            if Arguments.wantsSelfTest { exit(try SelfTest.run()) }
            let renderer = try start()
            while let message = try MessageStream.readRequest() {
                try MessageStream.write(renderer.response(to: try DrawingRequest(message)))
            }
        } catch {
            ErrorLog.write("\(error)")
            exit(1)
        }
    }

    /// Enters the sandbox and opens the fonts. The parent process gets the reason if that fails.
    private static func start() throws -> DrawingRenderer {
        do {
            try Sandbox.begin(as: Arguments.user())
            let renderer = try DrawingRenderer()
            renderer.warmUp()
            try Sandbox.close()
            try MessageStream.write(.ready)
            return renderer
        } catch {
            try? MessageStream.write(.refused(DrawingRefusal(.drawing, "\(error)")))
            throw error
        }
    }
}

/// The program's command line.
private enum Arguments {
    struct UsageError: Error, CustomStringConvertible {
        var description: String { "usage: kiosk-draw [--user ID:GROUP | --self-test]; kioskd starts it" }
    }

    /// The user and group to change to, if any.
    static func user() throws(UsageError) -> (id: UInt32, group: UInt32)? {
        let arguments = CommandLine.arguments.dropFirst()
        guard let option = arguments.first else { return nil }
        let numbers =
            arguments.dropFirst().first.map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
            } ?? []
        guard option == "--user", arguments.count == 2, numbers.count == 2, let id = numbers[0], let group = numbers[1],
            id != 0, group != 0
        else {
            throw UsageError()
        }
        return (id, group)
    }

    static var wantsSelfTest: Bool { CommandLine.arguments.dropFirst() == ["--self-test"] }
}

/// Message frames on standard input and output.
private enum MessageStream {
    struct StreamError: Error, CustomStringConvertible {
        var description: String
    }

    /// Returns nil at the input's end.
    static func readRequest() throws -> [UInt8]? {
        guard let header = try read(MessageFrame.headerLength, mayEnd: true) else { return nil }
        return try read(try MessageFrame.length(header), mayEnd: false)
    }

    private static func read(_ count: Int, mayEnd: Bool) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let received = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress! + filled, count - filled) }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else {
                if received == 0, filled == 0, mayEnd { return nil }
                throw StreamError(description: "the request is truncated")
            }
            filled += received
        }
        return bytes
    }

    static func write(_ response: DrawingResponse) throws {
        let frame = MessageFrame.bytes(response)
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { Glibc.write(1, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StreamError(description: "the response cannot be written") }
            written += count
        }
    }
}

/// Messages on standard error, which reach the daemon's log.
enum ErrorLog {
    static func write(_ message: String) {
        let line = "kiosk-draw: \(message)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
