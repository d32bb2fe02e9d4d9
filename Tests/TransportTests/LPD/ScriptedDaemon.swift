import Foundation
import Glibc
import KioskPrintModel
import KioskTestSupport

/// A line printer daemon that does what a script says: one thread for each connection.
final class ScriptedDaemon: Sendable {
    let port: Int
    private let listener: Int32

    /// One connection, with blocking calls. Its end is everyone's end.
    final class Connection: Sendable {
        private let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { Glibc.close(descriptor) }

        /// The bytes up to the next end of line; nil at the end of input.
        func line() -> String? {
            var bytes: [UInt8] = []
            while let byte = read(1).first {
                if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(byte)
            }
            return nil
        }

        /// This many bytes; fewer at the end of input.
        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
                guard got > 0 else { break }
                filled += got
            }
            return Array(bytes.prefix(filled))
        }

        /// False where nobody reads it any more.
        @discardableResult func write(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                == bytes.count
        }

        func write(_ text: String) { write(Array(text.utf8)) }

        /// Blocks until the other side has ended.
        func awaitEnd() { while !read(4096).isEmpty {} }
    }

    /// What a script got of a job.
    struct Job: Hashable, Sendable {
        var control = ""
        var data: [UInt8] = []
    }

    /// `serve` is called for each connection with the daemon's command, without its end of line.
    init(_ serve: @escaping @Sendable (_ command: String, Connection) -> Void) throws {
        (listener, port) = try listenOnLoopback()
        let listener = listener
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread {
                    let connection = Connection(descriptor)
                    if let command = connection.line() { serve(command, connection) }
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    var target: PrinterTarget { get throws { try target() } }

    func target(_ options: String = "") throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("lpd://127.0.0.1:\(port)/raw\(options)"))
    }

    /// Receives the two files of a job, and acknowledges with these octets, one for each step; stops where they end, or
    /// where one refuses.
    static func receive(_ connection: Connection, acknowledging octets: [UInt8] = [0, 0, 0, 0, 0]) -> Job {
        var job = Job()
        var octets = octets[...]
        func acknowledge() -> Bool {
            guard let octet = octets.popFirst() else { return false }
            return connection.write([octet]) && octet == 0
        }
        guard acknowledge() else { return job }
        for _ in 0..<2 {
            guard let line = connection.line(), let count = Int(line.dropFirst().prefix { $0 != " " }), acknowledge()
            else { return job }
            let bytes = Array(connection.read(count + 1).prefix(count))
            if line.first == "\u{2}" { job.control = String(decoding: bytes, as: UTF8.self) } else { job.data = bytes }
            guard acknowledge() else { return job }
        }
        return job
    }
}
