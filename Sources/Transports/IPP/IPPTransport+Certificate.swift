public import PrintModel
import TLS

extension IPPTransport {
    /// Nil for a printer under ipp:// that demands no TLS. Of one under ipps:// nothing but the certificate is asked.
    public func certificate(of printer: PrinterTarget) async throws -> Certificate? {
        try await call(printer) { client in
            if printer.url.scheme == .ipp, try await !self.demandsTLS(client) { return nil }
            do {
                return try await client.link.certificate()
            } catch {
                throw TransportError(client.link.security.explained(HTTPFailure(connecting: error)), operation: "connect", printer: printer.url)
            }
        }
    }

    /// Asks a printer under a plain URL what it is, and sees whether it wants TLS for that.
    private func demandsTLS(_ client: IPPClient) async throws(TransportError) -> Bool {
        if client.link.security.isDemandedByTrust { return true }
        do throws(TransportError) {
            _ = try await learn(client)
        } catch {
            if client.link.security.isUpgradeDemanded { return true }
            throw error
        }
        return client.link.security.isUpgradeDemanded
    }
}

extension PrinterLink {
    /// The certificate that the printer shows to a client that trusts nobody, and so hears no more of it.
    fileprivate func certificate() async throws -> Certificate? {
        let context = try TLSContext(TLSClientConfiguration(trust: .ask))
        let terms = Connector.TLSTerms(context: context, sessions: nil)
        let security = target.url.scheme == .ipps ? Connector.Security.tls(terms) : .upgrade(terms)
        do {
            let connection = try await wait(
                for: connector.connect(to: target.url, security: security, idleLimit: idleLimit)
            ) { $0.close() }
            connection.close()
            return nil
        } catch let error as TLSError where error.code == .notAccepted && error.certificate != nil {
            return error.certificate
        }
    }
}
