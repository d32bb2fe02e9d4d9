import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport

/// The daemon before a Unix host: a real `sshd`, behind it CUPS's own `lpr` and a private CUPS, whose queue is `lab`'s.
///
/// What runs as `lpr` can be told to stand still before or after its work, so that connections can be cut at a known
/// step.
final class KioskdUnixHost {
    /// Where the host's `lpr` stands still, until `letGo()`.
    enum Stop: String {
        /// It has read nothing yet, so that the upload stands soon, too.
        case unread
        /// It has read all of its input and given nothing on.
        case read
        /// The spooler has the job; the shell does not know yet that `lpr` has ended.
        case spooled
    }

    let cups: CupsServer
    let server: SSHServer
    let daemon: KioskdFixture
    private let folder: TemporaryFolder

    /// `profile`: of the printer behind its queue, which is then one for receipts where `role` names no other.
    init(
        stop: Stop? = nil, unconfirmed: String = "hold", profile: String? = nil, role: String? = nil
    ) async throws {
        folder = try TemporaryFolder("host")
        cups = try await CupsServer()
        var options = SSHServer.Options()
        options.environment = ["CUPS_SERVER": "127.0.0.1:\(cups.port)", "PATH": "\(folder.path):/usr/bin:/bin"]
        if let stop { try Self.writeLpr(stop, in: folder) }
        let server = try await SSHServer(options)
        self.server = server
        let state = try TemporaryFolder("kioskd")
        try state.writePrivately(
            Array("host:\n  private-key: \(try await server.makeKey())\n".utf8), to: "secrets.yaml")
        try folder.write(
            try server.hostKeyLines().map { "[127.0.0.1]:\(server.port) \($0)\n" }.joined(), to: "known_hosts")
        daemon = try await KioskdFixture(
            folder: state,
            registry: """
                version: 1
                printers:
                  - id: lab
                    url: "ssh+lpr://\(server.user)@127.0.0.1:\(server.port)/receipt"
                    credentials: host
                    trust: known-hosts:\(folder.appending("known_hosts"))\(profile.map { "\n    profile: \($0)" } ?? "")
                roles:
                  \(role ?? (profile == nil ? "document" : "receipt")):
                    printers: [lab]
                    unconfirmed: \(unconfirmed)

                """,
            arguments: profile == nil ? [] : ["--profiles", ShippedProfiles.folder])
    }

    /// What stands before CUPS's `lpr` in `PATH`.
    private static func writeLpr(_ stop: Stop, in folder: TemporaryFolder) throws {
        let wait = ": >'\(folder.path)/stands'; while [ ! -e '\(folder.path)/go' ]; do sleep 0.05; done"
        let script =
            switch stop {
            case .unread: "\(wait); exec /usr/bin/lpr \"$@\""
            case .read: "cat >/dev/null; \(wait); exit 1"
            case .spooled: "/usr/bin/lpr \"$@\"; status=$?; \(wait); exit $status"
            }
        // Asked what it is, it answers at once.
        let asked = "case \"$1\" in -P) ;; *) exec /usr/bin/lpr \"$@\" ;; esac"
        try writeProgram("#!/bin/sh\n\(asked)\n\(script)\n", to: folder.appending("lpr"))
    }

    func isReady() async throws -> Bool { try await daemon.client().printers().first?.availability.state == .ready }

    /// Takes away what the daemon's registry and secrets name: `known_hosts`, and the private key.
    func forgetKeys() throws {
        for path in [folder.appending("known_hosts"), server.keyPath()] {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Whether `lpr` stands at its stop.
    var stands: Bool { access(folder.appending("stands"), F_OK) == 0 }

    /// Lets `lpr` go on; later ones do not stop.
    func letGo() throws { try folder.write("", to: "go") }

    /// Submits a document to the host's queue by its role.
    func submit(_ document: [UInt8]) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "document")
        parameters.format = .octetStream
        return try await daemon.client().submit(.bytes(document), parameters)
    }

    /// Longer than what SSH's window and the pipes to `lpr` hold.
    static let document = [[UInt8]](repeating: (0..<65_521).map { UInt8(truncatingIfNeeded: $0 / 5 &* 37) }, count: 40)
        .flatMap(\.self)

    func job(_ job: Job) async throws -> Job { try await daemon.client().job(job.id) }

    /// The job once nothing more happens to it by itself.
    func settled(_ job: Job) async throws -> Job {
        try await eventuallyValue("the end of job \(job.id)\n\(daemon.log)") {
            let job = try await self.job(job)
            return job.isSettled ? job : nil
        }
    }

    /// What came out of the queue.
    func paper() throws -> [[UInt8]] { try cups.keptFiles().map { try readFile($0) } }

    /// Nothing of the host's programs runs any more that could still print.
    func becomesQuiet() async throws {
        try await eventually("the end of lpr") { !isAnyProcess(containing: folder.path) }
    }
}
