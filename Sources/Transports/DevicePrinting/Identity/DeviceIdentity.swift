package import KioskPrintModel

/// The property that distinguishes one USB printer from others, strongest first.
package enum DeviceIdentity: Hashable, Sendable {
    /// The serial number of the USB descriptor.
    case serial(String)
    /// The hexadecimal digits of a serial number that is not text.
    case malformedSerial(String)
    /// The place where it is plugged in, for a printer without a serial number or with a shared one: bus and ports as
    /// Linux names them, `1-2.4`. It stays the same when the printer is replugged at that port.
    case port(path: String, serial: String?)

    /// Parses a serial number's descriptor (USB 2.0 §9.6.7): UTF-16, little-endian, without the two header bytes.
    ///
    /// Nil where there is no serial number, or only zeros or blanks.
    package init?(serialDescriptor bytes: [UInt8]) {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        let isWhole = bytes.count.isMultiple(of: 2)
        if isWhole, let text = String(validating: units, as: UTF16.self) {
            let trimmed = String(text.prefix { $0 != "\0" }[...].trimmingBlanks())
            guard trimmed.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
            if trimmed.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
                self = .serial(trimmed)
                return
            }
        }
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        let hex = bytes.prefix(Self.maximumSerialLength).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        self = .malformedSerial(String(decoding: hex, as: UTF8.self))
    }

    /// A string descriptor has at most 255 bytes, two of them its header (USB 2.0 §9.6.7).
    private static let maximumSerialLength = 253

    /// This identity for a printer that shares it with another printer.
    package func shared(at port: String) -> DeviceIdentity {
        switch self {
        case .serial(let serial), .malformedSerial(let serial): .port(path: port, serial: serial)
        case .port(_, let serial): .port(path: port, serial: serial)
        }
    }

    /// The query items of the printer's URL.
    fileprivate var queryItems: [(name: String, value: String)] {
        switch self {
        case .serial(let serial), .malformedSerial(let serial): [("serial", serial)]
        case .port(let path, nil): [("port", path)]
        case .port(let path, let serial?): [("serial", serial), ("port", path)]
        }
    }
}

extension PrinterURL {
    /// The URL of a USB printer in CUPS' form, `usb://Maker/Model?serial=S&interface=1`; nil where that is too long.
    ///
    /// Where the printer has no serial number or shares it, `port=1-2.4` says where it is plugged in; CUPS has no
    /// equivalent. The URL names the interface where it is not the first.
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

    // CUPS' `httpAssembleURI` keeps every visible ASCII character except the percent sign; in the host, those of a
    // registered name.

    /// Excludes the question mark, which would start the query, and the number sign, which would start a fragment;
    /// CUPS keeps them and cannot parse its own URL.
    private static func isKeptInModel(_ byte: UInt8) -> Bool { isVisible(byte) && !"?#".utf8.contains(byte) }

    /// Excludes the ampersand, which would start the next item.
    private static func isKeptInQuery(_ byte: UInt8) -> Bool { isVisible(byte) && !"&#".utf8.contains(byte) }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "%") }
}
