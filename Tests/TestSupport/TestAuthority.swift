import Foundation
import Glibc
import Synchronization

/// A certificate authority of a test: made and worked with Debian's `openssl`.
///
/// Each certificate has a folder, a key and a CA database of its own, so that any number can be issued at once.
package final class TestAuthority: Sendable {
    /// Its own certificate and key; of a root, self-signed.
    package let own: TestCertificate
    /// What clients trust: the root's certificate, PEM.
    package let root: String
    private let issuer: TestAuthority?

    /// A root, or an authority below another one.
    package init(_ name: String = "Test Authority", under issuer: TestAuthority? = nil) async throws {
        let request = TestCertificate.Request(name, purpose: .authority)
        self.issuer = issuer
        if let issuer {
            own = try await issuer.issue(request)
            root = issuer.root
        } else {
            own = try await Self.selfSigned(request)
            root = own.certificate
        }
    }

    /// A certificate that this authority has signed.
    package func issue(_ request: TestCertificate.Request = .localhost) async throws -> TestCertificate {
        // A root is not sent along: who trusts it has it.
        let above = issuer == nil ? [] : try readFile(own.chain)
        return try await Self.make(request, issuer: own, intermediates: above)
    }

    /// A self-signed certificate, as printers make them.
    package static func selfSigned(_ request: TestCertificate.Request = .localhost) async throws -> TestCertificate {
        try await make(request, issuer: nil, intermediates: [])
    }

    private static func make(
        _ request: TestCertificate.Request, issuer: TestCertificate?, intermediates: [UInt8]
    ) async throws -> TestCertificate {
        let folder = try CertificateFolders.newFolder()
        let key = folder.appending("key.pem")
        let kind: [String] =
            switch request.key {
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .rsa2048: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            }
        try await OpenSSLTool.run(["genpkey", "-out", key] + kind)
        guard chmod(key, 0o600) == 0 else { throw TestSupportError.errno("chmod", errno) }
        let settings = try folder.write(request.settings(in: folder), to: "ca.conf")
        try folder.write("", to: "database")
        let asked = folder.appending("request.pem")
        try await OpenSSLTool.run(
            [
                "req", "-new", "-config", settings, "-key", key, "-subj", "/O=Kiosk Print Tests/CN=\(request.subject)",
                "-out", asked,
            ])
        let signer = issuer.map { ["-cert", $0.certificate, "-keyfile", $0.key] } ?? ["-selfsign", "-keyfile", key]
        let (start, end) = request.validity.dates()
        try await OpenSSLTool.run(
            ["ca", "-config", settings, "-batch", "-notext", "-in", asked, "-out", folder.appending("certificate.pem")]
                + ["-startdate", start, "-enddate", end] + signer)
        return try await TestCertificate(in: folder, intermediates: intermediates)
    }
}

extension TestCertificate.Request {
    /// The settings of `openssl req` and `openssl ca` for this one certificate (config(5), x509v3_config(5)).
    fileprivate func settings(in folder: TemporaryFolder) -> String {
        let alternatives = names.map { name in
            let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
            return "\(isAddress ? "IP" : "DNS"):\(name)"
        }
        let usage =
            switch purpose {
            case .server: "basicConstraints = critical,CA:false\nextendedKeyUsage = serverAuth"
            case .client: "basicConstraints = critical,CA:false\nextendedKeyUsage = clientAuth"
            case .authority: "basicConstraints = critical,CA:true\nkeyUsage = critical,keyCertSign,cRLSign"
            }
        return """
            [req]
            distinguished_name = subject
            [subject]
            [ca]
            default_ca = authority
            [authority]
            database = \(folder.appending("database"))
            new_certs_dir = \(folder.path)
            rand_serial = yes
            default_md = sha256
            policy = anything
            x509_extensions = extensions
            [anything]
            organizationName = optional
            commonName = supplied
            [extensions]
            \(usage)
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid
            \(alternatives.isEmpty ? "" : "subjectAltName = \(alternatives.joined(separator: ","))")

            """
    }
}

extension TestCertificate.Validity {
    /// Both ends as `openssl ca` takes them: YYMMDDHHMMSSZ.
    fileprivate func dates(now: Date = Date()) -> (start: String, end: String) {
        let hour = 3600.0
        let (start, end) =
            switch self {
            case .current: (-hour, 7 * 24 * hour)
            case .expired: (-7 * 24 * hour, -24 * hour)
            case .notYet: (24 * hour, 7 * 24 * hour)
            }
        return (Self.text(now + start), Self.text(now + end))
    }

    private static func text(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let fields = [parts.tm_year % 100, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        return fields.map { String(format: "%02d", $0) }.joined() + "Z"
    }
}

/// The folders of all certificates that this process made; removed when it ends.
private enum CertificateFolders {
    private static let state = Mutex<(folder: TemporaryFolder?, count: Int)>((nil, 0))

    static func newFolder() throws -> TemporaryFolder {
        try state.withLock { state in
            if state.folder == nil {
                state.folder = try TemporaryFolder("certificates")
                atexit { CertificateFolders.clear() }
            }
            guard let folder = state.folder else { throw TestSupportError("there is no folder for certificates") }
            state.count += 1
            return try TemporaryFolder(at: folder.appending("\(state.count)"), isKept: true)
        }
    }

    private static func clear() {
        state.withLock { $0.folder = nil }
    }
}
