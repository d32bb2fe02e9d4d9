package import PrintModel

extension PrinterURL {
    /// The URL of a USB printer in CUPS' form, `usb://Maker/Model?serial=S&interface=1`; nil when it would be too long.
    ///
    /// Where the printer has no serial number, or not for itself, `port=1-2.4` says where it is plugged in; CUPS has
    /// nothing for that. The interface is named where it is not the first.
    package init?(maker: String, model: String, identity: DeviceIdentity?, interface: Int = 0) {
        var items = identity?.queryItems ?? []
        if interface > 0 { items.append(("interface", String(interface))) }
        let query = items.map { "\($0.name)=\(PercentEncoding.encode($0.value, keeping: Self.isKeptInQuery))" }
        var text = "usb://\(PercentEncoding.encode(maker, keeping: PercentEncoding.isRegisteredName))"
        text += "/\(PercentEncoding.encode(model, keeping: Self.isKeptInModel))"
        if !query.isEmpty { text += "?\(query.joined(separator: "&"))" }
        guard let url = try? PrinterURL(text) else { return nil }
        self = url
    }

    // CUPS' `httpAssembleURI` keeps every visible ASCII character but the percent sign; in the host, a registered
    // name's.

    /// The question mark would begin the query, and the number sign a fragment: there CUPS' URL cannot be read back.
    private static func isKeptInModel(_ byte: UInt8) -> Bool { isVisible(byte) && !"?#".utf8.contains(byte) }

    /// The ampersand would begin the next item.
    private static func isKeptInQuery(_ byte: UInt8) -> Bool { isVisible(byte) && !"&#".utf8.contains(byte) }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "%") }

    /// The number of the interface that a `usb` URL names; nil where it names none.
    package var usbInterface: Int? { usbQueryItem("interface").flatMap { Int($0) } }

    /// What the query of a `usb` URL says of an item; nil where it does not.
    package func usbQueryItem(_ name: String) -> String? {
        guard scheme == .usb, let query else { return nil }
        for item in query.split(separator: "&") {
            let (key, value) = item.splitOnce(at: "=")
            if key == name { return value.flatMap { PercentEncoding.decode($0) } }
        }
        return nil
    }
}
