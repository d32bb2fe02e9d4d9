import Foundation
import Synchronization

/// Debian's nginx as print-release gateways set it up: TLS, a client certificate, Basic login, and behind it the
/// printer.
///
/// One process without a master, on loopback; `/ipp/print` is the printer, everything else is not found.
package final class NginxGateway: PrinterGateway {
    package struct Options: Sendable {
        /// What it proves itself with; nil speaks plain HTTP.
        package var certificate: TestCertificate?
        /// The authority (PEM) whose client certificates it demands (`ssl_verify_client on`).
        package var clientAuthority: String?
        package var login: TestLogin?
        package var protocols = "TLSv1.2 TLSv1.3"
        /// Resumption by tickets that the client keeps; nginx restarted knows none of the old ones.
        package var hasSessionTickets = true
        /// Resumption by sessions that nginx keeps.
        package var hasSessionCache = true
        /// Reads the whole request before the printer gets any of it.
        package var buffersRequests = true
        /// Runs a master and a worker, as nginx is run in earnest, so that it can `reload`.
        package var hasMaster = false
        /// Requests of one connection, after which nginx closes it.
        package var requestsPerConnection = 1000
        /// What it says about itself, at least so important (`log`).
        package var logLevel = "info"

        package init(certificate: TestCertificate? = nil, clientAuthority: String? = nil, login: TestLogin? = nil) {
            self.certificate = certificate
            self.clientAuthority = clientAuthority
            self.login = login
        }
    }

    package let port: Int
    private let upstreamPort: Int
    private let folder: TemporaryFolder
    private let starts = Mutex(0)
    package let running = RunningChild()

    /// Starts it in front of the printer at `upstreamPort` on loopback, and returns once it listens.
    package init(_ options: Options, upstreamPort: Int) async throws {
        self.upstreamPort = upstreamPort
        folder = try TemporaryFolder("nginx")
        port = try freePort()
        try await start(options)
    }

    /// What it was asked so far, over all starts, in the order in which it noted it: of two connections, the later one's
    /// request may come first.
    package func requests() throws -> [GatewayRequest] {
        String(decoding: try folder.read("access.log"), as: UTF8.self).split(separator: "\n").compactMap(
            GatewayRequest.init)
    }

    /// The same, once there are so many (nginx notes a request after it has sent the response), in the order in which
    /// their connections began.
    package func requests(atLeast count: Int) async throws -> [GatewayRequest] {
        try await eventually("\(count) requests in nginx's log") { try requests().count >= count }
        return try requests().sorted {
            ($0.start, $0.connection, $0.requestOfConnection) < ($1.start, $1.connection, $1.requestOfConnection)
        }
    }

    /// Starts it again on the same port, perhaps as another server.
    package func start(_ options: Options) async throws {
        starts.withLock { $0 += 1 }
        let settings = try folder.write(try await settings(options), to: "nginx.conf")
        let program = try InstalledProgram.path("nginx", package: "nginx")
        let child = try ChildProcess(program, ["-p", folder.path, "-e", "stderr", "-c", settings])
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    /// Has it read other settings, as `nginx -s reload` does; returns once the worker with the old ones has closed its
    /// idle connections and is gone. Sessions that it keeps outlive this.
    package func reload(_ options: Options) async throws {
        guard let child = running.child else { throw TestSupportError("nginx does not run") }
        let gone = "exited with code 0"
        let before = child.standardError.components(separatedBy: gone).count
        let settings = try folder.write(try await settings(options), to: "nginx.conf")
        let result = try await ChildProcess.run(
            child.program, ["-p", folder.path, "-e", "stderr", "-c", settings, "-s", "reload"])
        guard result.end.isSuccess else { throw TestSupportError("nginx -s reload: \(result.standardError)") }
        try await eventually("the old worker's end") {
            child.standardError.components(separatedBy: gone).count > before
        }
    }

    private func settings(_ options: Options) async throws -> String {
        let tls = options.certificate.map { certificate in
            """
            ssl_certificate \(certificate.chain);
            ssl_certificate_key \(certificate.key);
            ssl_protocols \(options.protocols);
            ssl_session_tickets \(options.hasSessionTickets ? "on" : "off");
            ssl_session_cache \(options.hasSessionCache ? "shared:tls:1m" : "off");
            """
        }
        let client = options.clientAuthority.map { "ssl_verify_client on;\nssl_client_certificate \($0);" }
        var login: String?
        if let wanted = options.login {
            let hash = try await OpenSSLTool.run(["passwd", "-apr1", "-stdin"], input: "\(wanted.password)\n")
            let users = try folder.write("\(wanted.user):\(hash)", to: "htpasswd")
            login = "auth_basic \"Print release\";\nauth_basic_user_file \(users);"
        }
        // Without a master there is nobody left behind when the test process is killed.
        let processes = options.hasMaster ? "worker_processes 1;" : "master_process off;"
        return """
            daemon off;
            \(processes)
            \(options.hasMaster && geteuid() == 0 ? "user root;" : "")
            pid \(folder.appending("pid"));
            error_log stderr \(options.logLevel);
            events { worker_connections 256; }
            http {
                log_format told escape=json '\(GatewayRequest.logFormat(start: starts.withLock { $0 }))';
                access_log \(folder.appending("access.log")) told;
                \(folder.nginxPaths)
                client_max_body_size 0;
                keepalive_requests \(options.requestsPerConnection);
                keepalive_timeout 3600s;
                upstream printer { server 127.0.0.1:\(upstreamPort); keepalive 4; }
                server {
                    listen 127.0.0.1:\(port)\(tls == nil ? "" : " ssl");
                    \(tls ?? "")
                    \(client ?? "")
                    \(login ?? "")
                    location / { return 404; }
                    location /ipp/print {
                        proxy_pass http://printer;
                        proxy_http_version 1.1;
                        proxy_set_header Host $host;
                        proxy_set_header Connection "";
                        proxy_set_header Authorization "";
                        proxy_request_buffering \(options.buffersRequests ? "on" : "off");
                        proxy_read_timeout 300s;
                    }
                }
            }

            """
    }
}

/// A request as nginx logged it: the other side's view of a connection.
package struct GatewayRequest: Decodable, Hashable, Sendable {
    package var line: String
    package var status: Int
    package var user: String
    /// Empty without TLS.
    package var tlsVersion: String
    package var serverName: String
    /// Counts the connections of one start of nginx; resumption is a matter between two of them.
    package var connection: Int
    /// Which request of its connection it was, from 1.
    package var requestOfConnection: Int
    package var clientSubject: String
    /// `SUCCESS`, `NONE`, or `FAILED:` with OpenSSL's reason.
    package var clientVerification: String
    package var contentLength: String
    package var transferEncoding: String
    package var expectation: String
    /// Which start of nginx it came to, from 1.
    fileprivate var start: Int
    private var reused: String

    /// Whether the TLS session of its connection was resumed.
    package var isSessionReused: Bool { reused == "r" }

    fileprivate static func logFormat(start: Int) -> String {
        """
        {"start":\(start),"line":"$request","status":$status,"user":"$remote_user","tlsVersion":"$ssl_protocol",\
        "serverName":"$ssl_server_name","connection":$connection,"requestOfConnection":$connection_requests,\
        "clientSubject":"$ssl_client_s_dn","clientVerification":"$ssl_client_verify","contentLength":"$http_content_length",\
        "transferEncoding":"$http_transfer_encoding","expectation":"$http_expect","reused":"$ssl_session_reused"}
        """
    }

    init?(_ line: Substring) {
        guard let request = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = request
    }
}

extension TemporaryFolder {
    /// Where nginx keeps what passes through it, as its settings name it: otherwise below /var.
    var nginxPaths: String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(appending($0));" }
            .joined(separator: "\n")
    }
}
