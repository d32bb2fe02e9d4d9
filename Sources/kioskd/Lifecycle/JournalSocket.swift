import Glibc
import KioskPrintModel

/// The journal's socket, which takes entries with fields (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): one datagram an
/// entry.
final class JournalSocket: Sendable {
    static let path = "/run/systemd/journal/socket"

    private let descriptor: CInt

    /// Nil where nobody listens there.
    init?(path: String = JournalSocket.path) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let opened = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard opened >= 0 else { return nil }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(opened, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            close(opened)
            return nil
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Sends an entry, and waits while the journal has no room for it. False where it does not take it.
    func send(_ entry: String) -> Bool {
        let bytes = Array(entry.utf8)
        while Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) < 0 {
            guard errno == EINTR else { return false }
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

    /// The entry's message as a line of text, for standard error.
    static func line(of entry: String) -> String {
        let message = entry.prefix { $0 != "\n" }
        return message.drop { $0 != "=" }.dropFirst() + "\n"
    }
}
