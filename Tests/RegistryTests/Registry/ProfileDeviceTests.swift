import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

@Suite struct ProfileDeviceTests {
    private func read(_ device: String) -> (profile: PrinterProfile?, problems: [RegistryProblem]) {
        ProfileReader.read(
            Array("name: till\ndescription: d\nmatch: [Acme*]\ndevice:\n\(device)\n".utf8), file: "till.yaml",
            name: "till")
    }

    @Test func `reads how a receipt printer is spoken to`() {
        let (profile, problems) = read(
            """
              language: esc-pos
              completion: process-id
              status: real-time
              recovery: clear-buffers
              after-cancel: feed
              paper-speed: 150
              drawer-open: low
            """)
        #expect(problems.isEmpty)
        #expect(profile?.jobTypes == nil)
        #expect(
            profile?.device
                == DeviceSettings(
                    language: .escPOS, completion: .processID, status: .realTime, recovery: .clearBuffers,
                    afterCancel: .feed,
                    paperSpeed: 150, drawerOpen: .low))
    }

    @Test func `reads how a printer departs from the printer class`() {
        let (profile, problems) = read(
            """
              usb:
                vendor-class: [04b8:0202, "0519:000A"]
                unidirectional: true
                zero-length-packet: true
                soft-reset: false
                reattach: false
            """)
        #expect(problems.isEmpty)
        let models = [USBModel(vendor: 0x04B8, product: 0x0202), USBModel(vendor: 0x0519, product: 0x000A)]
        #expect(
            profile?.device?.usb
                == USBSettings(
                    vendorClass: models, unidirectional: true, zeroLengthPacket: true, softReset: false, reattach: false
                ))
        #expect(profile.map { ProfileLibrary([$0]).usbVendorPrinters } == Set(models))
        #expect(models.map(\.description) == ["04b8:0202", "0519:000a"])
    }

    @Test(arguments: [("off", .off), ("\"off\"", .off), ("till-7", .community("till-7"))] as [(String, SNMPAccess)])
    func `reads whether and how an agent is asked`(text: String, access: SNMPAccess) throws {
        let (profile, problems) = read("  snmp-community: \(text)")
        #expect(problems.isEmpty)
        #expect(profile?.device == DeviceSettings(snmp: access))
    }

    @Test func `what a profile leaves open has its standard`() {
        #expect(read("  status: never").profile?.device == DeviceSettings(status: .never))
        #expect(ProfileLibrary([]).deviceSettings(for: PrinterIdentity(makeAndModel: "Acme 1")) == DeviceSettings())
    }

    @Test func `the profile that the registry names comes first, then the most specific match`() {
        func profile(_ name: String, _ match: [String], _ speed: Int?) -> PrinterProfile {
            PrinterProfile(
                name: name, description: "d", jobTypes: nil, match: match.map { ModelPattern($0) },
                device: speed.map { DeviceSettings(paperSpeed: $0) })
        }
        let library = ProfileLibrary([
            profile("named", [], 1), profile("broad", ["Acme*"], 2), profile("narrow", ["Acme 1*"], 3),
            profile("silent", ["Acme 1"], nil),
        ])
        func speed(_ name: String?, _ model: String?) -> Int? {
            library.deviceSettings(for: PrinterIdentity(profile: name, makeAndModel: model)).paperSpeed
        }
        #expect(speed("named", "Acme 1") == 1)
        #expect(speed(nil, "acme 1") == 3)
        #expect(speed("silent", "Acme 2") == 2)
        #expect(speed(nil, nil) == nil)
    }

    @Test(arguments: [
        ("  language: dpl", "the language of the device is not known: \"dpl\""),
        ("  completion: printed", "the completion is not known: \"printed\""),
        ("  status: always", "when to ask for the status is not known: \"always\""),
        ("  recovery: reset", "the recovery is not known: \"reset\""),
        ("  after-cancel: eject", "what is done after a cancel is not known: \"eject\""),
        ("  drawer-open: \"yes\"", "the level of an open drawer is not known: \"yes\""),
        ("  paper-speed: fast", "the speed of the paper must be a whole number: \"fast\""),
        ("  paper-speed: 0", "no receipt printer moves its paper at this speed: \"0\""),
        ("  usb: { vendor-class: [4b8:202] }", "the USB model is not a pair of numbers: \"4b8:202\""),
        ("  usb: { vendor-class: [\"+4b8:0202\"] }", "the USB model is not a pair of numbers: \"+4b8:0202\""),
        ("  usb: { vendor-class: 04b8:0202 }", "vendor-class must be a list, and is a single value"),
        ("  usb: { soft-reset: never }", "soft-reset must be true or false: \"never\""),
        ("  usb: { speed: high }", "the device's usb has no key \"speed\""),
        ("  snmp-community: \"\"", "the SNMP community cannot be used, and is empty"),
        ("  snmp-community: [public]", "the SNMP community must be a string, and is a list"),
        ("  baud: 9600", "device has no key \"baud\""),
        (
            "  { language: star-line, completion: process-id }",
            "a printer of the language star-line does not confirm jobs this way: \"process-id\""
        ),
        (
            "  { language: esc-pos, completion: etb }",
            "a printer of the language esc-pos does not confirm jobs this way: \"etb\""
        ),
    ])
    func `says what is wrong and where`(device: String, message: String) {
        let (profile, problems) = read(device)
        #expect(profile == nil)
        #expect(problems.map(\.message) == [message])
        #expect(problems.first?.line == 5)
    }

    @Test(
        arguments: [
            ("EPSON TM-T88V", .escPOS, .processID), ("EPSON TM-T20III", .escPOS, .processID),
            ("Epson TM-m30II-NT", .escPOS, .processID),
            ("EPSON TM-T88III", nil, nil), ("EPSON TM-U220", nil, nil), ("Star TSP654", .starLine, .etb),
            ("Star TSP143", nil, nil),
        ] as [(String, DeviceSettings.Language?, DeviceSettings.Completion?)])
    func `the profiles that ship know which models confirm`(
        model: String, language: DeviceSettings.Language?, completion: DeviceSettings.Completion?
    ) throws {
        let folder = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/profiles"
        let settings = try ProfileLibrary.load(folder).deviceSettings(for: PrinterIdentity(makeAndModel: model))
        #expect(settings.language == language)
        #expect(settings.completion == completion)
    }
}
