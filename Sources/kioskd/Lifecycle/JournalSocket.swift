import Glibc
import KioskPrintModel

/// The journal's socket, which takes entries with fields (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): one datagram an
/// entry.
final class JournalSocket: Sendable {
    static let path = "/run/systemd/journal/socket"

    private let descriptor: CInt
    private let path: String

    /// Nil where nobody listens there.
    init?(path: String = JournalSocket.path) {
        let opened = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard opened >= 0 else { return nil }
        guard Self.connect(opened, to: path) else {
            close(opened)
            return nil
        }
        (descriptor, self.path) = (opened, path)
    }

    deinit { close(descriptor) }

    private static func connect(_ descriptor: CInt, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        } == 0
    }

    /// Sends an entry, and waits while the journal has no room for it. False where it does not take it.
    func send(_ entry: String) -> Bool {
        let bytes = Array(entry.utf8)
        var mayConnect = true
        while Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) < 0 {
            switch errno {
            case EINTR: continue
            // The journal was restarted, and another socket has the name: unix(7) lets datagram sockets connect anew.
            case ECONNREFUSED, ENOTCONN, ECONNRESET:
                guard mayConnect, Self.connect(descriptor, to: path) else { return false }
                mayConnect = false
            default: return false
            }
        }
        return true
    }
}

/// An entry in the journal's own protocol: lines of `NAME=value`, the message first. No value has a line break, so
/// none needs the binary form.
enum JournalEntry {
    /// The maximum length of one value in bytes: an entry must fit into a datagram.
    private static let maximumValue = 16_384
    private static let maximumFields = 8

    static func text(_ message: String, priority: Int, _ fields: [(key: String, value: String)]) -> String {
        var entry = "MESSAGE=\(bounded(message))\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=kioskd\n"
        for field in fields.prefix(maximumFields) {
            entry += "\(name(of: field.key))=\(bounded(field.value.withoutControlCharacters))\n"
        }
        return entry
    }

    /// `KIOSKD_REQUEST_ID` for `request-id`: capital letters, digits and underscores, at most 64.
    private static func name(of key: String) -> String {
        let letters = key.uppercased().unicodeScalars.prefix(48).map { scalar -> Character in
            ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
        }
        return "KIOSKD_" + String(letters)
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumValue else { return text }
        return String(decoding: text.utf8.prefix(maximumValue), as: UTF8.self) + "…"
    }

    /// The entry's message as a line with its priority, for standard error: sd-daemon(3).
    static func line(of entry: String) -> String {
        let lines = entry.split(separator: "\n", maxSplits: 2)
        let message = lines.first?.drop { $0 != "=" }.dropFirst() ?? ""
        guard lines.count > 1, let digit = lines[1].last, lines[1] == "PRIORITY=\(digit)" else { return message + "\n" }
        return "<\(digit)>\(message)\n"
    }
}
