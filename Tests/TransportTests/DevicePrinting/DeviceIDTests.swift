import KioskDevicePrinting
import KioskPrintModel
import Testing

/// IEEE 1284 device ids as printers send them, with their faults.
@Suite struct DeviceIDTests {
    private static let epson = "MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;CLS:PRINTER;DES:EPSON TM-T20III;"

    private static func reply(_ text: String, length: [UInt8]? = nil) -> [UInt8] {
        let count = text.utf8.count + 2
        return (length ?? [UInt8(count >> 8), UInt8(count & 255)]) + Array(text.utf8)
    }

    @Test func `an id gives its fields`() throws {
        let id = try #require(DeviceID(reply: Self.reply(Self.epson)))
        #expect(id.manufacturer == "EPSON")
        #expect(id.model == "TM-T20III")
        #expect(id.commandSets == ["ESC/POS"])
        #expect(id.deviceClass == "PRINTER")
        #expect(id.productDescription == "EPSON TM-T20III")
        #expect(id.serialNumber == nil)
        #expect(id.makeAndModel == "EPSON TM-T20III")
        #expect(id.description == Self.epson)
    }

    @Test func `the long keys mean the same`() {
        let id = DeviceID(
            "MANUFACTURER: Zebra Technologies ;COMMAND SET:ZPL, EPL;MODEL:ZTC GK420d;CLASS:PRINTER;SERIALNUMBER:12;")
        #expect(id.manufacturer == "Zebra Technologies")
        #expect(id.model == "ZTC GK420d")
        #expect(id.commandSets == ["ZPL", "EPL"])
        #expect(id.serialNumber == "12")
        #expect(id.jobTypes == .label)
    }

    /// The count of bytes behind the two of the length is 68.
    @Test(
        arguments: [
            ("big-endian, inclusive", [0x00, 0x46]), ("big-endian, exclusive", [0x00, 0x44]),
            ("little-endian, inclusive", [0x46, 0x00]), ("little-endian, exclusive", [0x44, 0x00]),
            ("nothing", [0x00, 0x00]), ("far too long", [0xFF, 0xFF]), ("too short for any id", [0x00, 0x05]),
        ] as [(String, [UInt8])])
    func `a length in any form gives the whole id`(_ form: String, _ length: [UInt8]) {
        #expect(Self.epson.utf8.count == 68)
        #expect(DeviceID(reply: Self.reply(Self.epson, length: length))?.description == Self.epson)
        #expect(
            DeviceID(reply: Self.reply(Self.epson, length: length) + [UInt8](repeating: 0, count: 100))?.description
                == Self.epson)
    }

    @Test func `what stands behind the length is left out`() {
        let bytes = Self.reply(Self.epson) + Array("SN:STALE;".utf8)
        #expect(DeviceID(reply: bytes)?.serialNumber == nil)
    }

    @Test(
        arguments: [[], [0], [0, 2], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF], [0, 14] + Array(";;;;;;;;;;;;".utf8)]
            as [[UInt8]])
    func `no id is none`(_ bytes: [UInt8]) {
        #expect(DeviceID(reply: bytes) == nil)
    }

    @Test func `an id cut off at any byte gives the fields that came whole, and perhaps a part of the next`() {
        let whole = Self.reply(Self.epson)
        let fields = DeviceID(Self.epson).fields
        for count in 0...whole.count {
            let found = DeviceID(reply: Array(whole.prefix(count)))?.fields ?? []
            #expect(found.count <= fields.count)
            for (index, field) in found.enumerated() {
                #expect(field.key == fields[index].key)
                #expect(fields[index].value.hasPrefix(field.value))
            }
        }
    }

    @Test(arguments: [
        ("the last of a doubled key", "MFG:A;MFG:B;MDL:x;", "MFG:B;MDL:x;"),
        ("no colon", "MFG:A;MDL;DES:d;", "MFG:A;DES:d;"),
        ("no value", "MFG:;MDL:x;", "MDL:x;"),
        ("no key", ":A;MDL:x;", "MDL:x;"),
        ("no last semicolon", "MFG:A;MDL:x", "MFG:A;MDL:x;"),
        ("blanks and line ends", " MFG : A ;\r\nmdl:x\n;", "MFG:A;MDL:x;"),
        ("a colon in the value", "DES:a:b;", "DES:a:b;"),
        ("control characters", "MFG:A\u{1B}[2J;MDL:\u{7}x;", "MFG:A [2J;MDL:x;"),
    ])
    func `faulty fields are mended or left out`(_ fault: String, _ text: String, _ expected: String) {
        #expect(DeviceID(text).description == expected)
    }

    @Test func `non-ASCII is UTF-8 or else Latin-1`() {
        #expect(DeviceID(Array("MFG:B\u{FC}ro;".utf8)).manufacturer == "Büro")
        #expect(DeviceID(Array("MFG:B".utf8) + [0xFC] + Array("ro;".utf8)).manufacturer == "Büro")
        #expect(DeviceID(Array("M".utf8) + [0xFC] + Array("G:x;".utf8)).fields.isEmpty)
    }

    @Test func `an endless id is bounded`() {
        let id = DeviceID((0..<100_000).lazy.map { UInt8(ascii: $0.isMultiple(of: 2) ? ":" : ";") })
        #expect(id.fields.isEmpty)
        let many = DeviceID((0..<5000).map { "K\($0):v;" }.joined())
        #expect(many.fields.count == 64)
        let long = DeviceID("MFG:" + String(repeating: "ü", count: 5000))
        #expect(long.manufacturer?.utf8.count == 254)
    }

    @Test(
        arguments: [
            ("CMD:ESC/POS;", .escPOS), ("CMD:STAR;", .starLine), ("CMD:PJL,STAR,ESC/POS;", .starLine),
            ("CMD:ZPL;", nil), ("", nil),
        ] as [(String, DeviceSettings.Language?)])
    func `command sets tell in which language to ask for the status`(_ id: String, _ language: DeviceSettings.Language?)
    {
        #expect(DeviceID(id).statusLanguage == language)
    }

    @Test(
        arguments: [
            ("CMD:ESC/POS;", ["ESC/POS"], [.receipt, .roll]), ("CMD:STAR;", ["STAR"], [.receipt, .roll]),
            ("COMMAND SET:ZPL;", ["ZPL"], .label), ("CMD:EPL2;", ["EPL"], .label), ("CMD:TSPL;", ["TSPL"], .label),
            ("CMD:ESCLABEL;", ["ESCLABEL"], .label), ("CMD:ESCPL2,BDC,D4;", ["ESCPL2"], [.general, .document]),
            ("CMD:PJL,PCL,PCLXL,POSTSCRIPT,PDF;", ["PCL", "POSTSCRIPT", "PDF"], [.general, .document]),
            ("CMD:;", [], []), ("CMD:XYZ;", [], []),
        ] as [(String, [String], JobTypes)])
    func `command sets tell the languages and job types`(_ id: String, _ languages: [String], _ jobTypes: JobTypes) {
        #expect(DeviceID(id).languages.map(\.name) == languages)
        #expect(DeviceID(id).jobTypes == jobTypes)
    }
}
