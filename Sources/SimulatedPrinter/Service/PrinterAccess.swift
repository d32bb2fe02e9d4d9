/// What a client needs to be served.
struct PrinterAccess: Hashable, Sendable {
    enum Security: Hashable, Sendable {
        case none
        case tls
        /// TLS on a connection that began without (RFC 2817).
        case upgrade
    }

    var security = Security.none
    /// RFC 8011 §5.4.2's word for how users are known: whoever they say they are, if nothing else is asked for.
    var authentication = "requesting-user-name"

    /// RFC 8011 §5.4.3.
    var securityKeyword: String { security == .none ? "none" : "tls" }
}
