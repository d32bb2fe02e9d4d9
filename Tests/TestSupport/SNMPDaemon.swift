import Foundation
import Glibc

/// Debian's `snmpd` as a printer's SNMP agent, with the variables that a test gives it and no others, as nobody's
/// process.
package final class SNMPDaemon: Sendable {
    package let port: Int
    private let folder: TemporaryFolder
    private let daemon: ChildProcess

    /// Why it cannot run here; nil where it can.
    package static var obstacle: String? {
        (try? InstalledProgram.path("snmpd", package: "snmpd")) == nil
            ? "snmpd is missing: run `Scripts/bootstrap test`" : nil
    }

    /// Starts it on loopback, and returns once it listens. `variables` are lines such as
    /// `1.3.6.1.2.1.25.3.5.1.1.1 integer 3` (snmpd.conf(5), `override`).
    package convenience init(community: String = "public", _ variables: [String]) async throws {
        // A TCP port that is free is so for UDP as a rule.
        for _ in 0..<8 {
            let port = try freePort()
            if let daemon = try await SNMPDaemon.start(community, variables, "127.0.0.1", port, in: nil) {
                self.init(port: port, daemon.folder, daemon.child)
                return
            }
        }
        throw TestSupportError("snmpd found no port")
    }

    /// Starts it in a network of the test's own, at SNMP's port.
    package convenience init(in network: TestNetwork, _ variables: [String]) async throws {
        let started = try await SNMPDaemon.start("public", variables, TestNetwork.address, 161, in: network)
        guard let started else { throw TestSupportError("snmpd cannot listen") }
        self.init(port: 161, started.folder, started.child)
    }

    private init(port: Int, _ folder: TemporaryFolder, _ daemon: ChildProcess) {
        (self.port, self.folder, self.daemon) = (port, folder, daemon)
    }

    deinit { daemon.kill() }

    /// Ends it; its variables are gone.
    package func stop() async throws {
        daemon.kill()
        try await daemon.wait()
    }

    /// Nil where the port is in use.
    private static func start(
        _ community: String, _ variables: [String], _ address: String, _ port: Int, in network: TestNetwork?
    ) async throws -> (folder: TemporaryFolder, child: ChildProcess)? {
        let folder = try TemporaryFolder("snmpd")
        let settings = ["rocommunity \(community)"] + variables.map { "override \($0)" }
        try folder.write(settings.joined(separator: "\n") + "\n", to: "snmpd.conf")
        // Of its own variables it has those of access alone.
        let arguments = [
            "-f", "-Lo", "-C", "-c", folder.appending("snmpd.conf"), "-I", "override,vacm_conf",
            "udp:\(address):\(port)",
        ]
        let program = try InstalledProgram.path("snmpd", package: "snmpd")
        var environment = ["SNMP_PERSISTENT_DIR": folder.path, "SNMPCONFPATH": folder.path, "MIBS": ""]
        let child: ChildProcess
        if let network {
            environment.merge(network.environment) { own, _ in own }
            let command = try network.command + [program] + arguments
            child = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
        } else if geteuid() == 0 {
            guard chown(folder.path, nobody, nobody) == 0 else { throw TestSupportError.errno("chown", errno) }
            // A process that changes its user outlives its parent, unless it says once more that it does not.
            let user = [
                "--reuid", "\(nobody)", "--regid", "\(nobody)", "--clear-groups", "--pdeathsig", "KILL", "--", program,
            ]
            let setpriv = try InstalledProgram.path("setpriv", package: "util-linux")
            child = try ChildProcess(setpriv, user + arguments, environment: environment)
        } else {
            child = try ChildProcess(program, arguments, environment: environment)
        }
        try await eventually("snmpd on port \(port)") {
            !child.isRunning || child.standardOutput.contains("NET-SNMP version")
        }
        if child.isRunning { return (folder, child) }
        let said = child.standardOutput + child.standardError
        guard said.contains("Error opening specified endpoint") else { throw TestSupportError("snmpd ended: \(said)") }
        return nil
    }

    private static let nobody: uid_t = 65534

    /// An office printer with two trays, a toner of 42 % and a waste box of 10 %, in these states.
    package static func printer(errors: String = "0x00", model: String = "Acme Laser 4250") -> [String] {
        [
            "1.3.6.1.2.1.25.3.2.1.3.1 octet_str \"\(model)\"", "1.3.6.1.2.1.25.3.5.1.1.1 integer 3",
            "1.3.6.1.2.1.25.3.5.1.2.1 octet_str \(errors)", "1.3.6.1.2.1.43.5.1.1.17.1 octet_str \"CNHXD12345\"",
            "1.3.6.1.2.1.43.8.2.1.10.1.1 integer 0", "1.3.6.1.2.1.43.8.2.1.10.1.2 integer -3",
            "1.3.6.1.2.1.43.10.2.1.4.1.1 counter 123456",
        ]
            + [
                ("4", "integer 3", "integer 4"), ("5", "integer 3", "integer 4"),
                ("6", "octet_str \"Black Toner\"", "octet_str \"Waste Box\""),
                ("8", "integer 10000", "integer 100"), ("9", "integer 4200", "integer 90"),
            ].flatMap { column, toner, waste in
                ["1.3.6.1.2.1.43.11.1.1.\(column).1.1 \(toner)", "1.3.6.1.2.1.43.11.1.1.\(column).1.2 \(waste)"]
            }
    }
}
