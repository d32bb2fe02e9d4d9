import Glibc
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

/// What a command line says of the daemon to talk to. The first that is given wins: the options, `$KIOSKCTL_HOST`, and
/// then what `SocketLocation` lists.
struct DaemonChoice: Equatable {
    var socket: String?
    var stateDirectory: String?
    /// The URL of a daemon on another machine.
    var host: String?
    /// The fingerprint of that daemon's key.
    var fingerprint: Fingerprint?
    /// The file with the token for it; else `$KIOSKCTL_TOKEN` has it. No command line does, which others can read.
    var tokenFile: String?

    /// The daemon's address. Reads the token's file.
    func address() throws -> DaemonAddress {
        guard let url = host ?? hostOfEnvironment else {
            guard fingerprint == nil, tokenFile == nil else {
                throw CommandFailure(
                    message:
                        "--host-fingerprint and --token-file are for a daemon over TCP; add --host, or leave them out")
            }
            return .socket(.forClient(socket: socket, stateDirectory: stateDirectory))
        }
        do {
            return .host(try RemoteHost(url, fingerprint: pinnedFingerprint(for: url), token: token()))
        } catch let error as RemoteHostError {
            throw CommandFailure(message: error.description)
        }
    }

    private var hostOfEnvironment: String? {
        socket == nil && stateDirectory == nil ? Self.environment(RemoteHost.environmentKey) : nil
    }

    /// The environment's is left out where there is no TLS: it may stand there for other hosts.
    private func pinnedFingerprint(for url: String) throws -> Fingerprint? {
        if let fingerprint { return fingerprint }
        guard let text = Self.environment(RemoteHost.fingerprintKey), url.lowercased().hasPrefix("https:") else {
            return nil
        }
        guard let pinned = Fingerprint(text) else {
            throw CommandFailure(
                message:
                    "$\(RemoteHost.fingerprintKey) is not a SHA-256 fingerprint; write sha256: and 64 hexadecimal digits"
            )
        }
        return pinned
    }

    private func token() throws -> Secret? {
        guard let tokenFile else { return Self.environment(RemoteHost.tokenKey).map { Secret($0) } }
        return try PasswordFile.read(tokenFile, of: "the token", isPrivate: true)
    }

    /// A variable that is set, and not empty.
    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
