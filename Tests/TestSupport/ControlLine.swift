import Glibc

/// One line to a Unix socket and the line that answers it.
enum ControlLine {
    static func ask(_ line: String, at path: String) async throws -> String {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        defer { close(descriptor) }
        guard try connect(descriptor, to: path) else { throw TestSupportError.errno("connecting to \(path)", errno) }
        let bytes = Array("\(line)\n".utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestSupportError.errno("sending to \(path)", errno)
        }
        var answer: [UInt8] = []
        try await eventually("the answer to \"\(line)\"", poll: .milliseconds(1)) {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
            guard count != 0, count > 0 || errno == EAGAIN else {
                throw TestSupportError("no answer to \"\(line)\" came")
            }
            answer += piece.prefix(max(0, count))
            return answer.last == UInt8(ascii: "\n")
        }
        return String(decoding: answer.dropLast(), as: UTF8.self)
    }

    private static func connect(_ descriptor: Int32, to path: String) throws -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw TestSupportError("\(path) is too long for a socket") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
