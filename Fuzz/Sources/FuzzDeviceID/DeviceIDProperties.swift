import KioskDevicePrinting
import KioskPrintModel

/// What must hold for whatever a printer calls its device id or serial number.
enum DeviceIDProperties {
    static func check(_ bytes: [UInt8]) {
        for id in [DeviceID(bytes), DeviceID(reply: bytes)].compactMap(\.self) {
            checkFields(id)
            checkURL(id, serial: bytes)
        }
    }

    /// The fields are bounded and clean, and written again they read the same.
    private static func checkFields(_ id: DeviceID) {
        guard id.fields.count <= 64, Set(id.fields.map(\.key)).count == id.fields.count else {
            fatalError("too many fields")
        }
        for field in id.fields {
            guard !field.key.isEmpty, !field.value.isEmpty, field.value.utf8.count <= 255,
                !field.value.hasControlCharacters,
                !field.key.hasControlCharacters
            else { fatalError("a field that is not clean") }
        }
        let written = id.description
        guard written.utf8.count > DeviceID.maximumLength || DeviceID(written) == id else {
            fatalError("written again, it says something else")
        }
        guard id.languages.isEmpty == id.jobTypes.isEmpty else { fatalError("languages for nothing") }
    }

    /// The URL reads back with maker and serial number as they are.
    private static func checkURL(_ id: DeviceID, serial: [UInt8]) {
        let identity = DeviceIdentity(serialDescriptor: Array(serial.suffix(32)))
        for identity in [identity, identity?.shared(at: "1-2.4")] {
            guard let names = id.names(product: id.model, vendor: nil),
                let url = PrinterURL(maker: names.maker, model: names.model, identity: identity, interface: 1)
            else { continue }
            guard url.host == names.maker, let again = try? PrinterURL(url.description), again == url,
                url.usbQueryItem("interface") == "1"
            else { fatalError("a URL that does not read back") }
            if case .serial(let serial)? = identity, url.usbQueryItem("serial") != serial {
                fatalError("another serial number")
            }
        }
    }
}
