import CKioskLibSSH2
import NIOCore

/// A login with the keys of an ssh-agent, one after the other. libssh2 requests a signature only when the server
/// accepts the key, and requests it again until the agent has made it, so the event loop never waits for the agent.
final class AgentLogin {
    private enum Phase {
        case listing
        case trying(key: AgentClient.Key)
        case failed(SSHError)
    }

    /// OpenSSH disconnects after six attempts (`MaxAuthTries`), and a password may still have to follow.
    private static let maximumKeys = 4

    private let user: String
    private let client: AgentClient
    private weak var connection: SSHHandler?
    private var phase = Phase.listing
    private var rest: [AgentClient.Key] = []
    private var signature: SessionCallbacks.Signature?
    private(set) var isAllRSA = false

    init(user: String, socket: String, connection: SSHHandler, eventLoop: any EventLoop) {
        self.user = user
        self.connection = connection
        client = AgentClient(socket: socket, eventLoop: eventLoop)
        client.keys().whenComplete { [weak self] in self?.useKeys($0) }
    }

    func close() { client.close() }

    private func useKeys(_ result: Result<[AgentClient.Key], SSHError>) {
        switch result {
        case .success(let keys):
            // RSA comes last: it works with old servers only.
            rest = Array((keys.filter { !$0.isRSA } + keys.filter(\.isRSA)).prefix(Self.maximumKeys))
            isAllRSA = !rest.isEmpty && rest.allSatisfy(\.isRSA)
            phase =
                rest.isEmpty
                ? .failed(AgentClient.unusable("it holds no key that can be used here"))
                : .trying(key: rest.removeFirst())
        case .failure(let error): phase = .failed(error)
        }
        connection?.pump()
    }

    /// Returns libssh2's code: 0, "again", or that the server accepts none of the keys.
    func step(_ session: SSHSession) throws(SSHError) -> Int32 {
        while true {
            switch phase {
            case .failed(let error): throw error
            case .listing: return LIBSSH2_ERROR_EAGAIN
            case .trying(let key):
                let result = attempt(key, session)
                if result == 0 || result == LIBSSH2_ERROR_EAGAIN || session.callbacks.disconnectMessage != nil
                    || rest.isEmpty
                {
                    return result
                }
                signature = nil
                phase = .trying(key: rest.removeFirst())
            }
        }
    }

    private func attempt(_ key: AgentClient.Key, _ session: SSHSession) -> Int32 {
        session.callbacks.sign = { [weak self] octets in self?.sign(key, octets) ?? .refused }
        var context: UnsafeMutableRawPointer? = Unmanaged.passUnretained(session.callbacks).toOpaque()
        return key.blob.withUnsafeBufferPointer { blob in
            libssh2_userauth_publickey(
                session.pointer, user, blob.baseAddress, blob.count,
                { _, signature, count, octets, length, context in
                    SessionCallbacks.attached(to: context)?.sign(
                        UnsafeRawBufferPointer(start: octets, count: octets == nil ? 0 : length), into: signature, count
                    ) ?? -1
                }, &context)
        }
    }

    private func sign(_ key: AgentClient.Key, _ octets: UnsafeRawBufferPointer) -> SessionCallbacks.Signature {
        if let signature { return signature }
        signature = .pending
        client.sign(Array(octets), with: key).whenComplete { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let octets): signature = .made(octets)
            case .failure: signature = .refused
            }
            connection?.pump()
        }
        return .pending
    }
}

extension SessionCallbacks {
    /// Gives libssh2 a signature, or makes it ask again.
    fileprivate func sign(
        _ octets: UnsafeRawBufferPointer, into signature: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
        _ count: UnsafeMutablePointer<Int>?
    ) -> Int32 {
        guard let sign, let signature, let count else { return -1 }
        switch sign(octets) {
        case .pending: return LIBSSH2_ERROR_EAGAIN
        case .refused: return -1
        case .made(let made):
            // libssh2 frees it.
            guard let space = memory.allocate(made.count) else { return LIBSSH2_ERROR_ALLOC }
            space.copyMemory(from: made, byteCount: made.count)
            signature.pointee = space.assumingMemoryBound(to: UInt8.self)
            count.pointee = made.count
            return 0
        }
    }
}
