import KioskDevicePrinting
import KioskPrintModel
import Testing

/// Identities of USB printers, and their URLs in the form that CUPS prints.
@Suite struct DeviceIdentityTests {
    /// The last column is the result of `make_device_uri` in CUPS 2.4.2, except where a comment says otherwise.
    @Test(arguments: [
        ("MFG:EPSON;MDL:TM-T20III;", "J4TC001", "usb://EPSON/TM-T20III?serial=J4TC001"),
        ("MFG:EPSON;MDL:EPSON TM-T20III;", "J4TC001", "usb://EPSON/TM-T20III?serial=J4TC001"),
        ("MFG:Hewlett-Packard;MDL:HP LaserJet 1320 series;", "00X", "usb://HP/LaserJet%201320%20series?serial=00X"),
        ("MFG:Zebra Technologies;MDL:ZTC GK420d;", "28J1", "usb://Zebra%20Technologies/ZTC%20GK420d?serial=28J1"),
        ("MFG:Acme;MDL:50% off;", "a b", "usb://Acme/50%25%20off?serial=a%20b"),
        ("MDL:Citizen CT-S310II;", "1", "usb://Citizen/CT-S310II?serial=1"),
        ("DES:Star TSP143;", "1", "usb://Star/TSP143?serial=1"),
        (
            "MFG:Samsung Electronics Co., Ltd.;MDL:M2020/A;", "Z",
            "usb://Samsung%20Electronics%20Co.,%20Ltd./M2020/A?serial=Z"
        ),
        ("MFG:A:B;MDL:x;", "1", "usb://A%3AB/x?serial=1"),
        // CUPS leaves these two as they are, and cannot read its URL back.
        ("MFG:Acme;MDL:A#1?;", "x&y", "usb://Acme/A%231%3F?serial=x%26y"),
    ])
    func `an id and a serial number make CUPS' URL`(_ id: String, _ serial: String, _ expected: String) throws {
        let names = try #require(DeviceID(id).names(product: nil, vendor: nil))
        let url = try #require(PrinterURL(maker: names.maker, model: names.model, identity: .serial(serial)))
        #expect(url == (try PrinterURL(expected)))
        #expect(try PrinterURL(url.description) == url)
        #expect(url.description == expected)
        #expect(url.host == names.maker)
        #expect(url.usbQueryItem("serial") == serial)
    }

    @Test func `the descriptor's strings stand in for a missing id`() throws {
        let names = try #require(DeviceID("").names(product: "POS-80\n", vendor: " STMicro "))
        #expect(names == ("STMicro", "POS-80"))
        #expect(DeviceID("").names(product: "", vendor: nil) == nil)
    }

    @Test func `printers that serial numbers cannot tell apart are told apart by their port`() throws {
        let identity = DeviceIdentity.serial("1").shared(at: "1-2.4")
        let url = try #require(PrinterURL(maker: "DYMO", model: "LabelWriter", identity: identity, interface: 1))
        #expect(url.description == "usb://DYMO/LabelWriter?serial=1&port=1-2.4&interface=1")
        let none = try #require(
            PrinterURL(maker: "DYMO", model: "LabelWriter", identity: .port(path: "1-3", serial: nil)))
        #expect(none.description == "usb://DYMO/LabelWriter?port=1-3")
        #expect(none.usbQueryItem("port") == "1-3")
        #expect(none.usbQueryItem("serial") == nil)
        #expect(PrinterURL(maker: "DYMO", model: "LabelWriter", identity: nil)?.description == "usb://DYMO/LabelWriter")
    }

    @Test func `no URL is made of nothing, or of too much`() {
        #expect(PrinterURL(maker: "", model: "x", identity: nil) == nil)
        #expect(PrinterURL(maker: "x", model: "", identity: nil) == nil)
        #expect(PrinterURL(maker: "x", model: String(repeating: " ", count: 400), identity: nil) == nil)
    }

    private static func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }

    @Test func `a serial number is text, or else hexadecimal digits`() {
        #expect(DeviceIdentity(serialDescriptor: Self.utf16("J4TC001 \0\0")) == .serial("J4TC001"))
        #expect(DeviceIdentity(serialDescriptor: Self.utf16("J\u{1}")) == .malformedSerial("4a000100"))
        #expect(DeviceIdentity(serialDescriptor: Self.utf16("Ü")) == .malformedSerial("dc00"))
        #expect(DeviceIdentity(serialDescriptor: [0x00, 0xD8, 0x31, 0x00]) == .malformedSerial("00d83100"))
        #expect(DeviceIdentity(serialDescriptor: Array("ODD".utf8)) == .malformedSerial("4f4444"))
    }

    @Test func `zeros and blanks are not a serial number`() {
        for text in ["", " ", "0000000000", "\0\0"] {
            #expect(DeviceIdentity(serialDescriptor: Self.utf16(text)) == nil, "\(text)")
        }
    }
}
