import Foundation
import Glibc
import KioskPrintModel
import KioskTestSupport

/// A dialer that leads to a printer on loopback through socket pairs, as IPP over USB does through endpoints. Two
/// threads per connection carry the bytes.
final class LoopbackDialer: PrinterDialer {
    let schemes: Set<PrinterURL.Scheme> = [.usb]
    let dials = Recorder<PrinterTarget>()
    private let port: Int
    private let limit: Int

    init(port: Int, limit: Int = 3) {
        self.port = port
        self.limit = limit
    }

    func dial(_ printer: PrinterTarget) async throws -> DialedConnection {
        dials.add(printer)
        let (near, far) = try socketPair()
        let server = try connectToLoopback(port: port)
        Thread.detachNewThread {
            let back = Thread { pump(from: server, to: far) }
            back.start()
            pump(from: far, to: server)
            while !back.isFinished { usleep(500) }
            close(far)
            close(server)
        }
        return DialedConnection(socket: near, limit: limit)
    }
}

/// The two ends of one connection.
func socketPair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
        throw TestSupportError.errno("socketpair", errno)
    }
    return (ends[0], ends[1])
}

private func connectToLoopback(port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
    guard isConnected else {
        close(descriptor)
        throw TransportError(.connectionLost, operation: "connect", message: "nobody is behind the cable")
    }
    return descriptor
}

/// Carries bytes until one end closes, and then shuts both down, which ends the other direction as well.
private func pump(from source: Int32, to sink: Int32) {
    var space = [UInt8](repeating: 0, count: 1 << 14)
    while true {
        let count = recv(source, &space, space.count, 0)
        guard count > 0 else { break }
        var rest = space[..<count]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(sink, Int32(SHUT_RDWR))
}
