import KioskPrintModel

/// The address of a document in a store of the office's, such as one that an S3-compatible store has presigned:
/// `https://host[:port]/path?query`, or `http://` for a store on the kiosk itself.
///
/// Its query is a secret for as long as the address is valid: no message, report or log shows it.
package struct DocumentAddress: Hashable, Sendable {
    /// All of it, with the secret.
    package let text: String
    /// Whether TLS is spoken.
    package let isSecure: Bool
    /// A host name, an IPv4 address, or an IPv6 address without brackets; in lower case.
    package let host: String
    package let port: Int
    /// The request-target in origin-form, path and query (RFC 9112 §3.2.1), with the secret.
    package let target: String

    /// In bytes. Presigned addresses have 300 to 2,000; RFC 9112 §3 recommends that recipients support request lines of
    /// at least 8,000.
    package static let maximumLength = 8192

    /// Throws `invalid-address`. The message shows nothing of the text, which may hold a secret anywhere.
    package init(_ text: String) throws(FleetError) {
        func invalid(_ what: String, _ instead: String) -> FleetError {
            FleetError(.invalidAddress, "the document's address \(what); \(instead)")
        }
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw invalid(
                "is empty, has more than \(Self.maximumLength) bytes, or holds spaces, line breaks or other characters than ASCII",
                "write it percent-encoded, on one line and without a line break at its end")
        }
        let schemes = [("https://", true), ("http://", false)]
        guard let (scheme, isSecure) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) else {
            throw invalid("is not an https URL", "write https://host/path")
        }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        guard !rest[..<end].contains("@") else {
            throw invalid("holds a user name or password", "leave it out, and have the store presign the URL")
        }
        guard !rest.contains("#") else { throw invalid("has a fragment (#)", "write it without") }
        guard let authority = URLAuthority(rest[..<end]) else {
            throw invalid("has no host that can be used", "write https://host/path or https://host:port/path")
        }
        (self.text, self.isSecure, host) = (text, isSecure, authority.host)
        port = authority.port ?? (isSecure ? 443 : 80)
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/\(rest[end...])"
        guard isSecure || authority.isLoopback else {
            throw invalid(
                "does not use TLS, so others on the network could read the document", "write https://host/path")
        }
    }

    /// `host:port` as a request's `Host` has it; without the port where that is the scheme's own (RFC 9110 §7.2).
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The last part of the path, as it stands there; nil where that is empty.
    package var fileName: String? {
        path.split(separator: "/", omittingEmptySubsequences: false).last.flatMap { $0.isEmpty ? nil : String($0) }
    }

    private var path: Substring { target[..<(target.firstIndex(of: "?") ?? target.endIndex)] }
}

extension DocumentAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Scheme, host and path, without the secret, and cut where it is long.
    package var description: String {
        let path = path.utf8.count > Self.longestShownPath ? "\(path.prefix(Self.longestShownPath))…" : "\(path)"
        return "\(isSecure ? "https" : "http")://\(authority)\(path)"
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// In characters, which are ASCII.
    private static let longestShownPath = 200
}
