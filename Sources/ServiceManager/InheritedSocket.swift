import CKioskLinux
import Glibc

/// A listening socket that the service manager made and passed to this process (`$LISTEN_FDS`, sd_listen_fds(3)). The
/// manager keeps it open, so nobody is refused while the service starts anew.
package struct InheritedSocket: Hashable, Sendable, CustomStringConvertible {
    package let descriptor: CInt
    /// The name that the socket's unit gives it (`FileDescriptorName=`); nil where there is none.
    package let name: String?
    package let address: Address

    package enum Address: Hashable, Sendable {
        /// Empty: the socket has no path in the file system.
        case unix(path: String)
        /// An address in the form of inet_ntop(3).
        case tcp(host: String, port: Int)
    }

    /// Descriptor and name, for messages.
    package var description: String { "descriptor \(descriptor)\(name.map { " (\($0))" } ?? "")" }

    /// SD_LISTEN_FDS_START.
    private static let first: CInt = 3
    /// More than any unit names; each is looked at.
    private static let maximumCount: CInt = 256

    /// The sockets for this process. Programs that it starts do not get them.
    package static func all(
        environment: (String) -> String?, processID: CInt = getpid()
    ) throws(InheritedSocketError) -> [InheritedSocket] {
        var sockets: [InheritedSocket] = []
        for (descriptor, name) in try descriptors(environment: environment, processID: processID) {
            sockets.append(try InheritedSocket(descriptor, name: name))
        }
        return sockets
    }

    /// The descriptors that are passed to this process, with their names.
    static func descriptors(
        environment: (String) -> String?, processID: CInt
    ) throws(InheritedSocketError) -> [(CInt, String?)] {
        guard let text = environment("LISTEN_FDS"), environment("LISTEN_PID") == "\(processID)" else { return [] }
        guard let count = CInt(text), (0...maximumCount).contains(count) else {
            throw InheritedSocketError(subject: "LISTEN_FDS", reason: "\"\(text)\" is not a count of sockets")
        }
        // Empty names are kept: each has its place.
        let names = environment("LISTEN_FDNAMES")?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        return (0..<count).map { index in
            let name = index < names.count ? String(names[Int(index)]) : ""
            // What systemd says where nobody gave a name.
            return (first + index, name.isEmpty || name == "unknown" ? nil : name)
        }
    }

    private init(_ descriptor: CInt, name: String?) throws(InheritedSocketError) {
        (self.descriptor, self.name) = (descriptor, name)
        let subject = "descriptor \(descriptor)\(name.map { " (\($0))" } ?? "")"
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw InheritedSocketError(subject: subject, reason: "is not open")
        }
        var text = [CChar](repeating: 0, count: 256)
        var (family, port): (CInt, UInt16) = (0, 0)
        switch clinux_listening_socket(descriptor, &family, &text, text.count, &port) {
        case 0: break
        case ENOTSOCK: throw InheritedSocketError(subject: subject, reason: "is not a socket")
        case EINVAL: throw InheritedSocketError(subject: subject, reason: "does not listen")
        case ESOCKTNOSUPPORT: throw InheritedSocketError(subject: subject, reason: "is not a stream socket")
        default: throw InheritedSocketError(subject: subject, reason: "cannot be looked at")
        }
        let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        switch family {
        case AF_UNIX: address = .unix(path: words)
        case AF_INET, AF_INET6: address = .tcp(host: words, port: Int(port))
        default: throw InheritedSocketError(subject: subject, reason: "is of a family that is not served")
        }
    }

    /// A descriptor of the same socket, for a server that closes its own. Nil where there is no room for one.
    package func duplicate() -> CInt? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, descriptor + 1)
        return copy >= 0 ? copy : nil
    }

    /// Keeps the socket open in a program that takes this one's place (execve(2)).
    package func surviveExec() { _ = fcntl(descriptor, F_SETFD, 0) }
}

/// Why sockets of the service manager cannot be used.
package struct InheritedSocketError: Error, Hashable, CustomStringConvertible {
    package var subject: String
    /// The rest of a sentence about it.
    package var reason: String

    package var description: String {
        "the service manager passed a socket that cannot be served: \(subject) \(reason)"
    }
}
