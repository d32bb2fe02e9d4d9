import Foundation
import Glibc
import KioskTestSupport
import Synchronization

/// An SNMP agent on loopback that does what a script says, on a thread of its own.
final class ScriptedSNMPAgent: Sendable {
    let port: Int
    private let descriptor: Int32
    private let isOver = Atomic(false)
    private let received = Recorder<[UInt8]>()

    /// The datagrams that came.
    var datagrams: [[UInt8]] { received.all }

    /// `respond` returns what is sent back for a datagram.
    init(_ respond: @escaping @Sendable ([UInt8]) -> [[UInt8]]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var tick = timeval(tv_sec: 0, tv_usec: 20_000)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        let isSet =
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &tick, socklen_t(MemoryLayout<timeval>.size)) == 0
        guard isBound, isSet else { throw TestSupportError.errno("bind", errno) }
        (self.descriptor, port) = (descriptor, Int(UInt16(bigEndian: address.sin_port)))
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .acquiring) { serve(respond) }
            close(descriptor)
        }
    }

    /// Ends its thread, which owns the socket.
    func stop() { isOver.store(true, ordering: .releasing) }

    private func serve(_ respond: ([UInt8]) -> [[UInt8]]) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let count = recvfrom(descriptor, &buffer, buffer.count, 0, peer, &length)
                guard count > 0 else { return }
                let datagram = Array(buffer.prefix(count))
                received.add(datagram)
                for response in respond(datagram) {
                    _ = sendto(descriptor, response, response.count, Int32(MSG_NOSIGNAL), peer, length)
                }
            }
        }
    }
}
