public import PrintModel

/// A printer that is there, saved or not.
public struct DiscoveredPrinter: Hashable, Sendable, Codable {
    /// What to save it under.
    public var url: PrinterURL
    public var makeAndModel: String
    /// Where it is plugged in, as the system names it: `1-2.4`.
    public var port: String
    /// What its device id says that it is for; nil where that says nothing.
    public var jobTypes: JobTypes?
    /// Whether it has interfaces of IPP over USB.
    public var hasIPPOverUSB: Bool
    /// The saved printer that it is.
    public var savedAs: PrinterID?
    public var owner: Owner
    /// The name of the kernel's driver that owns it.
    public var driver: String?
    /// Whether the daemon may open it.
    public var isAccessible: Bool
    /// Why its URL may name another printer one day, and what to do; why it cannot be opened, and what to do.
    public var warnings: [String]
    /// A name for it that no saved printer has.
    public var suggestedID: PrinterID

    /// Who has it open.
    public enum Owner: String, Hashable, Sendable, Codable, CaseIterable {
        case nobody
        case daemon
        /// It gives way.
        case kernelDriver = "kernel-driver"
        /// Another program, which does not.
        case program
    }

    public init(
        url: PrinterURL, makeAndModel: String, port: String, jobTypes: JobTypes? = nil, hasIPPOverUSB: Bool = false,
        savedAs: PrinterID? = nil, owner: Owner = .nobody, driver: String? = nil, isAccessible: Bool = true,
        warnings: [String] = [], suggestedID: PrinterID
    ) {
        self.url = url
        self.makeAndModel = makeAndModel
        self.port = port
        self.jobTypes = jobTypes
        self.hasIPPOverUSB = hasIPPOverUSB
        self.savedAs = savedAs
        self.owner = owner
        self.driver = driver
        self.isAccessible = isAccessible
        self.warnings = warnings
        self.suggestedID = suggestedID
    }

    enum CodingKeys: String, CodingKey {
        case url
        case makeAndModel = "make-and-model"
        case port
        case jobTypes = "job-types"
        case hasIPPOverUSB = "ipp-over-usb"
        case savedAs = "saved-as"
        case owner, driver
        case isAccessible = "accessible"
        case warnings
        case suggestedID = "suggested-id"
    }
}

/// The answer of `GET /v1/discovered-printers`, by port.
public struct DiscoveredPrinterList: Hashable, Sendable, Codable {
    public var printers: [DiscoveredPrinter]
    public init(printers: [DiscoveredPrinter]) { self.printers = printers }
}
