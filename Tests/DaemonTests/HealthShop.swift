import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport

/// A daemon over one printer in each state, with a role for each situation that monitoring meets. The situations share
/// it: none changes what another sees.
final class HealthShop: Sendable {
    let daemon: KioskdFixture
    let port: Int
    private let printers: [SimulatedPrinter]

    /// Made once, for whoever comes first.
    private static let made = Task { try await HealthShop() }
    static var shared: HealthShop { get async throws { try await made.value } }

    private init() async throws {
        func printer(_ change: (inout SimulatedPrinter.Options) -> Void = { _ in }) async throws -> SimulatedPrinter {
            var options = SimulatedPrinter.Options()
            change(&options)
            return try await SimulatedPrinter.start(options)
        }
        let ready = try await printer()
        let low = try await printer { $0.condition.isPaperLow = true }
        let out = try await printer { $0.condition.isPaperOut = true }
        let open = try await printer { $0.condition.isCoverOpen = true }
        let jam = try await printer { $0.condition.isJammed = true }
        let refusing = try await printer { $0.condition.isRejectingJobs = true }
        let holding = try await printer { $0.condition.isHoldingJobs = true }
        let doubtful = try await printer { $0.condition.isHoldingJobs = true }
        let secured = try await printer { $0.tls = PrinterTLSOptions() }
        printers = [ready, low, out, open, jam, refusing, holding, doubtful, secured]
        port = try freePort()
        let away = "ipp://localhost:\(try freePort())/ipp/print"
        daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: ready, url: "\(ready.uri)" }
                  - { id: low, url: "\(low.uri)" }
                  - { id: out, url: "\(out.uri)" }
                  - { id: open, url: "\(open.uri)" }
                  - { id: jam, url: "\(jam.uri)" }
                  - { id: refusing, url: "\(refusing.uri)" }
                  - { id: holding, url: "\(holding.uri)" }
                  - { id: doubtful, url: "\(doubtful.uri)" }
                  - { id: away, url: "\(away)" }
                  - { id: unproven, url: "\(secured.uri)", trust: ask }
                  - { id: unchecked, url: "\(secured.uri)", trust: none }
                  - { id: labeller, url: "\(ready.uri)", job-types: [label] }
                  - { id: nameless, url: "\(ready.uri)", credentials: nobody }
                roles:
                  fine: { printers: [ready] }
                  first: { printers: [ready, away] }
                  fallback: { printers: [away, ready] }
                  low: { printers: [low] }
                  low-first: { printers: [low, ready] }
                  low-second: { printers: [ready, low] }
                  out: { printers: [out] }
                  open: { printers: [open] }
                  jam: { printers: [jam] }
                  refusing: { printers: [refusing] }
                  away: { printers: [away] }
                  none: { printers: [] }
                  labels: { printers: [ready], job-type: label }
                  every: { printers: [ready, away], policy: all }
                  mixed: { printers: [ready, labeller], policy: all, job-type: label }
                  any: { printers: [away, ready], policy: least-busy }
                  holding: { printers: [holding] }
                  doubtful: { printers: [doubtful], unconfirmed: hold }
                  unproven: { printers: [unproven] }
                  unchecked: { printers: [unchecked] }
                  nameless: { printers: [nameless] }
                """,
            arguments: ["--listen", "127.0.0.1:\(port)"])
        let daemon = daemon
        let states: [String: Availability.State] = [
            "ready": .ready, "low": .attention, "out": .stopped, "open": .stopped, "jam": .stopped,
            "refusing": .stopped, "holding": .ready, "doubtful": .ready, "away": .unreachable, "unproven": .stopped,
            "unchecked": .ready, "labeller": .ready,
        ]
        try await eventually("every printer to be known") {
            let list = try await daemon.client().printers()
            return states.allSatisfy { name, state in
                list.contains { $0.printer.id.rawValue == name && $0.availability.state == state }
            }
        }
        _ = try await daemon.submit("COFFEE\n", "role=holding")
        let doubt = try await daemon.submit("TEA\n", "role=doubtful").json(Job.self).id
        try await eventually("the printer to have the job") {
            try await daemon.curl("/v1/jobs/\(doubt)").json(Job.self).remoteJob != nil
        }
        try await doubtful.perform(.powerOff)
        try await doubtful.perform(.goOnline)
        try await eventually("the job to be in doubt") {
            try await daemon.curl("/v1/jobs/\(doubt)").json(Job.self).state == .pendingHeld
        }
        try await eventually("the printer to be back") {
            return try await daemon.client().printers().contains {
                $0.printer.id.rawValue == "doubtful" && $0.availability.isAvailable
            }
        }
    }

    /// The file of a new token.
    func token(_ name: String, _ scope: String, expires: String = "90d") async throws -> String {
        let made = try await daemon.kioskctl("tokens", "add", name, "--scope", scope, "--expires", expires)
        guard made.end.isSuccess else { throw TestSupportError(made.standardError) }
        let file = try daemon.folder.write(made.standardOutput, to: "\(name).token")
        guard chmod(file, 0o600) == 0 else { throw TestSupportError.errno("chmod", errno) }
        return file
    }

    func health(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"), ["health"] + arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
    }
}
