import KioskPrintModel
import KioskSSH
import Synchronization

/// A host with one login, shared by all its queues: the connection, and the facts about the host.
final class PrintHost: Sendable {
    private let connection: any RemoteHost
    private let closeConnection: @Sendable () async -> Void
    private let facts = Mutex<HostFacts?>(nil)
    private let state = Mutex(State())

    private struct State {
        var isClosed = false
        /// Background removals of files.
        var removals: [Int: Task<Void, Never>] = [:]
        var removalCount = 0
    }

    init(_ connection: any RemoteHost, close: @escaping @Sendable () async -> Void) {
        self.connection = connection
        closeConnection = close
    }

    /// The connection; a closed host does not make it again.
    var remote: any RemoteHost {
        get throws(SSHError) {
            guard !state.withLock(\.isClosed) else {
                throw SSHError(.cancelled, operation: "connect", reason: "cancelled")
            }
            return connection
        }
    }

    /// Ends every call, and returns when the background removals have ended as well.
    func close() async {
        let removals = state.withLock { state in
            state.isClosed = true
            return Array(state.removals.values)
        }
        await closeConnection()
        for removal in removals { await removal.value }
    }

    /// Removes files that a failed delivery may have left, in the background: the delivery ends at once, and the host
    /// may be unreachable. A contact removes files that are a day old.
    func remove(_ names: [String]) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let number = state.removalCount
            state.removalCount += 1
            state.removals[number] = Task {
                for name in names { try? await self.remote.remove(name) }
                self.state.withLock { $0.removals[number] = nil }
            }
        }
    }

    /// The facts about the host; queried if they are unknown, over the connection of the caller's printer. Nil if the
    /// host does not run our scripts.
    func loadFacts(over remote: any RemoteHost) async throws -> HostFacts? {
        if let known = facts.withLock({ $0 }) { return known }
        let result = try await remote.run(HostFacts.probe.command())
        let found = result.response.flatMap { HostFacts($0) }
        facts.withLock { $0 = found }
        return found
    }

    /// Forgets the facts: a program was missing, or behaved like another dialect's. The next call queries them again.
    func invalidateFacts() { facts.withLock { $0 = nil } }
}

/// The facts about a host that one query finds.
struct HostFacts: Hashable, Sendable {
    /// The dialect of its `lpr`; nil where that is unknown.
    var dialect: LprSettings.Dialect?
    /// The programs of `programNames` that it has.
    var programs: Set<String> = []
    /// Whether `head -c` reads no octet more than it passes on, so that a last line can follow a document.
    var hasExactHead = false

    static let programNames = ["lpr", "lpq", "lprm", "lpstat", "lpoptions", "pdftops", "psselect", "psnup"]

    /// Responds with the facts, a key and its value on each line.
    static let probe = ShellScript(
        """
        echo \(ShellScript.responseMarker);
        for program in \(programNames.joined(separator: " ")); do
        command -v "$program" >/dev/null 2>&1 && echo "program $program"; done;
        [ "$(printf "ab\\n" | { head -c 1 >/dev/null 2>&1;
        IFS= read -r rest; printf %s "$rest"; })" = b ] && echo "head exact";
        lpr -V </dev/null 2>&1 | head -n 3 | while IFS= read -r line; do echo "lpr $line"; done;
        echo end;
        """)

    /// Parses the response of `probe`; nil if it is not complete.
    init?(_ response: [Substring]) {
        guard response.contains("end") else { return nil }
        for line in response {
            let (key, value) = line.splitOnce(at: " ")
            guard let value else { continue }
            switch key {
            case "program": programs.insert(String(value))
            case "head": hasExactHead = value == "exact"
            case "lpr": dialect = dialect ?? Self.dialect(from: value)
            default: break
            }
        }
    }

    /// The dialect from the output of `lpr -V`: LPRng prints its version; the others have no such option and each says
    /// so in its own words.
    private static func dialect(from line: Substring) -> LprSettings.Dialect? {
        if line.hasPrefix("LPRng") { return .lprng }
        if line.contains("rror - unknown option") { return .cups }
        if line.hasPrefix("usage: ") || line.contains("illegal option") || line.contains("invalid option") {
            return .bsd
        }
        return nil
    }
}
