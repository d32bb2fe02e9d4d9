package import PrintModel

/// Who may print on a simulated printer, and how they have to prove who they are.
package struct PrinterLogin: Sendable {
    package enum Scheme: String, CaseIterable, Sendable {
        /// RFC 7617.
        case basic
        /// RFC 7616 by SHA-256, and by MD5 for those who do not know that.
        case digest
        /// By MD5 only, as older printers.
        case digestMD5 = "digest-md5"
    }

    package var scheme: Scheme
    package var user: String
    package var password: Secret
    package var realm = "Simulated printer"
    /// How long a nonce is good for (Digest).
    package var nonceLifetime: Duration = .seconds(300)

    package init(_ scheme: Scheme, user: String, password: Secret) {
        self.scheme = scheme
        self.user = user
        self.password = password
    }

    /// IPP's word for it (RFC 8011 §5.4.2).
    var keyword: String { scheme == .basic ? "basic" : "digest" }
}
