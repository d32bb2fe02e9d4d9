import Foundation
import KioskPrintModel
import KioskSSH
import KioskSSHLpr
import KioskTestSupport

/// A host with a real `sshd` in front of a real spooler, and a transport to print through both.
struct LprHost {
    let server: SSHServer
    let transport: SSHLprTransport
    let target: PrinterTarget

    /// `environment`: the variables of commands besides `HOME`.
    init(
        environment: [String: String], queue: String = "receipt", settings: LprSettings = LprSettings(),
        deadlines: SSHLprTransport.Deadlines = .init(), options: SSHServer.Options = .init(),
        trace: WireTrace = WireTrace()
    ) async throws {
        var options = options
        options.environment.merge(environment) { $1 }
        server = try await SSHServer(options)
        let key = try await server.makeKey()
        transport = SSHLprTransport(
            credentials: SavedCredentials(named: "host", Credentials(privateKey: .init(path: key))),
            settings: { _ in settings },
            deadlines: deadlines, trace: trace)
        target = try server.target(queue: queue)
    }

    func queue(_ name: String) throws -> PrinterTarget { try server.target(queue: name) }

    func deliver(_ delivery: Delivery, to queue: String? = nil) async throws -> JobReport {
        try await transport.deliver(delivery, to: queue.map(self.queue) ?? target) { _ in }
    }
}

extension SSHServer {
    /// A queue behind this server, whose host keys are known.
    func target(queue: String) throws -> PrinterTarget {
        let lines = try hostKeyLines().map { "[127.0.0.1]:\(port) \($0)\n" }.joined()
        let file = "\(home).known_hosts"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
        return PrinterTarget(
            url: try PrinterURL("ssh+lpr://\(user)@127.0.0.1:\(port)/\(queue)"), credentials: "host",
            trust: .knownHosts(path: file))
    }
}

/// Runs `body` with a host in front of its own CUPS.
func withCups(
    _ cups: CupsServer? = nil, settings: LprSettings = LprSettings(), deadlines: SSHLprTransport.Deadlines = .init(),
    environment: [String: String] = [:], options: SSHServer.Options = .init(), trace: WireTrace = WireTrace(),
    _ body: (CupsServer, LprHost) async throws -> Void
) async throws {
    let cups = if let cups { cups } else { try await CupsServer() }
    let host = try await LprHost(
        environment: ["CUPS_SERVER": "127.0.0.1:\(cups.port)"].merging(environment) { $1 }, settings: settings,
        deadlines: deadlines,
        options: options, trace: trace)
    do {
        try await body(cups, host)
    } catch {
        await host.transport.shutDown()
        throw error
    }
    await host.transport.shutDown()
}

/// The `TransportError` that `work` throws.
func transportError(_ work: () async throws -> Void) async throws -> TransportError {
    do {
        try await work()
    } catch let error as TransportError {
        return error
    }
    throw TestSupportError("nothing was thrown")
}

extension SavedCredentials {
    init(named name: String, _ credentials: Credentials) {
        self.init()
        byName = [name: credentials]
    }
}

extension RemoteJob {
    /// The spooler's number.
    var number: Int? { Int(identifier.prefix { $0 != " " }) }
}

extension PrintDocument {
    /// Zeros that take no room on the disk, and long enough to send that something can happen meanwhile.
    static func sparse(megabytes: Int64, in folder: TemporaryFolder) throws -> PrintDocument {
        let path = try folder.write("", to: "sparse")
        let length = megabytes << 20
        guard truncate(path, Int(length)) == 0 else { throw TestSupportError.errno("truncate", errno) }
        return PrintDocument(format: .escPOS, body: .file(path: path, length: length))
    }
}

/// A PDF of empty pages.
enum SmallPDF {
    static func make(pages: Int) -> [UInt8] {
        let kids = (0..<pages).map { "\($0 + 3) 0 R" }.joined(separator: " ")
        var objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [\(kids)] /Count \(pages) >>"]
        objects += (0..<pages).map { _ in "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> >>" }
        var text = "%PDF-1.4\n"
        var table = "0000000000 65535 f \n"
        for (number, object) in objects.enumerated() {
            let offset = "\(text.utf8.count)"
            table += String(repeating: "0", count: 10 - offset.count) + "\(offset) 00000 n \n"
            text += "\(number + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text +=
            "xref\n0 \(objects.count + 1)\n\(table)trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\n"
            + "startxref\n\(start)\n%%EOF\n"
        return Array(text.utf8)
    }
}
