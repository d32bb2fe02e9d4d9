import ArgumentParser
import Glibc
import KioskPrintModel
import KioskSimulatedPrinter

/// The options for the simulated printer's TLS and login.
struct SecurityOptions: ParsableArguments {
    @Flag(help: "Serve TLS (ipps://); without --certificate by a certificate that it makes and keeps in its folder.")
    var tls = false

    @Flag(help: "Begin without TLS, answer 426, and let clients upgrade (RFC 2817).")
    var upgrade = false

    @Option(
        help: ArgumentHelp("Serve TLS by this certificate: PEM, with its chain, or PKCS#12.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp("The certificate's key (PEM), where it stands apart.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp("The key's or the PKCS#12 file's passphrase is this file's first line.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp("Serve only clients with a certificate of these CAs (PEM).", valueName: "file"),
        completion: .file())
    var clientCA: String?

    @Option(help: ArgumentHelp("Serve only this user.", valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp("The user's password is this file's first line.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: "How the user logs in: \(PrinterLogin.Scheme.allCases.map(\.rawValue).joined(separator: ", ")).")
    var login = PrinterLogin.Scheme.basic

    @Option(help: ArgumentHelp("How long a nonce of Digest is good for.", valueName: "seconds"))
    var nonceLifetime = 300

    func validate() throws {
        guard (user == nil) == (passwordFile == nil) else {
            throw ValidationError("--user and --password-file go together.")
        }
        guard certificate != nil || key == nil && passphraseFile == nil else {
            throw ValidationError("--key and --passphrase-file belong to a --certificate.")
        }
        guard (1...86_400).contains(nonceLifetime) else {
            throw ValidationError("--nonce-lifetime is a number from 1 to 86400.")
        }
    }

    func apply(to options: inout SimulatedPrinter.Options) throws {
        options.tls = try tlsOptions()
        guard let user, let passwordFile else { return }
        var login = PrinterLogin(login, user: user, password: try Self.secret(in: passwordFile))
        login.nonceLifetime = .seconds(nonceLifetime)
        options.login = login
    }

    private func tlsOptions() throws -> PrinterTLSOptions? {
        guard tls || upgrade || certificate != nil || clientCA != nil else { return nil }
        var options = PrinterTLSOptions()
        options.byUpgrade = upgrade
        options.clientCAFile = clientCA
        options.certificate = try certificate.map {
            Credentials.ClientCertificate(path: $0, keyPath: key, passphrase: try passphraseFile.map(Self.secret))
        }
        return options
    }

    /// The first line of a file.
    private static func secret(in path: String) throws -> Secret {
        guard let file = fopen(path, "re") else {
            throw ValidationError("\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 1024)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { throw ValidationError("\(path) is empty.") }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw ValidationError("\(path) begins with an empty line.") }
        return Secret(String(decoding: line, as: UTF8.self))
    }
}

extension PrinterLogin.Scheme: ExpressibleByArgument {}
