import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Office printers under `socket://`, whose SNMP agents tell what raw TCP does not.
@Suite struct KioskdSNMPTests {
    @Test(.enabled(if: geteuid() == 0 && SNMPDaemon.obstacle == nil, "it needs root and snmpd"))
    func `the supplies and the open door of a raw printer are shown, unless its profile forbids to ask`() async throws {
        let network = try await TestNetwork()
        for port in [9100, 9101] {
            try network.start(
                try InstalledProgram.path("socat", package: "socat"),
                ["-u", "TCP-LISTEN:\(port),reuseaddr,fork", "OPEN:/dev/null"])
        }
        let agent = try await SNMPDaemon(in: network, SNMPDaemon.printer(errors: "0x0800"))
        let profiles = try TemporaryFolder("profiles")
        try profiles.write(
            "name: mute\ndescription: d\njob-types: [document]\ndevice: { snmp-community: off }\n", to: "mute.yaml")
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: office, url: "socket://\(TestNetwork.address)" }
                  - { id: mute, url: "socket://\(TestNetwork.address):9101", profile: mute }
                roles:
                  report:
                    printers: [office, mute]

                """, arguments: ["--profiles", profiles.path], network: network)
        let client = daemon.client()
        defer { client.close() }
        let (office, mute) = (PrinterID(rawValue: "office")!, PrinterID(rawValue: "mute")!)
        let status = try await eventuallyValue("what the agent says") {
            _ = try await client.contact(office)
            let status = try await client.printer(office)
            return status.description?.supplies.isEmpty == false ? status : nil
        }
        #expect(status.availability.state == .stopped)
        #expect(status.availability.reasons.map(\.ippKeyword) == ["door-open-error"])
        #expect(status.description?.makeAndModel == "Acme Laser 4250")
        #expect(
            status.description?.supplies == [
                Supply(name: "Black Toner", type: "toner", level: 42),
                Supply(name: "Waste Box", type: "waste-toner", level: 10),
            ])
        let shown = try await daemon.kioskctl("printers", "show", "office", "--json")
        #expect(shown.standardOutput.contains("Black Toner"), "\(shown.standardOutput)\(shown.standardError)")

        let other = try await eventuallyValue("the other to be ready") {
            _ = try await client.contact(mute)
            let status = try await client.printer(mute)
            return status.availability.state == .ready ? status : nil
        }
        #expect(other.availability.state == .ready && other.description?.supplies == [])

        // Nothing stays stopped by an agent that is gone.
        try await agent.stop()
        try await eventually("the printer to be ready") {
            _ = try await client.contact(office)
            return try await client.printer(office).availability.state == .ready
        }
    }
}
