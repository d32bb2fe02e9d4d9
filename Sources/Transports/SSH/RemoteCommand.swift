/// One command for a server's shell, its input, and the bounds on what it may answer and how long it may take.
package struct RemoteCommand: Sendable {
    /// For the login shell of the user, whichever that is; made by who quotes its arguments (`ShellWord`).
    package var line: String
    package var input: Input = .none
    /// Octets of standard output and of standard error, each; more ends the command with `.tooMuchOutput`.
    package var longestOutput = 256 * 1024
    /// Without an octet moving in either direction.
    package var stall: Duration = .seconds(30)
    /// From its start to its exit.
    package var total: Duration = .seconds(60)
    /// Whether it may take one of the channels that are kept for short questions.
    package var lane: Lane = .question

    package enum Input: Sendable {
        case none
        /// `trailer` follows the document on the same stream.
        case document(DocumentSource, trailer: [UInt8])
    }

    package enum Lane: Hashable, Sendable {
        case question, delivery
    }

    package init(line: String) { self.line = line }
}

/// Where a document's octets come from.
package enum DocumentSource: Sendable {
    case bytes([UInt8])
    /// A file that must have exactly `length` octets when it is opened.
    case file(path: String, length: Int64)
}

/// How a command ended.
package struct RemoteResult: Hashable, Sendable {
    package var exit: Exit
    package var output: [UInt8]
    package var errorOutput: [UInt8]
    /// Octets of the document that went out: never fewer than the command can have read.
    package var octetsSent: Int64
    /// Whether the whole input went out, to the last octet of the trailer, or of the document where no trailer follows
    /// it. Where it did not, the command ended without having seen all of it, whatever its exit status says: a login
    /// that is bound to another command may exit with 0 and read nothing. True does not tell that it was read.
    package var isInputComplete: Bool

    package enum Exit: Hashable, Sendable {
        case status(Int32)
        /// Its name without SIG (RFC 4254 §6.10).
        case signal(String)
        /// The server closed the channel and told neither.
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

/// How far a command's input or an upload is, in octets of the document handed to the connection.
package enum RemoteProgress: Hashable, Sendable {
    /// The session stands, the channel is open, and the command runs.
    case started
    case sending(octets: Int64, of: Int64)
    /// The whole input is with the connection, and the end said.
    case sent
}

/// A host that we are logged in to, or will be at the first call. Calls may run at the same time; each may be cancelled
/// at any time and then ends within milliseconds. Every call throws `SSHError`.
package protocol RemoteHost: Sendable {
    func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult

    /// Writes a document over SFTP to a name that must not exist yet (mode 0600), and returns when the server has
    /// confirmed and closed it. A path that does not begin with `/` begins at the user's home. On any failure the part
    /// is removed where that can be done still.
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
