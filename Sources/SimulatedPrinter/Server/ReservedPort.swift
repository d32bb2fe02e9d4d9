import Glibc

/// A TCP port that no other program gets while this value lives, whether or not anybody listens on it.
///
/// The kernel chooses the port. A socket stays bound to it at all addresses and never listens: connections are refused,
/// nobody who asks for any free port gets it, and no outgoing connection uses it. No other process reserves it either,
/// since this binds without `SO_REUSEADDR`. The socket takes that option once it is bound. A program that sets the
/// option too, as servers do, can then listen beside it (socket(7): "except when there is an active listening socket
/// bound to the address").
package final class ReservedPort: Sendable {
    package let number: Int
    private let descriptor: Int32

    package init() throws(SimulatedPrinterError) {
        // IPv6's unspecified address covers IPv4 too without IPV6_V6ONLY; there may be no IPv6 here.
        do {
            (descriptor, number) = try Self.bindToAnyPort(AF_INET6)
        } catch {
            (descriptor, number) = try Self.bindToAnyPort(AF_INET)
        }
    }

    deinit { close(descriptor) }

    private static func bindToAnyPort(_ family: Int32) throws(SimulatedPrinterError) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("socket") }
        do throws(SimulatedPrinterError) {
            if family == AF_INET6 { try set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0, of: descriptor) }
            let port = try bindToAnyPort(descriptor, family)
            // Only now: sockets that bind with the option share a port with each other.
            try set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
            return (descriptor, port)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func bindToAnyPort(_ descriptor: Int32, _ family: Int32) throws(SimulatedPrinterError) -> Int {
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(family)
        var length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw failure("bind") }
        // The port has the same offset in both families.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        }
    }

    private static func set(
        _ level: Int32, _ option: Int32, _ value: Int32, of descriptor: Int32
    ) throws(SimulatedPrinterError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw failure("setsockopt")
        }
    }

    private static func failure(_ operation: String) -> SimulatedPrinterError {
        SimulatedPrinterError("Cannot reserve a port: \(operation): \(String(cString: strerror(errno)))")
    }
}
