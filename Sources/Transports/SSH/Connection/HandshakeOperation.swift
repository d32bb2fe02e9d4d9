import NIOCore

/// The key exchange, until the host key is known.
final class HandshakeOperation: SSHOperation {
    let name = "handshake"
    private let promise: EventLoopPromise<[UInt8]>
    private(set) var isOver = false

    init(promise: EventLoopPromise<[UInt8]>) { self.promise = promise }

    func step(on connection: SSHHandler) throws(SSHError) -> Bool {
        guard try connection.session.handshake() else { return false }
        guard let key = connection.session.hostKey else {
            throw SSHError(.protocolViolation, operation: name, reason: "it shows no host key")
        }
        isOver = true
        promise.succeed(key)
        return true
    }

    func connectionEnded(_ error: SSHError) {
        isOver = true
        promise.fail(error)
    }
}
