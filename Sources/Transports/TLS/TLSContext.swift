package import PrintModel
internal import COpenSSL

/// A configuration made ready for many connections (OpenSSL's SSL_CTX). Making one reads files, and so blocks.
package final class TLSContext: Sendable {
    /// Whom a client trusts; nil in a server's context.
    package let trust: Trust?

    /// Throws `.badIdentity`: the CA file or the identity cannot be used.
    package init(_ configuration: TLSClientConfiguration) throws(TLSError) {
        trust = configuration.trust
    }

    /// Throws `.badIdentity`: the CA file or the identity cannot be used.
    package init(_ configuration: TLSServerConfiguration) throws(TLSError) {
        trust = nil
    }
}
