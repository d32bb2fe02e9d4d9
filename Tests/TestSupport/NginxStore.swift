import Foundation
import Synchronization

/// Debian's nginx as a store of documents at addresses, with or without TLS.
///
/// One process without a master, on loopback. `/documents/` has the files that a test puts there, whatever the query of
/// the address says, `/moved` is a redirect to the file `there`, and `/answers/N` is the status N.
package final class NginxStore: Sendable {
    package let port: Int
    private let folder: TemporaryFolder
    private let running = RunningChild()
    private static let documents = "documents"

    /// Starts it, unless it is to be away at first.
    package init(certificate: TestCertificate? = nil, isAway: Bool = false) async throws {
        folder = try TemporaryFolder("store")
        port = try freePort()
        try FileManager.default.createDirectory(
            atPath: folder.appending(Self.documents), withIntermediateDirectories: false)
        if !isAway { try await start(certificate: certificate) }
    }

    package func put(_ document: [UInt8], as name: String) throws {
        try folder.write(document, to: "\(Self.documents)/\(name)")
    }

    /// The request lines so far: nginx notes one after it has sent the response.
    package func requests() throws -> [String] {
        String(decoding: try folder.read("access.log"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Starts it, or starts it again with another certificate, on the same port.
    package func start(certificate: TestCertificate? = nil) async throws {
        try await running.kill()
        let settings = try folder.write(settings(certificate), to: "nginx.conf")
        let program = try InstalledProgram.path("nginx", package: "nginx")
        let child = try ChildProcess(program, ["-p", folder.path, "-e", "stderr", "-c", settings])
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    private func settings(_ certificate: TestCertificate?) -> String {
        let tls = certificate.map { "ssl_certificate \($0.chain);\nssl_certificate_key \($0.key);" }
        let answers = [403, 404, 410, 429, 503].map { "location = /answers/\($0) { return \($0); }" }
        return """
            daemon off;
            master_process off;
            pid \(folder.appending("pid"));
            error_log stderr info;
            events { worker_connections 256; }
            http {
                log_format told '$request $status';
                access_log \(folder.appending("access.log")) told;
                \(folder.nginxPaths)
                server {
                    listen 127.0.0.1:\(port)\(tls == nil ? "" : " ssl");
                    \(tls ?? "")
                    location / { return 404; }
                    location /\(Self.documents)/ { root \(folder.path); }
                    location = /moved { return 302 /\(Self.documents)/there; }
                    \(answers.joined(separator: "\n"))
                }
            }

            """
    }
}
