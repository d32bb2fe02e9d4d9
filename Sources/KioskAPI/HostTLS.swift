import KioskAPIMessages
import KioskTLS
import NIOCore
import NIOPosix
import Synchronization

/// TLS with one host: what its connections share.
final class HostTLS: Sendable {
    private let host: RemoteHost
    private let sessions = TLSSessionCache()
    private let context = Mutex<TLSContext?>(nil)

    init(_ host: RemoteHost) { self.host = host }

    /// The context of OpenSSL. Making one reads files, so that happens on a thread that may block.
    func prepared() async throws -> TLSContext {
        if let made = context.withLock(\.self) { return made }
        let trust = host.fingerprint.map { Trust.pinned([$0]) } ?? .system
        do {
            let made = try await NIOThreadPool.singleton.runIfActive {
                try TLSContext(TLSClientConfiguration(trust: trust))
            }
            context.withLock { $0 = made }
            return made
        } catch let error as TLSError {
            throw KioskClientError.withoutTLS(error.reason, host)
        }
    }

    /// Adds TLS to a new connection, on its event loop. Returns the end of the handshake.
    func start(
        on channel: any Channel, _ context: TLSContext, timeout: TimeAmount
    ) throws -> EventLoopFuture<Void> {
        do {
            let handler = try TLSHandler(
                client: context, host: host.name, sessions: sessions, handshakeTimeout: timeout)
            try channel.pipeline.syncOperations.addHandler(handler)
            return handler.handshake(on: channel.eventLoop).map { _ in }
        } catch let error as TLSError {
            throw KioskClientError.tlsFailed(error.reason, host)
        }
    }

    /// The client's error for a handshake that failed.
    func error(_ error: any Error) -> KioskClientError {
        guard let error = error as? TLSError else { return .tlsFailed("the connection broke", host) }
        guard let shown = error.certificate else { return .tlsFailed(error.reason, host) }
        switch error.code {
        case .untrusted: return .untrusted(error.reason, key: shown.keyFingerprint, host)
        case .changed: return .changed(key: shown.keyFingerprint, certificate: shown.fingerprint, host)
        default: return .tlsFailed(error.reason, host)
        }
    }
}
