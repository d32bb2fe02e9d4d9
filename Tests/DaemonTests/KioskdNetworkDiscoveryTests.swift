import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// The daemon's look at a network of the test's own, where Avahi announces printers and others answer datagrams.
@Suite(.timeLimit(.minutes(5))) struct KioskdNetworkDiscoveryTests {
    private static let enpc: [UInt8] =
        Array("EPSONq".utf8) + [3, 0, 0, 0, 0, 0, 0, 14, 0, 0x26, 0xAB, 1, 2, 3] + Array("TM-m30\0\0".utf8)

    /// Star's response has the printer's name at 204.
    private static let star: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 302)
        bytes.replaceSubrange(0..<9, with: Array("STR_BCAST".utf8))
        bytes.replaceSubrange(16..<23, with: Array("RS1.0.1".utf8))
        bytes.replaceSubrange(204..<210, with: Array("TSP143".utf8))
        return bytes
    }()

    private static let zebra: [UInt8] = [0x3A, 0x2C, 0x2E, 3] + Array("79071\0\0\0ZD421\0\0\0\0\0\0\0".utf8)

    /// What the search finds once it has found all of these models: machines answer when they come to it.
    private func discover(_ daemon: KioskdFixture, _ models: Set<String>) async throws -> [DiscoveredPrinter] {
        try await eventuallyValue("printers on the network") {
            let result = try await daemon.kioskctl("discover", "--network", "--for", "2s", "--json")
            guard result.end == .exited(0) else { throw TestSupportError("kioskctl: \(result.standardError)") }
            let printers = try APIJSON.decode(DiscoveredPrinterList.self, from: Array(result.standardOutput.utf8))
                .printers
            // Over IPv6 they are found, too, at another moment.
            let found = printers.filter { $0.address == TestNetwork.address }.map(\.makeAndModel)
            return models.isSubset(of: found) ? printers : nil
        }
    }

    @Test func `announced printers and those that answer a broadcast are one list, and nothing is contacted or saved`()
        async throws
    {
        let network = try await TestNetwork()
        try await network.startAvahi()
        let folder = try TemporaryFolder("eve")
        let eve = try network.start(
            try InstalledProgram.path("ippeveprinter", package: "cups-ipp-utils"),
            ["-p", "8631", "-d", folder.path, "-K", folder.path, "-k", "-M", "ACME", "-m", "Laser 5", "Office"])
        let uuid = "UUID=01234567-89ab-cdef-0123-456789abcdef"
        try await network.announce(
            "Kitchen", "_pdl-datastream._tcp", port: 9100, ["ty=EPSON TM-m30", "note=Kitchen", uuid])
        try await network.announce("Kitchen", "_printer._tcp", port: 0, ["ty=EPSON TM-m30", uuid])
        try await network.announce("Stock", "_printer._tcp", port: 515, ["ty=ACME Matrix 9", "rp=lp"])
        let raw = try network.start(
            try InstalledProgram.path("socat", package: "socat"), ["-d", "-d", "TCP4-LISTEN:9100,fork", "-"])
        try await network.respond(atPort: 3289, with: Self.enpc)
        try await network.respond(atPort: 22222, with: Self.star)
        try await network.respond(atPort: 4201, with: Self.zebra)
        let daemon = try await KioskdFixture(
            registry:
                "version: 1\nprinters:\n  - { id: office, url: \"ipp://\(TestNetwork.address):8631/ipp/print\" }\n",
            arguments: ["--profiles", ShippedProfiles.folder], usb: try await USBEmulator(), network: network)
        let registry = try daemon.folder.read("printers.yaml")

        let models: Set = ["ACME Laser 5", "EPSON TM-m30", "ACME Matrix 9", "Star TSP143", "Zebra ZD421"]
        let printers = try await discover(daemon, models)
        #expect(printers.count == models.count)
        func printer(_ model: String) throws -> DiscoveredPrinter {
            try #require(printers.first { $0.makeAndModel == model })
        }
        let laser = try printer("ACME Laser 5")
        #expect(laser.url.scheme == .ipps)
        #expect(laser.otherURLs.map(\.scheme) == [.ipp])
        #expect(laser.savedAs?.rawValue == "office")
        let kitchen = try printer("EPSON TM-m30")
        #expect(kitchen.url.description == "socket://192.0.2.1")
        #expect(kitchen.otherURLs.isEmpty)
        #expect(kitchen.foundBy == ["dns-sd", "enpc"])
        #expect(kitchen.location == "Kitchen")
        #expect(kitchen.address == "192.0.2.1")
        #expect(kitchen.suggestedProfile == "epson-tm-m30")
        #expect(try printer("ACME Matrix 9").url.description == "lpd://192.0.2.1/lp")
        #expect(try printer("Star TSP143").foundBy == ["star-sdp"])
        #expect(try printer("Zebra ZD421").foundBy == ["zebra"])

        #expect(!raw.standardError.contains("accepting connection"), "\(raw.standardError)")
        #expect(try daemon.folder.read("printers.yaml") == registry)
        #expect(eve.isRunning)
    }

    @Test func `the command that is shown saves the printer, and the bus is looked at too`() async throws {
        let network = try await TestNetwork()
        try await network.startAvahi()
        try await network.announce(
            "Kitchen", "_pdl-datastream._tcp", port: 9100, ["ty=EPSON TM-m30", "usb_MFG=EPSON", "usb_MDL=TM-m30"])
        let usb = try await USBEmulator(["--device", "--serial", "T1"])
        let daemon = try await KioskdFixture(
            arguments: ["--profiles", ShippedProfiles.folder], usb: usb, network: network)
        let command = "kioskctl printers add tm-m30 'socket://192.0.2.1' --profile epson-tm-m30"
        try await eventually("the printer on the network") {
            let shown = try await daemon.kioskctl("discover", "--for", "2s")
            #expect(shown.end == .exited(0), "\(shown.standardError)")
            #expect(shown.standardOutput.contains("kioskctl printers add tm-t20ii 'usb://EPSON/TM-T20II?serial=T1'"))
            // Over IPv6 it may be found first.
            return shown.standardOutput.contains(command)
        }
        let saved = try await daemon.kioskctl(
            "printers", "add", "tm-m30", "socket://192.0.2.1", "--profile", "epson-tm-m30")
        #expect(saved.end == .exited(0), "\(saved.standardError)")
        let printers = try await discover(daemon, ["EPSON TM-m30"])
        #expect(printers.map(\.savedAs?.rawValue) == ["tm-m30"])
        let socket = try await daemon.curl("/v1/discovered-printers?scheme=ipp&for=1")
        #expect(!socket.text.contains("TM-m30"))
    }

    @Test func `a printer that Avahi announces is saved by the command that is shown, and prints`() async throws {
        let network = try await TestNetwork()
        try await network.startAvahi()
        let folder = try TemporaryFolder("eve")
        let eve = try network.start(
            try InstalledProgram.path("ippeveprinter", package: "cups-ipp-utils"),
            ["-p", "8631", "-d", folder.path, "-K", folder.path, "-k", "-M", "ACME", "-m", "Laser 5", "Office"])
        let daemon = try await KioskdFixture(
            arguments: ["--profiles", ShippedProfiles.folder], usb: try await USBEmulator(), network: network)
        let command = try await eventuallyValue("the printer's command") {
            let shown = try await daemon.kioskctl("discover", "--network", "--for", "2s")
            #expect(shown.end == .exited(0), "\(shown.standardError)")
            return shown.standardOutput.split(separator: "\n").lazy.compactMap { line in
                line.range(of: "kioskctl printers add").map { String(line[$0.lowerBound...]) }
            }.first { $0.contains(TestNetwork.address) }
        }
        // It signs its own certificate: the command has it asked for, and a person accepts it.
        #expect(command.hasSuffix("--trust ask"))
        let program = try BuiltProducts.path("kioskctl")
        let saved = try await ChildProcess.run(
            "/bin/sh", ["-c", "\(program)\(command.dropFirst("kioskctl".count)) --role document"],
            environment: ["KIOSKD_SOCKET": daemon.socket])
        #expect(saved.end.isSuccess, "\(saved.standardError)")
        let printers = try await daemon.client().printers()
        let id = try #require(printers.first).printer.id.rawValue
        let shown = try await daemon.curl("/v1/printers/\(id)/certificate").text
        let seen = try APIJSON.decode(PrinterTrust.self, from: Array(shown.utf8))
        let key = try #require(seen.certificate?.keyFingerprint).description
        let trusted = try await daemon.kioskctl("printers", "trust", id, "--yes", "--fingerprint", key)
        #expect(trusted.end == .exited(0), "\(trusted.standardError)")
        let printed = try await daemon.kioskctl("printers", "test", id, "--wait", "--timeout", "60")
        #expect(printed.end == .exited(0), "\(printed.standardOutput) \(printed.standardError)")
        #expect(eve.isRunning)
    }

    @Test func `without Avahi's daemon a note says what to install, and that is no failure`() async throws {
        let network = try await TestNetwork()
        try await network.respond(atPort: 3289, with: Self.enpc)
        let daemon = try await KioskdFixture(network: network)
        let printers = try await discover(daemon, ["EPSON TM-m30"])
        #expect(printers.map(\.foundBy) == [["enpc"]])
        let result = try await daemon.kioskctl("discover", "--network", "--for", "1s")
        #expect(result.end == .exited(0))
        #expect(result.standardError.contains("Avahi's daemon is not running"))
        #expect(result.standardError.contains("install avahi-daemon"))
        let stream = try await daemon.curl("/v1/discovery?connection=network&for=1")
        #expect(stream.text.contains("event: note"))
        #expect(stream.text.hasSuffix("event: end\ndata: {\"kind\":\"end\"}\n\n"))
        let list = try await daemon.curl("/v1/discovered-printers?connection=network&for=1")
        #expect(list.text.contains("\"notes\":[\"Avahi's daemon is not running"))
    }

    @Test func `a saved printer that stands at another address is recognised there, with the command that saves it`()
        async throws
    {
        let network = try await TestNetwork()
        let device = "00:26:ab:11:22:33"
        try await network.addAddress("192.0.2.5")
        try await network.addNeighbor("192.0.2.5", device)
        let printer = try network.start(
            try InstalledProgram.path("socat", package: "socat"), ["-d", "-d", "TCP4-LISTEN:9100,fork", "-"])
        try await eventually("the printer") { printer.standardError.contains("listening on") }
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: kitchen, url: "socket://192.0.2.5", location: "Bob's kitchen" }

                """, network: network)
        try await eventually("the device") {
            let status = try await daemon.curl("/v1/printers/kitchen").text
            return status.contains(device)
        }
        // The DHCP server gives it another address.
        try await network.addNeighbor(TestNetwork.address, device)
        try await network.respond(atPort: 3289, with: Self.enpc)
        let found = try #require(try await discover(daemon, ["EPSON TM-m30"]).first)
        #expect(found.savedAs?.rawValue == "kitchen")
        #expect(
            found.warnings == [
                "it is saved as kitchen at socket://192.0.2.5, and stands at another address now; save it there: "
                    + #"kioskctl printers add kitchen 'socket://192.0.2.1' --replace --location 'Bob'\''s kitchen'"#
            ])
        let health = try await daemon.curl("/v1/health").json(HealthReport.self)
        #expect(health.checks.first { $0.code == "printer-moved" }?.message == found.warnings.first)
        let saved = try await daemon.kioskctl(
            "printers", "add", "kitchen", "socket://192.0.2.1", "--replace", "--location", "Bob's kitchen")
        #expect(saved.end == .exited(0), "\(saved.standardError)")
        let later = try await daemon.curl("/v1/health").json(HealthReport.self)
        #expect(!later.checks.contains { $0.code == "printer-moved" })
        #expect(try await discover(daemon, ["EPSON TM-m30"]).first?.warnings == [])
    }

    @Test func `a message bus that says nothing keeps no search from its end`() async throws {
        let network = try await TestNetwork()
        let folder = try TemporaryFolder("silent")
        let socket = folder.appending("bus")
        let socat = try InstalledProgram.path("socat", package: "socat")
        try network.start(socat, ["UNIX-LISTEN:\(socket),fork", "SYSTEM:sleep 600"])
        try await eventually("the silent bus") { try isListening(atSocket: socket) }
        let daemon = try await KioskdFixture(
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(socket)"], network: network)
        let path = "/v1/discovery?connection=network&for=1"
        // The threads of such searches wait for libdbus's timeout of 25 s.
        for _ in 0..<3 {
            let text = try await daemon.curl(path).text
            #expect(text.contains("event: end"))
            #expect(text.contains("Avahi's daemon has not answered"))
        }
        #expect(try await daemon.terminate() == .exited(0))
    }

    @Test func `Avahi's library is loaded when the network is first looked at`() async throws {
        let network = try await TestNetwork()
        let daemon = try await KioskdFixture(network: network)
        func isLoaded() async throws -> Bool {
            let maps = "/proc/\(try daemon.process.processID)/maps"
            let libraries = try await ChildProcess.run("/bin/cat", [maps]).standardOutput
            #expect(libraries.contains("libusb"))
            return libraries.contains("libavahi")
        }
        #expect(try await daemon.curl("/v1/discovered-printers?scheme=usb").status == 200)
        #expect(try await !isLoaded())
        #expect(try await daemon.curl("/v1/discovered-printers?connection=network&for=1").status == 200)
        try await eventually("Avahi's library") { try await isLoaded() }
    }

    @Test(arguments: ["scheme=tin-can", "connection=air", "for=0", "for=61", "until=now"])
    func `what is not known is refused before anything is looked at`(_ query: String) async throws {
        let daemon = try await KioskdFixture()
        for path in ["/v1/discovery", "/v1/discovered-printers"] {
            let response = try await daemon.curl("\(path)?\(query)")
            #expect(response.status == 400, "\(response.text)")
        }
    }
}
