import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// `kioskctl profiles`, with the real daemon and its program.
@Suite struct KioskctlProfilesTests {
    private static func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(BuiltProducts.path("kioskctl"), ["profiles"] + arguments)
    }

    @Test func `lists and shows the daemon's profiles`() async throws {
        let daemon = try await KioskdFixture(arguments: ["--profiles", ShippedProfiles.folder])
        let list = try await daemon.kioskctl("profiles")
        #expect(list.end == .exited(0))
        #expect(list.standardOutput.contains("generic-80mm"))
        let labels = try await daemon.kioskctl("profiles", "list", "--language", "zpl", "--json")
        let profiles = try APIJSON.decode(ProfileList.self, from: Array(labels.standardOutput.utf8)).profiles
        #expect(!profiles.isEmpty && profiles.allSatisfy { $0.printing?.language == .zpl })
        let profile = try await daemon.kioskctl("profiles", "show", "epson-tm")
        for (label, value) in [
            ("inherits", "epson-thermal"), ("language", "esc-pos"), ("dots", "576 across, 203 an inch, paper 80 mm"),
            ("confirms by", "process-id"),
        ] {
            let lines = profile.standardOutput.split(separator: "\n")
            #expect(
                lines.contains { $0.hasPrefix("  \(label) ") && $0.hasSuffix("  \(value)") },
                "\(profile.standardOutput)")
        }
        #expect(try await daemon.client().profile("epson-tm").match.contains(ModelPattern("EPSON TM-T20*")))
        let unknown = try await daemon.kioskctl("profiles", "show", "no/such one")
        #expect(unknown.end == .exited(1))
        #expect(unknown.standardError.contains("there is no profile \"no/such one\""))
    }

    @Test func `a daemon without profiles says what to do`() async throws {
        let empty = try TemporaryFolder()
        let result = try await KioskdFixture(arguments: ["--profiles", empty.path]).kioskctl("profiles", "list")
        #expect(result.end == .exited(0))
        #expect(result.standardError.contains("start kioskd with --profiles"))
    }

    @Test func `checks profiles without a daemon`() async throws {
        let folder = try TemporaryFolder()
        let shipped = try await Self.run(["check", "--profiles", ShippedProfiles.folder])
        #expect(shipped.end == .exited(0))
        #expect(shipped.standardOutput.contains("profiles are valid"))
        // It inherits from one that is installed, and is none itself.
        let good = try folder.write("name: till\ndescription: d\ninherits: generic-58mm\n", to: "till.yaml")
        #expect(
            try await Self.run(["check", good, "--profiles", ShippedProfiles.folder]).standardOutput
                == "\(good): 1 profile is valid\n")
        let bad = try folder.write(
            "name: kiosk\ndescription: d\ninherits: generic-80nm\njob-types: [rol]\n", to: "kiosk.yaml")
        let result = try await Self.run(["check", good, bad, "--profiles", ShippedProfiles.folder])
        #expect(result.end == .exited(78))
        #expect(
            result.standardOutput == """
                \(bad):3:11: there is no profile "generic-80nm" to inherit from; write generic-80mm
                \(bad):4:13: the job type is not known: "rol"; write roll

                """)
        let json = try await Self.run(["check", "--json", bad, "--profiles", ShippedProfiles.folder]).standardOutput
        #expect(json.contains(#""line" : 3"#) && json.contains(#""instead" : "roll""#), "\(json)")
        let missing = try await Self.run(["check", folder.appending("gone.yaml")])
        #expect(missing.end == .exited(78))
        #expect(missing.standardOutput.contains("gone.yaml"))
    }

    @Test func `the daemon takes no files but for a check`() async throws {
        let result = try await ChildProcess.run(BuiltProducts.path("kioskd"), ["till.yaml"])
        #expect(result.end == .exited(64))
        #expect(result.standardError.contains("--check-profiles"))
    }
}
