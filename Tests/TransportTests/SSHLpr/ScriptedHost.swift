import SSH
import Synchronization

/// A host that answers as a test says: for states that a real one does not reach at will.
final class ScriptedHost: RemoteHost {
    private let answers: @Sendable (RemoteCommand, Int) throws -> RemoteResult
    private let count = Mutex(0)
    let commands = Recorder<String>()

    /// `answers` gets each command, and how many came before it.
    init(_ answers: @escaping @Sendable (RemoteCommand, Int) throws -> RemoteResult) { self.answers = answers }

    func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult {
        commands.add(command.line)
        let before = count.withLock { count in
            defer { count += 1 }
            return count
        }
        return try answers(command, before)
    }

    func upload(
        _ document: DocumentSource, to path: String, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws { commands.add("upload \(path)") }

    func rename(_ path: String, to newPath: String) async throws { commands.add("rename \(path) \(newPath)") }
    func remove(_ path: String) async throws { commands.add("remove \(path)") }
}

extension RemoteResult {
    /// What a script of ours answers.
    static func answer(_ text: String) -> RemoteResult {
        RemoteResult(exit: .status(0), output: Array("kiosk-answer\n\(text)".utf8))
    }

    /// How a script ends that gives no answer; `lpr` wrote the errors where it came as far as that.
    static func failure(_ status: Int32, _ errors: String, ofLpr: Bool = true) -> RemoteResult {
        RemoteResult(exit: .status(status), errorOutput: Array(((ofLpr ? "kiosk-lpr\n" : "") + errors).utf8))
    }
}
