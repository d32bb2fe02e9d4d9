import KioskPrintModel
import KioskSSH

extension TransportError {
    /// Explains for people why a connection, a command or an upload failed. `sent`: octets of the document, if it may
    /// print.
    init(_ error: SSHError, printer: PrinterURL, mayPrint sent: Int64 = 0) {
        let (code, explanation) = Self.explain(error, printer)
        let tail = sent > 0 ? "; the host may have the whole document, so look whether it printed" : ""
        self.init(
            code, operation: error.operationInWords, message: "\(printer): \(explanation)\(tail)", bytesAccepted: sent,
            underlying: error.native,
            identity: error.hostKey.map { .hostKey($0) }
        )
    }

    init(cancelled operation: String, printer: PrinterURL) {
        self.init(.cancelled, operation: operation, message: "\(operation) to \(printer) was cancelled")
    }

    private static func explain(_ error: SSHError, _ printer: PrinterURL) -> (Code, String) {
        let reason = error.reason.withoutControlCharacters.prefix(utf8Count: 300)
        switch error.code {
        case .hostNotFound, .connectionRefused, .unreachable, .connectionLost, .timedOut, .cancelled,
            .noCommonAlgorithm,
            .protocolViolation:
            return explainConnection(error, reason, printer)
        case .hostKeyUnknown, .hostKeyChanged, .hostKeyRevoked, .unusableTrust:
            return explainHostKey(error, reason, printer)
        case .loginMissing, .loginRefused, .credentialsUnusable: return explainLogin(error, reason, printer)
        case .channelRefused:
            return (
                .printerFailed,
                "the SSH server does not do \(error.operationInWords) (\(reason));"
                    + " check its limits (MaxSessions) and what the user may do there"
            )
        case .tooMuchOutput:
            return (.protocolViolation, "the output of the host does not end (\(reason)); try lpq there by hand")
        case .uploadRefused:
            return (
                .printerFailed,
                "the host does not store the document (\(reason)); make room there,"
                    + " and check that \(printer.user ?? "") may write in their home"
            )
        case .documentUnreadable: return (.documentUnreadable, "\(reason); send the job again")
        }
    }

    private static func explainConnection(_ error: SSHError, _ reason: String, _ printer: PrinterURL) -> (Code, String)
    {
        let otherService = "check that the URL names an SSH server and not another service"
        return switch error.code {
        case .hostNotFound:
            (
                .hostNotFound,
                "the host name \(printer.host) is not known; check the printer's URL and this computer's DNS"
            )
        case .connectionRefused:
            (
                .connectionRefused,
                "nothing answers at \(printer.authority); check that the host is on, and that its SSH server runs at "
                    + "this port"
            )
        case .unreachable:
            (.hostNotFound, "the host cannot be reached (\(reason)); check that it is on and in this network")
        case .connectionLost where error.operation == "handshake":
            (
                .connectionLost,
                "the server at \(printer.authority) closed the connection during the handshake (\(reason)); "
                    + "\(otherService),"
                    + " and that the server lets this computer in"
            )
        case .connectionLost:
            (
                .connectionLost,
                "the connection broke during \(error.operationInWords) (\(reason)); check the host and the network"
            )
        case .timedOut: (.timedOut, "\(reason); check the host, and whether \(error.operationInWords) hangs there")
        case .noCommonAlgorithm:
            (
                .noCommonAlgorithm,
                "the SSH server offers none of the algorithms that this computer's libssh2 knows (\(reason)); let it "
                    + "offer one of them, too (Ciphers, MACs, KexAlgorithms and HostKeyAlgorithms in its sshd_config), "
                    + "or update libssh2 here where the server's are newer"
            )
        case .protocolViolation:
            (
                .protocolViolation,
                "the server at \(printer.authority) does not speak valid SSH (\(reason)); \(otherService)"
            )
        default: (.cancelled, "\(error.operationInWords) was cancelled")
        }
    }

    private static func explainHostKey(_ error: SSHError, _ reason: String, _ printer: PrinterURL) -> (Code, String) {
        let trust = "`kioskctl printers trust` and the printer's id"
        return switch error.code {
        case .hostKeyChanged(let old):
            (
                .hostKeyChanged,
                "the host's SSH key has changed from \(old.map(\.description).joined(separator: " or ")) to "
                    + "\(key(of: error)),"
                    + " so nothing was sent; if it was renewed on purpose, accept the new one with \(trust),"
                    + " else find out who answers in its place"
            )
        case .hostKeyRevoked:
            (
                .hostKeyRevoked,
                "the host's SSH key (\(key(of: error))) is marked as revoked, so nothing was sent;"
                    + " find out who answers there before anything else"
            )
        case .unusableTrust:
            (
                .hostKeyUnknown,
                "\(reason), so the host's SSH key cannot be judged, and nothing was sent;"
                    + " correct the file or the printer's `trust`"
            )
        default:
            (
                .hostKeyUnknown,
                "\(reason), so nothing was sent; look at it with \(trust), and accept it there,"
                    + " or add it to a known_hosts file with `\(keyScan(error, printer))` once it was compared"
            )
        }
    }

    private static func explainLogin(_ error: SSHError, _ reason: String, _ printer: PrinterURL) -> (Code, String) {
        let user = printer.user ?? ""
        return switch error.code {
        case .loginMissing:
            (
                .authenticationRequired,
                "no login is saved for \(user) at the host\(offered(error));"
                    + " put a key or a password in the secrets file, and name it in the registry (`credentials: NAME`)"
            )
        case .loginRefused:
            (
                .loginRefused,
                "the host refused the login of \(user) (\(reason))\(offered(error)); check the user in the URL and "
                    + "the credentials"
            )
        default: (.credentialsUnusable, reason)
        }
    }

    private static func key(of error: SSHError) -> String {
        error.hostKey.map { "\($0.algorithm.withoutControlCharacters.prefix(utf8Count: 60)) \($0.fingerprint)" }
            ?? "one that cannot be read"
    }

    /// The command that writes the line of a known_hosts file.
    private static func keyScan(_ error: SSHError, _ printer: PrinterURL) -> String {
        let types = ["ssh-ed25519": "ed25519", "ssh-rsa": "rsa"]
        let type = error.hostKey.map { types[$0.algorithm] ?? "ecdsa" }
        let port = printer.effectivePort.flatMap { $0 == 22 ? nil : "-p \($0)" }
        return (["ssh-keyscan", type.map { "-t \($0)" }, port, printer.host] as [String?]).compactMap(\.self).joined(
            separator: " ")
    }

    private static func offered(_ error: SSHError) -> String {
        guard !error.offeredMethods.isEmpty else { return "" }
        let methods = error.offeredMethods.prefix(8).map { $0.withoutControlCharacters.prefix(utf8Count: 40) }
        return "; it offers \(methods.joined(separator: ", "))"
    }
}
