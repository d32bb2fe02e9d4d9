import KioskSSH
import Synchronization

/// A host whose responses a test scripts, for states that a real one does not reach at will.
final class ScriptedHost: RemoteHost {
    private let responses: @Sendable (RemoteCommand, Int) throws -> RemoteResult
    private let count = Mutex(0)
    let commands = Recorder<String>()

    /// `responses` gets each command, and the number of commands before it.
    init(_ responses: @escaping @Sendable (RemoteCommand, Int) throws -> RemoteResult) { self.responses = responses }

    func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult {
        commands.add(command.line)
        let before = count.withLock { count in
            defer { count += 1 }
            return count
        }
        return try responses(command, before)
    }

    func upload(
        _ document: DocumentSource, to path: String, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws { commands.add("upload \(path)") }

    func rename(_ path: String, to newPath: String) async throws { commands.add("rename \(path) \(newPath)") }
    func remove(_ path: String) async throws { commands.add("remove \(path)") }
}

extension RemoteResult {
    /// The result of a script that responds.
    static func response(_ text: String) -> RemoteResult {
        RemoteResult(exit: .status(0), output: Array("kiosk-answer\n\(text)".utf8))
    }

    /// The result of a script that fails without a response. `ofLpr`: whether `lpr` wrote the errors.
    static func failure(_ status: Int32, _ errors: String, ofLpr: Bool = true) -> RemoteResult {
        RemoteResult(exit: .status(status), errorOutput: Array(((ofLpr ? "kiosk-lpr\n" : "") + errors).utf8))
    }
}
