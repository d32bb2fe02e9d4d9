import Foundation

/// OpenSSH's `ssh-agent` at a socket of its own.
package final class SSHAgent: Sendable {
    package let socket: String
    private let folder: TemporaryFolder
    private let child: ChildProcess

    /// `keys`: paths of private keys without a passphrase.
    package init(keys: [String]) async throws {
        folder = try TemporaryFolder("agent")
        socket = folder.appending("socket")
        let path = socket
        let agent = try ChildProcess(
            try InstalledProgram.path("ssh-agent", package: "openssh-client"), ["-D", "-a", path])
        child = agent
        try await eventually("ssh-agent") { try isListening(atSocket: path) }
        let add = try InstalledProgram.path("ssh-add", package: "openssh-client")
        for key in keys {
            let result = try await ChildProcess.run(add, ["-q", key], environment: ["SSH_AUTH_SOCK": path])
            guard result.end.isSuccess else { throw TestSupportError("ssh-add failed: \(result.standardError)") }
        }
    }
}
