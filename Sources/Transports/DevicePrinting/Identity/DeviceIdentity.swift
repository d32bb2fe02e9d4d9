import PrintModel

/// What tells one USB printer from the others, strongest first.
package enum DeviceIdentity: Hashable, Sendable {
    /// The serial number of the USB descriptor.
    case serial(String)
    /// The hexadecimal digits of a serial number that is no text.
    case malformedSerial(String)
    /// Where it is plugged in, for one without a serial number, or with one that another has too: bus and ports as
    /// Linux names them, `1-2.4`. It stays the same over replugging, and not over another port.
    case port(path: String, serial: String?)

    /// Reads a serial number's descriptor (USB 2.0 §9.6.7): UTF-16, little-endian, without the two bytes in front.
    ///
    /// A number of nothing but zeros or blanks, or none, is no serial number; nil then.
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
        let hex = bytes.prefix(Self.longestSerial).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        self = .malformedSerial(String(decoding: hex, as: UTF8.self))
    }

    /// A string descriptor has at most 255 bytes, two of them its head (USB 2.0 §9.6.7).
    private static let longestSerial = 253

    /// This identity for a printer beside which another has the same one.
    package func shared(at port: String) -> DeviceIdentity {
        switch self {
        case .serial(let serial), .malformedSerial(let serial): .port(path: port, serial: serial)
        case .port(_, let serial): .port(path: port, serial: serial)
        }
    }

    /// The parts of a URL's query.
    var queryItems: [(name: String, value: String)] {
        switch self {
        case .serial(let serial), .malformedSerial(let serial): [("serial", serial)]
        case .port(let path, nil): [("port", path)]
        case .port(let path, let serial?): [("serial", serial), ("port", path)]
        }
    }
}
