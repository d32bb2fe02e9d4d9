/// The certificate that a printer showed, and what the handshake in which it did made of it.
public struct ShownCertificate: Hashable, Sendable {
    public var certificate: Certificate
    /// Why the printer's `trust` refuses it; nil where it holds, and under `none`, where nobody looks.
    public var refusal: TransportError?

    public init(_ certificate: Certificate, refusal: TransportError? = nil) {
        self.certificate = certificate
        self.refusal = refusal
    }
}
