/// The settings for talking to a printer beyond its documents: which status it reports, how it confirms a job, and how
/// it recovers after a broken one. Its profile states them; what the profile leaves open has the default of
/// this type.
public struct DeviceSettings: Hashable, Sendable, Codable {
    /// Nil uses the command set of the printer's device id; without one the printer is never queried.
    public var language: Language?
    /// The strongest confirmation of a job that it gives. Nil uses the one that every printer of the language supports.
    public var completion: Completion?
    /// Whether and when its status may be queried.
    public var status: StatusRequests
    /// How it is brought back to a known state after a job that was cut off.
    public var recovery: Recovery
    /// The action on the partial receipt of a cancelled job.
    public var afterCancel: Ending
    /// The lowest speed of its paper, in millimetres per second. Nil assumes a slow printer.
    public var paperSpeed: Int?
    /// The level on the drawer connector's sense pin that means an open drawer; nil where the pin is not monitored.
    public var drawerOpen: DrawerLevel?
    /// Whether an office printer's SNMP agent is asked, beside `socket://` and `lpd://`. Nil asks it by the usual
    /// community.
    public var snmp: SNMPAccess?
    /// Its quirks on the USB bus.
    public var usb: USBSettings

    /// The command language in which the printer is queried.
    public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
        /// Epson's ESC/POS, and what is compatible with it.
        case escPOS = "esc-pos"
        /// Star Line Mode and StarPRNT, which share their status commands.
        case starLine = "star-line"
        /// Zebra's ZPL II.
        case zpl
        /// HP's Printer Job Language, around documents in whatever language.
        case pjl
    }

    /// The ways in which a printer confirms a job.
    public enum Completion: String, Hashable, Sendable, Codable, CaseIterable {
        /// ESC/POS `GS ( H` function 48: the printer returns an id when the paper has come out.
        case processID = "process-id"
        /// ESC/POS `GS r`: the printer responds when it has processed everything before it.
        case statusRequest = "status-request"
        /// Star `ETB`: the printer counts it when the paper has come out.
        case etb
        /// ZPL `~HS`: the printer says when it holds no label any more; with its odometer, that labels have come out.
        case hostStatus = "host-status"
        /// PJL `USTATUS JOB`: the printer says when a job's last page is in the output bin.
        case jobStatus = "job-status"
        /// The printer confirms nothing; a job is done when it has been sent.
        case none
    }

    /// The times at which the status may be queried.
    public enum StatusRequests: String, Hashable, Sendable, Codable, CaseIterable {
        /// Never query it: it would print the request, or fail on it.
        case never
        /// Only while no job is being sent.
        case betweenJobs = "between-jobs"
        /// Also during a job that makes no progress, since it processes real-time commands anywhere in the data.
        case realTime = "real-time"
    }

    /// The ways to end an incomplete command in the printer's buffer.
    public enum Recovery: String, Hashable, Sendable, Codable, CaseIterable {
        /// ESC/POS `DLE DC4` function 8 or Star `CAN`, which end any incomplete command.
        case clearBuffers = "clear-buffers"
        /// Sends as many NULs as an incomplete command may lack, then the language's initialise command.
        case padding
    }

    /// The actions at the end of a partial receipt.
    public enum Ending: String, Hashable, Sendable, Codable, CaseIterable {
        /// Feeds the paper to the cutter or tear bar, and with `cut` cuts it.
        case cut, feed
        /// Does nothing: the next receipt continues on the same paper.
        case leave
    }

    /// The levels of the drawer connector's sense pin (pin 3).
    public enum DrawerLevel: String, Hashable, Sendable, Codable, CaseIterable {
        /// The electrical level.
        case low, high
    }

    /// Creates settings; the defaults suit any receipt printer.
    public init(
        language: Language? = nil, completion: Completion? = nil, status: StatusRequests = .betweenJobs,
        recovery: Recovery = .padding, afterCancel: Ending = .cut, paperSpeed: Int? = nil,
        drawerOpen: DrawerLevel? = nil, snmp: SNMPAccess? = nil, usb: USBSettings = USBSettings()
    ) {
        self.language = language
        self.completion = completion
        self.status = status
        self.recovery = recovery
        self.afterCancel = afterCancel
        self.paperSpeed = paperSpeed
        self.drawerOpen = drawerOpen
        self.snmp = snmp
        self.usb = usb
    }

    enum CodingKeys: String, CodingKey {
        case language, completion, status, recovery
        case afterCancel = "after-cancel"
        case paperSpeed = "paper-speed"
        case drawerOpen = "drawer-open"
        case snmp = "snmp-community"
        case usb
    }
}

/// Whether a printer's SNMP agent is asked for the printer's state and supplies, and how.
public enum SNMPAccess: Hashable, Sendable {
    /// It is not asked.
    case off
    /// It is asked by this community, which grants access like a password that everybody can read.
    case community(String)

    /// RFC 3584 §2.2.2 keeps communities of at most 255 octets; agents take 32 or so.
    package static let maximumLength = 255

    /// Reads `off` or a community; nil for what no community can be.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, !text.hasControlCharacters else { return nil }
        self = text == "off" ? .off : .community(text)
    }
}

extension SNMPAccess: CustomStringConvertible {
    /// `off`, or the community.
    public var description: String {
        switch self {
        case .off: "off"
        case .community(let name): name
        }
    }
}

extension SNMPAccess: Codable {
    /// Decodes `off` or a community.
    /// - Throws: `DecodingError` for any other string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ SNMPAccess($0) }, problem: { _ in "neither off nor a community" })
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// The quirks of a printer on the USB bus: how it deviates from the USB printer class, as its profile states.
public struct USBSettings: Hashable, Sendable, Codable {
    /// Models that have a vendor-specific interface class although they are printers.
    public var vendorClass: [USBModel]
    /// Whether to never read from it, although it has an IN endpoint.
    public var unidirectional: Bool
    /// Whether a transfer of full packets has to end with a zero-length packet.
    public var zeroLengthPacket: Bool
    /// Whether it supports SOFT_RESET.
    public var softReset: Bool
    /// Whether to reattach the kernel's driver when it is closed.
    public var reattach: Bool

    /// Creates settings; the defaults are those of a printer that conforms to the USB printer class.
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

/// The vendor and product id of a USB device, as `lsusb` writes them: `04b8:0202`.
public struct USBModel: Hashable, Sendable {
    /// The vendor id, `idVendor`.
    public var vendor: UInt16
    /// The product id, `idProduct`.
    public var product: UInt16

    /// Creates a model from the ids of its device descriptor.
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
        // UInt16(_:radix:) would accept a sign too.
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return UInt16(text, radix: 16)
    }

    private static let digits = 4
}

extension USBModel: CustomStringConvertible {
    /// `04b8:0202`, in lower case.
    public var description: String { "\(Self.text(vendor)):\(Self.text(product))" }

    private static func text(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
    }
}

extension USBModel: Codable {
    /// Decodes `04b8:0202`.
    /// - Throws: `DecodingError` for any other string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ USBModel($0) }, problem: { _ in "no model such as 04b8:0202" })
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
