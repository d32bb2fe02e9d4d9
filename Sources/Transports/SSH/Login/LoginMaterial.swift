internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import PrintModel

/// A login as the handshake needs it: the key file read.
struct LoginMaterial: Sendable {
    var key: KeyFile?
    var passphrase: String?
    var agentSocket: String?
    var password: String?

    /// Reads what stands in files, away from the event loop.
    static func load(
        _ login: SSHLogin, threadPool: NIOThreadPool, eventLoop: any EventLoop
    ) -> EventLoopFuture<LoginMaterial> {
        guard !login.isEmpty else {
            return eventLoop.makeFailedFuture(
                SSHError(.loginMissing, operation: "log in", reason: "neither a key, an agent nor a password is saved"))
        }
        let material = LoginMaterial(
            passphrase: login.privateKey?.passphrase?.reveal(), agentSocket: login.agentSocket,
            password: login.password?.reveal())
        guard let path = login.privateKey?.path else { return eventLoop.makeSucceededFuture(material) }
        return threadPool.runIfActive(eventLoop: eventLoop) {
            var material = material
            material.key = try KeyFile(path: path)
            return material
        }
    }
}
