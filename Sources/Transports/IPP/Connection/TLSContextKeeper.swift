import Glibc
import NIOCore
import NIOPosix
import PrintModel
import Synchronization
import TLS

/// Keeps one printer's TLS context, and makes it anew when a file that it was made from has changed.
final class TLSContextKeeper: Sendable {
    /// What a context was made from.
    private struct Stamp: Hashable {
        var certificate: Credentials.ClientCertificate?
        var files: [FileStamp]
        /// Since the machine began; nil where no system's CA store counts. So that a CA that was taken out of it is
        /// trusted for an hour at most.
        var hour: UInt64?
    }

    private struct State {
        var made: (stamp: Stamp, context: TLSContext)?
        var identity: String?
    }

    let sessions = TLSSessionCache()
    private let target: PrinterTarget
    private let credentials: (any CredentialSource)?
    private let threadPool: NIOThreadPool
    private let state = Mutex(State())

    init(_ target: PrinterTarget, credentials: (any CredentialSource)?, threadPool: NIOThreadPool) {
        self.target = target
        self.credentials = credentials
        self.threadPool = threadPool
    }

    /// The name of the credentials whose client certificate the newest context shows.
    var identity: String? { state.withLock { $0.identity } }

    /// For one connection. Looking at files takes a thread: with `mayGuess`, the context that was made last is given at
    /// once, and whether it still holds is told while the connection is made. Never where a certificate of ours is
    /// shown.
    func terms(on eventLoop: any EventLoop, mayGuess: Bool) async throws -> Connector.TLSTerms {
        let certificate = try await clientCertificate()
        var paths = [certificate?.path, certificate?.keyPath].compactMap(\.self)
        if case .caFile(let path) = target.trust { paths.append(path) }
        let made = state.withLock { $0.made }
        if paths.isEmpty, let made, made.stamp == stamp(nil, []) {
            return Connector.TLSTerms(context: made.context, sessions: sessions)
        }
        let current = threadPool.runIfActive(eventLoop: eventLoop) { [paths] in try self.context(certificate, paths) }
        guard mayGuess, certificate == nil, let made, made.stamp.certificate == nil else {
            return Connector.TLSTerms(context: try await current.get(), sessions: sessions)
        }
        return Connector.TLSTerms(
            context: made.context, sessions: sessions, isCurrent: current.map { $0 === made.context })
    }

    private func clientCertificate() async throws -> Credentials.ClientCertificate? {
        guard let name = target.credentials, let credentials else { return nil }
        return try await PrinterLink.read(credentials, name).clientCertificate
    }

    private func stamp(_ certificate: Credentials.ClientCertificate?, _ paths: [String]) -> Stamp {
        Stamp(
            certificate: certificate, files: paths.map(FileStamp.init),
            hour: target.trust == .system ? NIODeadline.now().uptimeNanoseconds / 3_600_000_000_000 : nil
        )
    }

    /// Reads files: thread pool only.
    private func context(_ certificate: Credentials.ClientCertificate?, _ paths: [String]) throws -> TLSContext {
        let stamp = stamp(certificate, paths)
        if let made = state.withLock({ $0.made }), made.stamp == stamp { return made.context }
        let identity = try certificate.map { try TLSIdentity.load($0) }
        let context = try TLSContext(TLSClientConfiguration(trust: target.trust, identity: identity))
        state.withLock { state in
            state.made = (stamp, context)
            state.identity = identity == nil ? nil : target.credentials
        }
        return context
    }
}

/// By what a file that changed is known.
private struct FileStamp: Hashable {
    private var numbers: [Int]

    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            numbers = []
            return
        }
        numbers = [
            Int(status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}
