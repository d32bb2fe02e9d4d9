import Glibc
import KioskPrintModel
import KioskSSH
import Logging
import NIOCore

/// A factory of connections: looks up a printer's endpoint, trust and login.
struct HostConnector: Sendable {
    let credentials: (any CredentialSource)?
    let hostKeys: HostKeyTrust
    let deadlines: SSHDeadlines
    let group: any EventLoopGroup
    let trace: WireTrace
    let logger: Logger

    /// Makes a host that connects at its first call, and again after a failure. Trust and login are looked up each
    /// time. `printers`: those that share it.
    func host(of printer: PrinterTarget, shared printers: HostPrinters) -> PrintHost {
        let host = SSHHost(
            endpoint(of: printer), policy: { () async throws(SSHError) in try await policy(of: printer) },
            login: { () async throws(SSHError) in try await login(at: printer) }, deadlines: deadlines,
            eventLoop: group.next(), trace: ConnectionTrace(trace) { printers.urls }, logger: logger
        )
        return PrintHost(host) { await host.close() }
    }

    /// The host key that the host shows, and the verdict of the printer's trust. Does not log in.
    func identity(of printer: PrinterTarget) async throws(SSHError) -> SSHHost.ShownHostKey {
        // If the trust cannot be used, the shown key is still returned, as refused.
        var unusable: SSHError?
        var policy = HostKeyPolicy { _, _ throws(SSHError) in }
        do throws(SSHError) { policy = try await self.policy(of: printer) } catch { unusable = error }
        var shown = try await SSHHost.hostKey(
            of: endpoint(of: printer), policy: policy, deadlines: deadlines, eventLoop: group.next(),
            trace: ConnectionTrace(trace) { Set([printer.url]) })
        shown.refusal = unusable ?? shown.refusal
        return shown
    }

    private func endpoint(of printer: PrinterTarget) -> SSHEndpoint {
        SSHEndpoint(
            host: printer.url.resolvableHost, port: printer.url.effectivePort ?? 22, user: printer.url.user ?? "")
    }

    private func policy(of printer: PrinterTarget) async throws(SSHError) -> HostKeyPolicy {
        try await hostKeys.policy(for: printer.trust, host: printer.url.host, port: printer.url.effectivePort ?? 22)
    }

    private func login(at printer: PrinterTarget) async throws(SSHError) -> SSHLogin {
        guard let name = printer.credentials else {
            throw SSHError(.loginMissing, operation: "log in", reason: "no credentials are named")
        }
        guard let credentials else {
            throw SSHError(
                .credentialsUnusable, operation: "log in",
                reason: "the credentials \"\(name)\" are kept nowhere; name a secrets file")
        }
        do {
            let found = try await credentials.credentials(named: name)
            try found.check(named: name, for: printer.url)
            return try SSHLogin(found)
        } catch let error as CredentialError {
            throw SSHError(.credentialsUnusable, operation: "log in", reason: error.message)
        } catch let error as SSHError {
            throw error
        } catch {
            throw SSHError(.cancelled, operation: "log in", reason: "cancelled")
        }
    }
}

extension SSHLogin {
    fileprivate init(_ credentials: Credentials) throws(SSHError) {
        self.init(
            privateKey: credentials.privateKey.map { PrivateKey(path: $0.path, passphrase: $0.passphrase) },
            agentSocket: try credentials.agent?.socket(), password: credentials.password
        )
    }
}

extension Credentials.Agent {
    fileprivate func socket() throws(SSHError) -> String {
        switch self {
        case .socket(let path): return path
        case .environment:
            guard let path = getenv("SSH_AUTH_SOCK") else {
                throw SSHError(
                    .credentialsUnusable, operation: "log in",
                    reason:
                        "SSH_AUTH_SOCK, which names the ssh-agent's socket, is not set for this process; set it, or "
                        + "name the socket in the secrets file"
                )
            }
            return String(cString: path)
        }
    }
}
