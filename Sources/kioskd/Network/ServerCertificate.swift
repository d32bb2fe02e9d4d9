import KioskAPI
import KioskDurableFiles
import KioskPrintModel
import KioskTLS
import Logging
import Synchronization

/// The certificate of the TCP door, and the TLS context of new connections: one that is given, or one of our own that
/// is made and renewed.
///
/// `refresh` reads and writes files, and blocks; the rest only looks at what it found. Connections keep the context
/// that they began with.
final class ServerCertificate: Sendable {
    enum Source: Hashable, Sendable {
        /// The administrator's files; they are read again when they change.
        case given(certificate: String, key: String?)
        /// Files in this folder. The key is kept when the certificate is renewed, so that pins stay good.
        case own(folder: String, names: [String])
    }

    private struct State {
        var context: TLSContext?
        var certificate: Certificate?
        /// Why the files of the last look could not be used.
        var failure: String?
    }

    let source: Source
    private let logger: Logger
    private let state = Mutex(State())

    private static let validDays = 825
    private static let day: Int64 = 86_400_000
    /// Our own certificate is renewed when it ends within this many days.
    private static let renewalDays: Int64 = 30
    /// Health warns when a given certificate ends within this many days.
    static let warningDays: Int64 = 21
    /// Bytes of our own certificate, and of its key.
    static let maximumLength = 64 << 10

    init(_ source: Source, logger: Logger) {
        self.source = source
        self.logger = logger
    }

    /// The context for a new connection; nil while there is no usable certificate.
    var context: TLSContext? { state.withLock(\.context) }
    var certificate: Certificate? { state.withLock(\.certificate) }

    /// Whether the daemon made the certificate.
    var isOwn: Bool { if case .own = source { true } else { false } }

    /// Reads, makes or renews the certificate where that is due. Blocks. What fails is logged, shows in health, and is
    /// tried again with the next call; the last good certificate stays in use.
    func refresh(at now: Timestamp = .now) {
        do {
            switch source {
            case .given(let certificate, let key): try refreshGiven(certificate, key)
            case .own(let folder, let names): try refreshOwn(in: folder, names, at: now)
            }
            state.withLock { $0.failure = nil }
        } catch {
            let text = "\(error)"
            let isNew = state.withLock { state in
                defer { state.failure = text }
                return state.failure != text
            }
            if isNew { logger.error("the server's certificate cannot be used: \(text)") }
        }
    }

    /// Takes the own files anew, which somebody has replaced. Blocks.
    func reload(at now: Timestamp = .now) {
        if case .own(let folder, _) = source,
            let identity = try? TLSIdentity.load(
                .init(path: "\(folder)/certificate.pem", keyPath: "\(folder)/key.pem"), ignoringDates: true),
            Self.days(of: identity.certificate, at: now) >= Self.renewalDays, (try? use(identity)) != nil
        {
            return
        }
        state.withLock { ($0.context, $0.certificate) = (nil, nil) }
        refresh(at: now)
    }

    /// Throws where given files cannot be used by now: they cannot be read, do not belong together, or the certificate
    /// has ended. Blocks.
    static func check(_ source: Source) throws(TLSError) {
        guard case .given(let path, let keyPath) = source else { return }
        _ = try TLSIdentity.load(.init(path: path, keyPath: keyPath))
    }

    private func refreshGiven(_ path: String, _ keyPath: String?) throws {
        // An expired one is served all the same: its clients say so, and health does.
        let identity = try TLSIdentity.load(.init(path: path, keyPath: keyPath), ignoringDates: true)
        // A new context would make clients repeat the full handshake.
        if context == nil || identity.certificate.fingerprint != certificate?.fingerprint { try use(identity) }
    }

    private func refreshOwn(in folder: String, _ names: [String], at now: Timestamp) throws {
        if let certificate, Self.days(of: certificate, at: now) >= Self.renewalDays { return }
        let (path, keyPath) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
        if let identity = try? TLSIdentity.load(.init(path: path, keyPath: keyPath), ignoringDates: true),
            Self.days(of: identity.certificate, at: now) >= Self.renewalDays
        {
            return try use(identity)
        }
        try Folder.create(folder)
        let content = SelfSignedCertificate.Content(
            names: names, organization: "kioskd", validDays: Self.validDays)
        let key = try? AtomicFile.read(keyPath, limit: Self.maximumLength)
        let new: SelfSignedCertificate
        do {
            new = try SelfSignedCertificate(content, keyPEM: key)
        } catch {
            guard key != nil else { throw error }
            logger.warning(
                "\(keyPath) holds no usable key (\(error.reason)): a new one is made; clients must trust it anew")
            new = try SelfSignedCertificate(content)
        }
        // The key first: after a crash between the two, the next start makes a certificate for it.
        if new.keyPEM != key { try AtomicFile.replace(keyPath, with: new.keyPEM, permissions: 0o600) }
        try AtomicFile.replace(path, with: new.certificatePEM, permissions: 0o600)
        try use(TLSIdentity.load(.init(path: path, keyPath: keyPath)))
        if let certificate {
            logger.notice("made the server's certificate \(path), good until \(certificate.notAfter)")
        }
    }

    private func use(_ identity: TLSIdentity) throws {
        let context = try TLSContext(TLSServerConfiguration(identity: identity))
        state.withLock { ($0.context, $0.certificate) = (context, identity.certificate) }
        logger.info("the server's certificate: \(identity.certificate.keyFingerprint) (key)")
    }

    /// Whole days until a certificate ends; negative once it has ended.
    private static func days(of certificate: Certificate, at now: Timestamp) -> Int64 {
        let (rest, overflow) = certificate.notAfter.millisecondsSince1970.subtractingReportingOverflow(
            now.millisecondsSince1970)
        guard !overflow else { return certificate.notAfter > now ? .max : .min }
        return rest >= 0 ? rest / day : -1
    }

    /// The findings for the health report.
    func checks(at now: Timestamp = .now, warningDays: Int64 = ServerCertificate.warningDays) -> [HealthReport.Check] {
        let (certificate, failure) = state.withLock { ($0.certificate, $0.failure) }
        var checks: [HealthReport.Check] = []
        if let failure {
            checks.append(
                .init(
                    code: "server-certificate-refused", status: .warning,
                    message: "the server's certificate cannot be used: \(failure)"))
        }
        guard let certificate else { return checks }
        let days = Self.days(of: certificate, at: now)
        if days < 0 {
            checks.append(
                .init(
                    code: "server-certificate-expired", status: .critical,
                    message: "the server's certificate ended on \(certificate.notAfter); \(remedy)"))
        } else if days < warningDays {
            checks.append(
                .init(
                    code: "server-certificate-expires", status: .warning,
                    message:
                        "the server's certificate ends in \(days) days, on \(certificate.notAfter); \(remedy)"))
        }
        return checks
    }

    private var remedy: String {
        switch source {
        case .given(let path, _): "put a new one into \(path)"
        case .own(let folder, _): "look at the log for why \(folder) cannot be renewed"
        }
    }
}
