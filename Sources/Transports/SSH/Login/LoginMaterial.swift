import NIOCore
import NIOPosix
import PrintModel

/// A login as the server's answers need it: the key file read.
struct LoginMaterial: Sendable {
    struct Key: Sendable {
        let path: String
        let octets: [UInt8]
        let file: PrivateKeyFile

        var isRSA: Bool { file.algorithm == "ssh-rsa" }
    }

    var key: Key?
    /// Why the key's file cannot be used, though there is something else to try.
    var keyFailure: SSHError?
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
            do throws(SSHError) {
                let (file, octets) = try PrivateKeyFile.open(path, hasPassphrase: material.passphrase != nil)
                material.key = Key(path: path, octets: octets, file: file)
            } catch {
                if material.agentSocket == nil, material.password == nil { throw error }
                material.keyFailure = error
            }
            return material
        }
    }
}
