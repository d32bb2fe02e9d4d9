/// What a printer showed, and what the handshake in which it did made of it.
public struct JudgedIdentity: Hashable, Sendable {
    public var identity: ShownIdentity
    /// Why the printer's `trust` refuses it; nil where it holds, and under `none`, where nobody looks.
    public var refusal: TransportError?

    public init(_ identity: ShownIdentity, refusal: TransportError? = nil) {
        self.identity = identity
        self.refusal = refusal
    }
}
