import Glibc
import Synchronization

/// The service manager's end of notifications: the datagram socket that a service is told of (`NOTIFY_SOCKET`,
/// sd_notify(3)), and its watchdog.
package final class NotificationReceiver: Sendable {
    /// What `NOTIFY_SOCKET` says: a path, or "@" and an abstract name.
    package let name: String
    private let descriptor: Int32
    private let received = Mutex<[String]>([])

    package init(_ name: String) throws {
        self.name = name
        descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = name.hasPrefix("@")
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count)) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw TestSupportError.errno("bind \(name)", errno) }
    }

    deinit { close(descriptor) }

    /// All messages so far.
    package var messages: [String] {
        received.withLock { received in
            var bytes = [UInt8](repeating: 0, count: 8192)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count >= 0 else { return received }
                received.append(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
        }
    }

    /// How many messages so far have this line.
    package func count(of line: String) -> Int { messages.count { $0.split(separator: "\n").contains(line[...]) } }

    /// Waits for so many messages with this line.
    package func wait(for line: String, count: Int = 1) async throws {
        do {
            try await eventually("\(count) messages with \(line)") { self.count(of: line) >= count }
        } catch {
            throw TestSupportError("\(error); there are \(messages)")
        }
    }

    /// Returns once no sign of life has come for so long, when a manager would end the service.
    package func waitForWatchdog(_ time: Duration) async throws {
        var (seen, since) = (count(of: "WATCHDOG=1"), ContinuousClock.now)
        try await eventually("the signs of life to stop") {
            let count = count(of: "WATCHDOG=1")
            if count != seen { (seen, since) = (count, .now) }
            return since.duration(to: .now) >= time
        }
    }
}
