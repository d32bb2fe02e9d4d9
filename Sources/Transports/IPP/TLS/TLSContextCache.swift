import Glibc
import KioskPrintModel
import KioskTLS
import NIOCore
import NIOPosix
import Synchronization

/// The TLS context and sessions of one printer, for `TLSPolicy`. Rebuilt when the client certificate or a
/// certificate, key or CA file changes; hourly with the system's CA store.
final class TLSContextCache: Sendable {
    /// The inputs of a context.
    private struct Inputs: Hashable {
        var certificate: Credentials.ClientCertificate?
        var files: [FileVersion]
        /// Hours since the machine started; nil where the system's CA store is not used. It limits to an hour how long
        /// a CA is trusted that was removed from the store.
        var hour: UInt64?
    }

    private struct State {
        var cached: (inputs: Inputs, context: TLSContext)?
        var identity: String?
    }

    private let sessions = TLSSessionCache()
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

    /// The parameters for one connection. Checking the files takes a thread: with `allowsUnchecked`, the cached context
    /// is returned at once, and the check goes on while the connection is made. A context that shows a client
    /// certificate is always checked first.
    func parameters(on eventLoop: any EventLoop, allowsUnchecked: Bool) async throws -> Connector.TLSParameters {
        let certificate = try await clientCertificate()
        var paths = [certificate?.path, certificate?.keyPath].compactMap(\.self)
        if case .caFile(let path) = target.trust { paths.append(path) }
        let cached = state.withLock { $0.cached }
        if paths.isEmpty, let cached, cached.inputs == inputs(nil, []) {
            return Connector.TLSParameters(context: cached.context, sessions: sessions)
        }
        let current = threadPool.runIfActive(eventLoop: eventLoop) { [paths] in try self.context(certificate, paths) }
        guard allowsUnchecked, certificate == nil, let cached, cached.inputs.certificate == nil else {
            return Connector.TLSParameters(context: try await current.get(), sessions: sessions)
        }
        return Connector.TLSParameters(
            context: cached.context, sessions: sessions, isCurrent: current.map { $0 === cached.context })
    }

    private func clientCertificate() async throws -> Credentials.ClientCertificate? {
        guard let name = target.credentials, let credentials else { return nil }
        return try await LoginSession.read(credentials, name).clientCertificate
    }

    private func inputs(_ certificate: Credentials.ClientCertificate?, _ paths: [String]) -> Inputs {
        Inputs(
            certificate: certificate, files: paths.map(FileVersion.init),
            hour: target.trust == .system ? NIODeadline.now().uptimeNanoseconds / 3_600_000_000_000 : nil
        )
    }

    /// Reads files: thread pool only.
    private func context(_ certificate: Credentials.ClientCertificate?, _ paths: [String]) throws -> TLSContext {
        let inputs = inputs(certificate, paths)
        if let cached = state.withLock({ $0.cached }), cached.inputs == inputs { return cached.context }
        let identity = try certificate.map { try TLSIdentity.load($0) }
        let context = try TLSContext(TLSClientConfiguration(trust: target.trust, identity: identity))
        state.withLock { state in
            state.cached = (inputs, context)
            state.identity = identity == nil ? nil : target.credentials
        }
        return context
    }
}

/// The numbers by which a change of a file shows: its device, inode, size and times.
private struct FileVersion: Hashable {
    /// Empty for a file that is not there.
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
