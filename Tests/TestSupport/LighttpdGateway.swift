import Foundation

/// Debian's lighttpd with a Digest login (RFC 7616), plain or with TLS, and behind it the printer at `/ipp/print`.
package final class LighttpdGateway: PrinterGateway {
    package enum Algorithm: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        /// Asks with one challenge for each, the stronger one first.
        case both = "SHA-256|MD5"
    }

    package struct Options: Sendable {
        package var algorithm: Algorithm
        package var login: TestLogin
        /// What it proves itself with; nil speaks plain HTTP.
        package var certificate: TestCertificate?
        /// Seconds that its clock is ahead of ours. It takes nonces older than 600 s for stale, so that one that it
        /// gave before it was started anew with a later clock is.
        package var clockAhead = 0

        package init(_ algorithm: Algorithm, login: TestLogin, certificate: TestCertificate? = nil) {
            self.algorithm = algorithm
            self.login = login
            self.certificate = certificate
        }
    }

    package let port: Int
    private let upstreamPort: Int
    private let folder: TemporaryFolder
    package let running = RunningChild()

    /// Starts it in front of the printer at `upstreamPort` on loopback, and returns once it listens.
    package init(_ options: Options, upstreamPort: Int) async throws {
        self.upstreamPort = upstreamPort
        folder = try TemporaryFolder("lighttpd")
        port = try freePort()
        try await start(options)
    }

    /// Status and user of each request so far (`-` where there is none), over all starts.
    package func requests() throws -> [String] {
        String(decoding: try folder.read("access.log"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Starts it again on the same port.
    package func start(_ options: Options) async throws {
        let settings = try folder.write(try await settings(options), to: "lighttpd.conf")
        let program = try InstalledProgram.path("lighttpd", package: "lighttpd")
        let environment = options.clockAhead == 0 ? [:] : try Self.clock(ahead: options.clockAhead)
        let child = try ChildProcess(program, ["-D", "-f", settings], environment: environment)
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    private static func clock(ahead seconds: Int) throws -> [String: String] {
        let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").filter {
            $0.hasSuffix("-linux-gnu")
        }
        let libraries = folders.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
        guard let library = libraries.first(where: FileManager.default.fileExists) else {
            throw TestSupportError(
                "libfaketime is not installed: run `apt-get install -y --no-install-recommends libfaketime`")
        }
        return ["LD_PRELOAD": library, "FAKETIME": "+\(seconds)", "FAKETIME_DONT_FAKE_MONOTONIC": "1"]
    }

    private func settings(_ options: Options) async throws -> String {
        let users = try folder.write(try await Self.users(options.login), to: "htdigest")
        var tls = ""
        if let certificate = options.certificate {
            tls = """
                ssl.engine = "enable"
                ssl.pemfile = "\(certificate.chain)"
                ssl.privkey = "\(certificate.key)"
                """
        }
        return """
            server.modules = ("mod_auth", "mod_authn_file", "mod_proxy", "mod_accesslog"\(tls.isEmpty ? "" : ", \"mod_openssl\""))
            server.document-root = "\(folder.path)"
            server.upload-dirs = ("\(folder.path)")
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.feature-flags = ("server.h2proto" => "disable")
            server.max-keep-alive-idle = 3600
            \(tls)
            accesslog.filename = "\(folder.appending("access.log"))"
            accesslog.format = "%s %u"
            auth.backend = "htdigest"
            auth.backend.htdigest.userfile = "\(users)"
            auth.require = ("/" => (
                "method" => "digest", "algorithm" => "\(options.algorithm.rawValue)",
                "realm" => "\(Self.realm)", "require" => "valid-user"
            ))
            proxy.server = ("/ipp/print" => (("host" => "127.0.0.1", "port" => \(upstreamPort))))

            """
    }

    private static let realm = "Print release"

    /// One line for each algorithm: user, realm, and the hash of both with the password.
    private static func users(_ login: TestLogin) async throws -> String {
        var lines = ""
        for digest in ["-md5", "-sha256"] {
            let hash = try await OpenSSLTool.run(
                ["dgst", "-r", digest], input: "\(login.user):\(realm):\(login.password)")
            lines += "\(login.user):\(realm):\(hash.prefix { $0.isHexDigit })\n"
        }
        return lines
    }
}
