import NIOPosix
public import PrintModel
import TLS

extension IPPTransport {
    /// Nil for a printer under ipp:// that demands no TLS, and for one that is dialed. Of one under ipps:// nothing but
    /// the certificate is asked.
    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        guard !isDialed else { return nil }
        return try await call(printer) { client -> JudgedIdentity? in
            if printer.url.scheme == .ipp, try await !self.demandsTLS(client) { return nil }
            do {
                return try await client.link.shownIdentity()
            } catch {
                throw TransportError(
                    client.link.security.explained(HTTPFailure(connecting: error)), operation: "connect",
                    printer: printer.url)
            }
        }
    }

    /// Asks a printer under a plain URL what it is, without a login, and sees whether it wants TLS for that.
    private func demandsTLS(_ client: IPPClient) async throws(TransportError) -> Bool {
        if client.link.security.isDemandedByTrust { return true }
        do throws(TransportError) {
            _ = try await learn(client, carryingLogin: false)
        } catch {
            if client.link.security.isUpgradeDemanded { return true }
            // It wants a login in clear, so no TLS.
            if error.underlying == .httpStatus(401) { return false }
            throw error
        }
        return client.link.security.isUpgradeDemanded
    }
}

extension PrinterLink {
    /// What the printer shows in one handshake, and what its trust makes of it. Our own certificate is not shown.
    fileprivate func shownIdentity() async throws -> JudgedIdentity? {
        let (terms, unusable) = try await judge()
        let security = target.url.scheme == .ipps ? Connector.Security.tls(terms) : .upgrade(terms)
        do {
            let connection = try await wait(
                for: connector.connect(to: target.url, security: security, idleLimit: idleLimit)
            ) { $0.close() }
            connection.close()
            return connection.certificate.map { JudgedIdentity(.certificate($0)) }
        } catch let error as TLSError {
            guard let certificate = error.certificate else { throw error }
            // It wants to know who we are, and says so behind its own certificate, which held.
            guard error.code != .clientRefused else { return JudgedIdentity(.certificate(certificate)) }
            var refusal = refusal(unusable ?? error)
            refusal.identity = .certificate(certificate)
            return JudgedIdentity(.certificate(certificate), refusal: refusal)
        }
    }

    /// What judges. Where the CA file cannot be used nobody is trusted, so that what is shown is seen still.
    private func judge() async throws -> (Connector.TLSTerms, unusable: TLSError?) {
        let trust = target.trust
        return try await connector.threadPool.runIfActive {
            do {
                return (
                    Connector.TLSTerms(context: try TLSContext(TLSClientConfiguration(trust: trust)), sessions: nil),
                    nil
                )
            } catch let error as TLSError where error.code == .unusableTrust {
                return (
                    Connector.TLSTerms(context: try TLSContext(TLSClientConfiguration(trust: .ask)), sessions: nil),
                    error
                )
            }
        }
    }

    private func refusal(_ error: TLSError) -> TransportError {
        TransportError(HTTPFailure(connecting: error), operation: "TLS handshake", printer: target.url)
    }
}
