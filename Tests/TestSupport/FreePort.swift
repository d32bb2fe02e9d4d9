import Glibc
import Synchronization

private let given = Mutex<Set<Int>>([])

/// A TCP port that nobody listens on now, for peers that cannot bind to port 0 themselves; never the same one twice.
///
/// It lies below the kernel's ephemeral range (32768 and up), so that no outgoing connection takes it meanwhile.
package func freePort() throws -> Int {
    for _ in 0..<1000 {
        let port = Int.random(in: 10_000..<32_000)
        if try isFree(port), given.withLock({ $0.insert(port).inserted }) { return port }
    }
    throw TestSupportError("no free port was found")
}

private func isFree(_ port: Int) throws -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_ANY).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
