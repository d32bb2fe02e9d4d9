import Glibc
import KioskSimulatedPrinter
import Synchronization

/// A TCP client on loopback whose own port is known before it connects; closed with its last reference.
package final class LoopbackSocket: Sendable {
    package let port: Int
    private let descriptor: Int32

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        var address = Self.address(0)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound else {
            defer { close(descriptor) }
            throw TestSupportError.errno("bind", errno)
        }
        self.descriptor = descriptor
        port = try Self.port { getsockname(descriptor, $0, $1) }
    }

    deinit { close(descriptor) }

    /// Connects to a port of this computer; `host` is an address in 127.0.0.0/8.
    package func connect(to port: Int, host: UInt32 = UInt32(INADDR_LOOPBACK)) throws {
        var address = Self.address(port, host)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw TestSupportError.errno("connect", errno) }
    }

    /// The port of whoever is at the other end of a connection.
    package static func peerPort(of descriptor: Int32) throws -> Int { try port { getpeername(descriptor, $0, $1) } }

    private static func address(_ port: Int, _ host: UInt32 = UInt32(INADDR_LOOPBACK)) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }

    private static func port(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) == 0 }
        }
        guard isKnown else { throw TestSupportError.errno("asking for a socket's port", errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

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

private let given = Mutex<[ReservedPort]>([])

/// A TCP port on which nobody listens but whom the caller tells of it: for peers that cannot bind to port 0 themselves
/// or come back on the port that they had, and for printers that are away. Never the same one twice.
///
/// It is reserved until this process ends, however it ends. A peer must set `SO_REUSEADDR`, as servers do.
package func freePort() throws -> Int {
    let port = try ReservedPort()
    given.withLock { $0.append(port) }
    return port.number
}
