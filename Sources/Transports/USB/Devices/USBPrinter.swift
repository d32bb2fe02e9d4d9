package import DevicePrinting
package import PrintModel

/// A printer that is plugged in, as it was when it was looked at.
package struct USBPrinter: Hashable, Sendable {
    package var vendor: UInt16
    package var product: UInt16
    package var port: USBPort
    /// Changes with each plugging in.
    package var address: UInt8
    /// The texts of its descriptor.
    package var manufacturer: String?
    package var productName: String?
    /// What tells it from the others; nil where nothing but make and model is known.
    package var identity: DeviceIdentity?
    package var warning: Warning?
    package var interfaces: [USBPrinterInterface]
    /// Whether this process may open its node.
    package var isAccessible: Bool

    /// Why its URL does not hold for it wherever it is plugged in.
    package enum Warning: Hashable, Sendable {
        case noSerialNumber
        /// Another printer that is plugged in has the same one.
        case sharedSerialNumber
        /// Its serial number is no text; the digits of its bytes stand for it.
        case malformedSerialNumber
    }

    /// The file that is opened to reach it.
    package var node: String { "/dev/bus/usb/\(Self.threeDigits(port.bus))/\(Self.threeDigits(address))" }

    private static func threeDigits(_ number: UInt8) -> String {
        let text = String(number)
        return String(repeating: "0", count: 3 - text.utf8.count) + text
    }

    /// The device id of the interface that it is driven by, else the first there is.
    package var deviceID: DeviceID? {
        choice(for: .raw)?.interface.deviceID ?? interfaces.lazy.compactMap(\.deviceID).first
    }

    /// As its URL names it.
    package var names: (maker: String, model: String) {
        (deviceID ?? DeviceID("")).names(product: productName, vendor: manufacturer)
            ?? ("Unknown", USBModel(vendor: vendor, product: product).description)
    }

    /// What its profile is found by; `profile` is the one that it is saved with.
    func identity(profile: String?) -> PrinterIdentity {
        PrinterIdentity(profile: profile, makeAndModel: makeAndModel, deviceID: deviceID?.description)
    }

    /// The URL to save it by.
    package var url: PrinterURL? { PrinterURL(maker: names.maker, model: names.model, identity: identity) }
}
