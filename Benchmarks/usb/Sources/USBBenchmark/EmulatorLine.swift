import Foundation
import Glibc

/// The emulator's control socket, by which its printers are told what to do.
struct EmulatorLine {
    private let path: String

    /// That of the emulator in which this program runs.
    init() throws {
        guard let path = ProcessInfo.processInfo.environment["USB_EMULATOR_CONTROL"] else {
            throw Failure(line: "no emulator")
        }
        self.path = path
    }

    /// Sends a line and waits for the reply: what it says has then been done.
    @discardableResult
    func send(_ line: String) throws -> String {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure(line: line) }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            for (index, byte) in path.utf8.prefix(place.count - 1).enumerated() { place[index] = byte }
        }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        let bytes = Array("\(line)\n".utf8)
        var reply = [UInt8](repeating: 0, count: 8192)
        guard isConnected, write(socket, bytes, bytes.count) == bytes.count else { throw Failure(line: line) }
        let count = read(socket, &reply, reply.count)
        guard count > 0, reply.starts(with: Array("ok".utf8)) else { throw Failure(line: line) }
        return String(decoding: reply.prefix(count), as: UTF8.self)
    }

    struct Failure: Error { var line: String }
}
