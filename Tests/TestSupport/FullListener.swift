import Foundation
import Glibc

/// A port of this machine that accepts no more: its queue of connections is full, so another waits to be accepted
/// without end.
package final class FullListener: Sendable {
    package let port: Int
    private let descriptors: [Int32]

    package init() throws {
        // One that a server may take over.
        port = try freePort()
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var reuse: Int32 = 1
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size)) == 0
                    && bind(listener, address, size) == 0 && listen(listener, 0) == 0
            }
        }
        guard isListening else { throw TestSupportError.errno("listen", errno) }
        var descriptors = [listener]
        // A queue of none takes one (listen(2)); another is there to be sure.
        for _ in 0..<2 {
            let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(client)
            withUnsafePointer(to: &address) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
            }
        }
        self.descriptors = descriptors
    }

    /// How many connections to it wait to be accepted (proc_pid_net(5)).
    package var waiting: Int {
        get throws {
            let place = "0100007F:" + String(0x10000 + port, radix: 16, uppercase: true).dropFirst()
            // It comes page by page, and whoever asks for all of a file at once gets the first.
            let table = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/net/tcp")).readToEnd() ?? Data()
            return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
                let fields = line.split(separator: " ")
                // SYN_SENT.
                return fields.count > 3 && fields[2] == place && fields[3] == "02"
            }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
