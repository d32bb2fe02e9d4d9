public import KioskPrintModel
import KioskTLS
import NIOPosix

extension IPPTransport {
    /// The certificate that the printer shows, judged by its trust. Nil for a printer under ipp:// that demands no TLS,
    /// and for a dialed one. A printer under ipps:// gets no request, only a handshake.
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

    /// Whether a printer under a plain URL demands TLS for Get-Printer-Attributes without a login.
    private func demandsTLS(_ client: IPPClient) async throws(TransportError) -> Bool {
        if client.link.security.isDemandedByTrust { return true }
        do throws(TransportError) {
            _ = try await learn(client, carryingLogin: false)
        } catch {
            if client.link.security.isUpgradeDemanded { return true }
            // It demands a login in clear, so no TLS.
            if error.underlying == .httpStatus(401) { return false }
            throw error
        }
        return client.link.security.isUpgradeDemanded
    }
}

extension PrinterLink {
    /// Judges the certificate that the printer shows in one handshake. Our own certificate is not sent.
    fileprivate func shownIdentity() async throws -> JudgedIdentity? {
        let (terms, unusable) = try await judge()
        let security = target.url.scheme == .ipps ? Connector.Security.tls(terms) : .upgrade(terms)
        do {
            let connection = try await wait(
                for: connector.connect(to: target.url, security: security, idleTimeout: idleTimeout)
            ) { $0.close() }
            connection.close()
            return connection.certificate.map { JudgedIdentity(.certificate($0)) }
        } catch let error as TLSError {
            guard let certificate = error.certificate else { throw error }
            // It demands a client certificate, after its own certificate was accepted.
            guard error.code != .clientRefused else { return JudgedIdentity(.certificate(certificate)) }
            var refusal = refusal(unusable ?? error)
            refusal.identity = .certificate(certificate)
            return JudgedIdentity(.certificate(certificate), refusal: refusal)
        }
    }

    /// Makes the TLS parameters that judge. Where the CA file cannot be used nobody is trusted, so that the certificate
    /// is still seen.
    private func judge() async throws -> (Connector.TLSParameters, unusable: TLSError?) {
        let trust = target.trust
        return try await connector.threadPool.runIfActive {
            do {
                return (
                    Connector.TLSParameters(
                        context: try TLSContext(TLSClientConfiguration(trust: trust)), sessions: nil),
                    nil
                )
            } catch let error as TLSError where error.code == .unusableTrust {
                return (
                    Connector.TLSParameters(
                        context: try TLSContext(TLSClientConfiguration(trust: .ask)), sessions: nil),
                    error
                )
            }
        }
    }

    private func refusal(_ error: TLSError) -> TransportError {
        TransportError(HTTPFailure(connecting: error), operation: "TLS handshake", printer: target.url)
    }
}
