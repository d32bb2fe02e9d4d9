import Glibc

/// A TCP socket that listens on loopback, at a port that the kernel chose; whoever takes it closes it.
package func listenOnLoopback() throws -> (descriptor: Int32, port: Int) {
    // A child process that inherits a connection would keep it open behind our back.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
        }
    }
    guard bound else { throw TestSupportError.errno("bind", errno) }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}
