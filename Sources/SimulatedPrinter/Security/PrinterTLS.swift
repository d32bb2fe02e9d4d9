import Glibc
package import PrintModel
import TLS

/// How a simulated printer serves TLS.
package struct PrinterTLSOptions: Sendable {
    /// A certificate with its key; nil makes one that the printer keeps in its folder.
    package var certificate: Credentials.ClientCertificate?
    /// Only clients with a certificate of one of these CAs are served; a PEM file.
    package var clientCAFile: String?
    /// Answers plain requests with 426 and lets clients upgrade their connection (RFC 2817), in place of TLS from the
    /// start.
    package var byUpgrade = false

    package init() {}
}

/// The printer's certificate, and what new connections are served with. Used on the printer's event loop only.
final class PrinterTLS {
    private static let fileName = "printer-certificate.pem"

    let options: PrinterTLSOptions
    /// Of the certificate that the printer made itself.
    private let path: String
    private var context: TLSContext
    private(set) var certificate: Certificate

    init(_ options: PrinterTLSOptions, folder: String) throws(SimulatedPrinterError) {
        self.options = options
        path = "\(folder)/\(Self.fileName)"
        if options.certificate == nil, access(path, F_OK) != 0 { try Self.makeCertificate(path) }
        (context, certificate) = try Self.load(options, ownPath: path)
    }

    func makeHandler() throws(TLSError) -> TLSHandler { try TLSHandler(server: context) }

    /// A new key and certificate for connections to come, as a firmware update brings. Those that were read from files
    /// are read again.
    func renew() throws(SimulatedPrinterError) {
        if options.certificate == nil { try Self.makeCertificate(path) }
        (context, certificate) = try Self.load(options, ownPath: path)
    }

    private static func load(
        _ options: PrinterTLSOptions, ownPath: String
    ) throws(SimulatedPrinterError) -> (TLSContext, Certificate) {
        let source = options.certificate ?? Credentials.ClientCertificate(path: ownPath)
        do {
            let identity = try TLSIdentity.load(source)
            let context = try TLSContext(
                TLSServerConfiguration(
                    identity: identity, clientCAFile: options.clientCAFile,
                    requiresClientCertificate: options.clientCAFile != nil))
            return (context, identity.certificate)
        } catch {
            throw SimulatedPrinterError("The printer has no certificate to serve TLS with: \(error.reason)")
        }
    }

    private static func makeCertificate(_ path: String) throws(SimulatedPrinterError) {
        let names = ["localhost", "127.0.0.1", "::1"] + (hostName.map { [$0] } ?? [])
        let pem = try SelfSignedCertificate(names: names).pem
        let draft = "\(path).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .errno("create", draft, errno) }
        let count = write(descriptor, pem, pem.count)
        let code = errno
        close(descriptor)
        guard count == pem.count else { throw .errno("write", draft, code) }
        guard rename(draft, path) == 0 else { throw .errno("rename", draft, errno) }
    }

    /// Nil where the host is named "localhost" or like nothing that fits a certificate.
    private static var hostName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let isFit = name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) } && name.contains(where: \.isLetter)
        return isFit && name != "localhost" ? name : nil
    }
}
