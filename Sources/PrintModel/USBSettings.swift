/// How a printer on the USB bus departs from the printer class, as its profile says.
public struct USBSettings: Hashable, Sendable, Codable {
    /// Models whose class is the vendor's own, and which are printers all the same.
    public var vendorClass: [USBModel]
    /// It is never read from, though it has an endpoint for that.
    public var unidirectional: Bool
    /// It wants to be told by an empty packet that a transfer of whole packets has ended.
    public var zeroLengthPacket: Bool
    /// Whether it survives SOFT_RESET.
    public var softReset: Bool
    /// Whether the kernel's driver may have it back when it is closed.
    public var reattach: Bool

    public init(
        vendorClass: [USBModel] = [], unidirectional: Bool = false, zeroLengthPacket: Bool = false,
        softReset: Bool = true,
        reattach: Bool = true
    ) {
        self.vendorClass = vendorClass
        self.unidirectional = unidirectional
        self.zeroLengthPacket = zeroLengthPacket
        self.softReset = softReset
        self.reattach = reattach
    }

    enum CodingKeys: String, CodingKey {
        case vendorClass = "vendor-class"
        case unidirectional
        case zeroLengthPacket = "zero-length-packet"
        case softReset = "soft-reset"
        case reattach
    }
}

/// A model by the numbers of its USB descriptor, as `lsusb` writes them: `04b8:0202`.
public struct USBModel: Hashable, Sendable {
    public var vendor: UInt16
    public var product: UInt16

    public init(vendor: UInt16, product: UInt16) {
        self.vendor = vendor
        self.product = product
    }

    /// Reads `04b8:0202`; nil for anything else.
    public init?(_ text: String) {
        let (vendor, product) = text.splitOnce(at: ":")
        guard let vendor = Self.number(vendor), let product = product.flatMap(Self.number) else { return nil }
        (self.vendor, self.product) = (vendor, product)
    }

    private static func number(_ text: Substring) -> UInt16? {
        // The initializer would take a sign too.
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return UInt16(text, radix: 16)
    }

    private static let digits = 4
}

extension USBModel: CustomStringConvertible {
    public var description: String { "\(Self.text(vendor)):\(Self.text(product))" }

    private static func text(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
    }
}

extension USBModel: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let model = try USBModel(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no model such as 04b8:0202")
        }
        self = model
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
