package import PrintModel

/// Why there is no SSH connection, or no more of it, or why a command or an upload did not come to its end.
package struct SSHError: Error, Hashable, Sendable {
    package var code: Code
    /// What was being done: "connect", "handshake", "log in", "exec", "SFTP write".
    package var operation: String
    /// What happened, with the server's own words where it has some (hostile until shown escaped); no host, no advice.
    package var reason: String
    /// Octets of the command's input, or of the uploaded file, that the server may have taken: never too few.
    package var octetsSent: Int64 = 0
    /// Whether the end of the input may have reached the server: the last octet of the trailer, or of the document
    /// where no trailer follows it. False is certain: whatever ran there has not seen it, and never will. It may have
    /// seen an end of file, though, since a channel that is given up sends one; so an input whose end must be
    /// recognised needs a trailer.
    package var isInputComplete = false
    /// The host key that was shown and not trusted.
    package var hostKey: HostKey?
    /// With `.loginRefused`: the methods that the server offers (RFC 4252 §5.2).
    package var offeredMethods: [String] = []
    package var native: TransportError.NativeCode?

    package enum Code: Hashable, Sendable {
        case hostNotFound
        case connectionRefused
        /// No route, no permission, no more descriptors.
        case unreachable
        case connectionLost
        case timedOut
        case cancelled
        /// No key exchange, host key type, cipher or MAC in common.
        case noCommonAlgorithm
        /// What answers speaks no SSH, or breaks it.
        case protocolViolation
        /// Nobody vouches for the host key yet.
        case hostKeyUnknown
        /// The host is known with other keys, which stand here.
        case hostKeyChanged(from: [Fingerprint])
        case hostKeyRevoked
        /// The known_hosts file cannot be used.
        case unusableTrust
        /// There is nothing to log in with.
        case loginMissing
        case loginRefused
        /// The saved key, agent or password cannot be used.
        case credentialsUnusable
        /// The server opens no (more) channels, or no command or SFTP.
        case channelRefused
        /// It sent more than anybody would.
        case tooMuchOutput
        /// SFTP says no: no such folder, no permission, disk full.
        case uploadRefused
        /// Our own document could not be read.
        case documentUnreadable
    }

    package init(
        _ code: Code, operation: String, reason: String, octetsSent: Int64 = 0, hostKey: HostKey? = nil,
        offeredMethods: [String] = [], native: TransportError.NativeCode? = nil
    ) {
        self.code = code
        self.operation = operation
        self.reason = reason
        self.octetsSent = octetsSent
        self.hostKey = hostKey
        self.offeredMethods = offeredMethods
        self.native = native
    }
}

extension SSHError: CustomStringConvertible {
    package var description: String { "\(operation): \(reason)" }
}
