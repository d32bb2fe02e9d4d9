import Glibc

/// Whether somebody takes connections at an IPv4 address of this machine.
func isListening(on port: Int, address: String = "127.0.0.1") throws -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
    defer { close(descriptor) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = UInt16(port).bigEndian
    guard inet_pton(AF_INET, address, &place.sin_addr) == 1 else {
        throw TestSupportError("\(address) is not an IPv4 address")
    }
    return withUnsafePointer(to: &place) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

/// Whether somebody takes connections at a Unix socket. (Its file is there before anybody listens.)
package func isListening(atSocket path: String) throws -> Bool {
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: place.sun_path) else {
        throw TestSupportError("\(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
    defer { close(descriptor) }
    return withUnsafePointer(to: &place) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
}

/// A server that runs in the foreground: waits until it listens, or throws with what it said when it ended instead.
package func waitUntilListening(_ child: ChildProcess, on port: Int, address: String = "127.0.0.1") async throws {
    try await eventually("\(child.program) on port \(port)") {
        guard child.isRunning else { throw TestSupportError("\(child.program) ended: \(child.standardError)") }
        return try isListening(on: port, address: address)
    }
}
