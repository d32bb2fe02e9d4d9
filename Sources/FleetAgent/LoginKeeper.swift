import Glibc
import KioskAsyncPrimitives
import KioskDurableFiles
import KioskFleet
import KioskPrintModel
import Logging
import Synchronization

/// Keeps a kiosk's login from ending: takes the token that its office has signed anew from the hub into the kiosk's
/// file of credentials, which the link reads at its next connection.
package final class LoginKeeper: Sendable {
    private let path: String
    private let contact: FleetContact
    private let interval: Duration
    /// Held while the file is looked at or replaced, so that the end that health shows is the file's.
    private let file = Mutex(())
    /// What was logged last, so that it is logged once.
    private let told = Mutex<String?>(nil)

    /// `path`: the file of credentials. The hub is asked each one to two of `interval`, and on each connection.
    package init(_ path: String, _ contact: FleetContact, each interval: Duration = .seconds(3600)) {
        (self.path, self.contact, self.interval) = (path, contact, interval)
    }

    // MARK: The hub

    /// Asks the hub for a new token until the connection breaks, which is thrown, or the task is cancelled.
    func run(for site: SiteName, at jetStream: JetStream, _ logger: Logger) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await jetStream.link.waitForDisconnection()
                throw FleetError(.notConnected, "the connection to the hub has broken; it is tried again by itself")
            }
            group.addTask { [self] in
                // A hub without the bucket, or that refuses it, is not asked all the time.
                var pause = Backoff(upTo: interval)
                while true {
                    do {
                        try await renew(for: site, at: jetStream, logger)
                        pause.reset()
                        try await Task.sleep(for: interval * Double.random(in: 1...2))
                    } catch is CancellationError {
                        throw CancellationError()
                    } catch let error as FleetError where error.code == .notConnected {
                        throw error
                    } catch {
                        tell("the kiosk cannot look for a new login at the hub: \(error)", logger)
                        try await pause.wait()
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func renew(for site: SiteName, at jetStream: JetStream, _ logger: Logger) async throws {
        let key = try await onThread { try self.read().token.publicKey }
        let message = try await jetStream.lastMessage(of: .token(site, key), in: HubLayout.tokens)
        var outcome = Outcome.unchanged
        if let message, !message.isDeletion { outcome = try await onThread { try self.take(message.body) } }
        var problem: String?
        switch outcome {
        case .unchanged: told.withLock { $0 = nil }
        case .renewed(let end):
            told.withLock { $0 = nil }
            logger.notice("the office has renewed the kiosk's login at the hub: it ends \(Self.text(ofEnd: end))")
        case .refused(let error):
            tell("the token that the hub has for this kiosk \(error); the kiosk keeps its own", logger)
        case .notWritten(let error):
            problem = "\(error)"
            tell("the office has renewed the kiosk's login, and the new one is not taken: \(error)", logger)
        }
        contact.setLoginProblem(problem)
    }

    private static func text(ofEnd end: Int64?) -> String {
        guard let end else { return "never" }
        return "on \(Timestamp(millisecondsSince1970: 0).advanced(bySeconds: Int(end)))"
    }

    private func tell(_ problem: String, _ logger: Logger) {
        let isNew = told.withLock { told in
            defer { told = problem }
            return told != problem
        }
        if isNew { logger.warning("\(problem)") }
    }

    // MARK: The file

    /// What became of a token that the hub has.
    private enum Outcome {
        /// The file has it already, or there is none.
        case unchanged
        /// The file has it now. `end` is in seconds since 1970; nil: never.
        case renewed(end: Int64?)
        /// It is none for this kiosk.
        case refused(FleetError)
        /// It is one for this kiosk, which cannot write its file.
        case notWritten(any Error)
    }

    /// Takes a token that the hub has. Throws where the file cannot be read.
    private func take(_ offer: [UInt8]) throws -> Outcome {
        try file.withLock { _ in
            // Anew: an admin may have replaced it meanwhile.
            let login = try read()
            let renewed: KioskLogin?
            do throws(FleetError) {
                renewed = try login.renewed(with: offer)
            } catch {
                return .refused(error)
            }
            guard let renewed else { return .unchanged }
            do {
                try replace(with: renewed)
            } catch {
                return .notWritten(error)
            }
            contact.setLoginEnd(renewed.token.expiresAt)
            return .renewed(end: renewed.token.expiresAt)
        }
    }

    private func read() throws -> KioskLogin {
        try KioskLogin(AtomicFile.read(path, limit: CredentialsFile.maximumLength))
    }

    private func replace(with login: KioskLogin) throws {
        let text = try login.text()
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileError(operation: "look at", path: path, errno: errno) }
        // A link leads to a place that somebody else may look after.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(
                operation: "replace", path: path, errno: ELOOP,
                message: "cannot replace \(path): it is a symbolic link; name the file itself")
        }
        do throws(FileError) {
            try AtomicFile.replace(path, with: Array(text.utf8), permissions: 0o600, keepingPermissions: true)
        } catch {
            // Without the name of the temporary file, which is another one at each try.
            throw FileError(operation: "replace", path: path, errno: error.errno)
        }
    }

    /// Reads again and again when the login ends, for the kiosk's health: an admin may replace the file too. Ends only
    /// with its task.
    package func watchEnd() async throws {
        while true {
            _ = await WorkerThread.run("fleet-login") { self.noteEnd() }
            try await Task.sleep(for: interval)
        }
    }

    private func noteEnd() {
        file.withLock { _ in
            // Whether the file is any good libnats and the hub say.
            let content = try? AtomicFile.read(path, limit: CredentialsFile.maximumLength)
            contact.setLoginEnd(content.flatMap { try? CredentialsFile.token(in: $0) }?.expiresAt)
        }
    }

    /// Runs what blocks.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let result = await WorkerThread.run("fleet-login") { Result(catching: body) }
        guard let result else { throw FleetError(.libraryFailed, "the system has no thread left for the login's file") }
        return try result.get()
    }
}
