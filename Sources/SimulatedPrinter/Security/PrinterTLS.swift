import Glibc
package import KioskPrintModel
import KioskTLS

/// The TLS options of a simulated printer.
package struct PrinterTLSOptions: Sendable {
    /// A certificate with its key; nil creates one in the printer's folder.
    package var certificate: Credentials.ClientCertificate?
    /// A PEM file with CAs. If set, only clients with a certificate of one of them are served.
    package var clientCAFile: String?
    /// Whether plain requests get the response 426 and clients upgrade the connection (RFC 2817), instead of
    /// TLS from the start.
    package var byUpgrade = false

    package init() {}
}

/// The printer's certificate and the TLS context of new connections. Used only on the printer's event loop.
final class PrinterTLS {
    private static let fileName = "printer-certificate.pem"
    /// As printers create them when they are first switched on.
    private static let validDays = 3650

    let options: PrinterTLSOptions
    /// The path of the certificate that the printer creates itself.
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

    /// Creates a new key and certificate for new connections, like a firmware update. If they were given as files,
    /// reads these again.
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
            throw SimulatedPrinterError("The printer cannot serve TLS: \(error.reason)")
        }
    }

    private static func makeCertificate(_ path: String) throws(SimulatedPrinterError) {
        let names = ["localhost", "127.0.0.1", "::1"] + (hostName.map { [$0] } ?? [])
        let pem: [UInt8]
        do {
            let content = SelfSignedCertificate.Content(
                names: names, organization: "Simulated printer", validDays: validDays)
            let new = try SelfSignedCertificate(content)
            pem = new.keyPEM + new.certificatePEM
        } catch {
            throw SimulatedPrinterError("\(error.reason). Name a certificate with --certificate.")
        }
        let temporaryPath = "\(path).new"
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .errno("create", temporaryPath, errno) }
        let count = write(descriptor, pem, pem.count)
        let code = errno
        close(descriptor)
        guard count == pem.count else { throw .errno("write", temporaryPath, code) }
        guard rename(temporaryPath, path) == 0 else { throw .errno("rename", temporaryPath, errno) }
    }

    /// The host name; nil if it is "localhost" or cannot be in a certificate.
    private static var hostName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let isUsable = name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) } && name.contains(where: \.isLetter)
        return isUsable && name != "localhost" ? name : nil
    }
}
