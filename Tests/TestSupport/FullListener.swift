import Foundation
import Glibc

/// A port of this machine that answers no more: its queue of connections is full, so another waits for an answer without end.
package final class FullListener: Sendable {
    package let port: Int
    private let descriptors: [Int32]

    package init() throws {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, size) == 0, listen(listener, 0) == 0, getsockname(listener, address, &size) == 0 else {
                    throw TestSupportError.errno("listen", errno)
                }
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
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

    /// How many connections to it wait for an answer (proc_pid_net(5)).
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
