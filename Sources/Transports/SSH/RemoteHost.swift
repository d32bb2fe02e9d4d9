/// A host that we are logged in to, or will be at the first call. Calls may run at the same time. Each may be cancelled
/// at any time and then ends within milliseconds. Every call throws `SSHError`.
package protocol RemoteHost: Sendable {
    func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult

    /// Writes a document over SFTP to a new file (mode 0600), and returns when the server has confirmed and closed it.
    /// A path that does not begin with `/` begins at the user's home. After a failure the partial file is removed if
    /// that is still possible.
    func upload(
        _ document: DocumentSource, to path: String, progress: @escaping @Sendable (RemoteProgress) -> Void)
        async throws
    func rename(_ path: String, to newPath: String) async throws
    func remove(_ path: String) async throws
}

extension RemoteHost {
    package func run(_ command: RemoteCommand) async throws -> RemoteResult {
        try await run(command, progress: { _ in })
    }
}

/// A command for a server's shell, with its input and the limits of its output and its time.
package struct RemoteCommand: Sendable {
    /// The line for the user's login shell, whichever that is. Its author quotes the arguments (`ShellWord`).
    package var line: String
    package var input: Input = .none
    /// The limit in octets for standard output, and for standard error; more ends the command with `.tooMuchOutput`.
    package var maximumOutput = 256 * 1024
    /// How long no octet may move in either direction.
    package var stall: Duration = .seconds(30)
    /// The time from its start to its exit.
    package var total: Duration = .seconds(60)
    package var kind: Kind = .query

    package enum Input: Sendable {
        case none
        /// `trailer` follows the document on the same stream.
        case document(DocumentSource, trailer: [UInt8])
    }

    package enum Kind: Hashable, Sendable {
        /// A short command, for which some channels are reserved.
        case query
        /// A command that may last as long as a large document takes.
        case delivery
    }

    package init(line: String) { self.line = line }
}

/// The source of a document's octets.
package enum DocumentSource: Sendable {
    case bytes([UInt8])
    /// A file that must have exactly `length` octets when it is opened.
    case file(path: String, length: Int64)
}

/// The end of a command, and its output.
package struct RemoteResult: Hashable, Sendable {
    package var exit: Exit
    package var output: [UInt8]
    package var errorOutput: [UInt8]
    /// Octets of the document that were sent: never fewer than the command can have read.
    package var octetsSent: Int64
    /// Whether the whole input was sent, to the last octet of the trailer, or of the document if it has no trailer.
    /// False means that the command ended without the whole input, whatever its exit status is: a login that is bound
    /// to another command may exit with 0 and read nothing. True does not mean that the command read it.
    package var isInputComplete: Bool

    package enum Exit: Hashable, Sendable {
        case status(Int32)
        /// The signal's name without SIG (RFC 4254 §6.10).
        case signal(String)
        /// The server closed the channel and sent neither.
        case unknown
    }

    package init(
        exit: Exit, output: [UInt8] = [], errorOutput: [UInt8] = [], octetsSent: Int64 = 0, isInputComplete: Bool = true
    ) {
        self.exit = exit
        self.output = output
        self.errorOutput = errorOutput
        self.octetsSent = octetsSent
        self.isInputComplete = isInputComplete
    }
}

/// The progress of a command's input or of an upload, in octets of the document handed to the connection.
package enum RemoteProgress: Hashable, Sendable {
    /// The session is established, the channel is open, and the command runs.
    case started
    case sending(octets: Int64, of: Int64)
    /// The whole input and its end are handed to the connection.
    case sent
}
