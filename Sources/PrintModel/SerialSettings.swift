/// The settings of a serial line, on which both ends of the cable must agree, as the options of a `serial` URL:
/// `?baud=115200+bits=8+parity=none+flow=hard+stop=1`. They are those of CUPS's backend, with `+` or `&` between them.
public struct SerialSettings: Hashable, Sendable {
    /// The speed in bits per second; one of `speeds`.
    public var baud = 9600
    /// The data bits of a character: 7 or 8.
    public var dataBits = 8
    /// The check of each character.
    public var parity = Parity.none
    /// How the printer is kept from receiving more than it has room for.
    public var flowControl = FlowControl.none
    /// The stop bits behind a character: 1 or 2.
    public var stopBits = 1

    /// The checks of a character.
    public enum Parity: String, Hashable, Sendable, CaseIterable {
        /// None.
        case none
        /// A bit that makes the number of ones even.
        case even
        /// A bit that makes the number of ones odd.
        case odd
    }

    /// The ways in which a printer says that it has no room.
    public enum FlowControl: String, Hashable, Sendable, CaseIterable {
        /// Not at all: what it has no room for is lost.
        case none
        /// XON and XOFF among the data, which therefore can hold neither.
        case soft
        /// The wires RTS and CTS.
        case hard
        /// The printer's DTR, which arrives as DSR: the factory setting of most receipt printers.
        case dataSetReady = "dtrdsr"
    }

    /// The speeds that Linux has a constant for (asm-generic/termbits.h), in bits per second.
    public static let speeds = [
        1200, 1800, 2400, 4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600,
        1_000_000, 1_152_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000, 3_500_000, 4_000_000,
    ]

    /// Creates the settings that a URL without options has: 9600 baud, 8 data bits, no parity, no flow control.
    public init() {}

    /// The bits that a character takes on the line, with its start bit.
    package var bitsPerCharacter: Int { 1 + dataBits + (parity == .none ? 0 : 1) + stopBits }
}

extension SerialSettings {
    /// Reads the options of a URL.
    init(options: Substring?) throws(PrinterURLError) {
        for option in options?.split(whereSeparator: { $0 == "+" || $0 == "&" }) ?? [] {
            let (name, value) = option.splitOnce(at: "=")
            guard set(name, to: value ?? "") else {
                throw PrinterURLError(
                    "its option \"\(option)\" is not known",
                    instead: """
                        options such as ?baud=115200+bits=8+parity=none+flow=hard+stop=1; baud is 1200, 2400, 4800, 9600, \
                        19200, 38400, 57600, 115200, 230400 or faster, bits 7 or 8, parity none, even or odd, flow none, \
                        soft, hard or dtrdsr, stop 1 or 2
                        """)
            }
        }
    }

    /// Sets an option; false where name or value is not known.
    private mutating func set(_ name: Substring, to value: Substring) -> Bool {
        switch name {
        case "baud":
            guard let baud = Int(digits: value), Self.speeds.contains(baud) else { return false }
            self.baud = baud
        case "bits":
            guard let bits = Int(digits: value), (7...8).contains(bits) else { return false }
            dataBits = bits
        case "parity":
            guard let parity = Parity(rawValue: String(value)) else { return false }
            self.parity = parity
        case "flow":
            // CUPS has two words for it.
            guard let flow = FlowControl(rawValue: value == "rtscts" ? "hard" : String(value)) else { return false }
            flowControl = flow
        case "stop":
            guard let bits = Int(digits: value), (1...2).contains(bits) else { return false }
            stopBits = bits
        default: return false
        }
        return true
    }

    /// The options in their normal form: the speed, and what differs from the settings of a URL without options.
    var options: String {
        let usual = SerialSettings()
        return [
            "baud=\(baud)", dataBits == usual.dataBits ? nil : "bits=\(dataBits)",
            parity == usual.parity ? nil : "parity=\(parity.rawValue)",
            flowControl == usual.flowControl ? nil : "flow=\(flowControl.rawValue)",
            stopBits == usual.stopBits ? nil : "stop=\(stopBits)",
        ].compactMap(\.self).joined(separator: "+")
    }
}
