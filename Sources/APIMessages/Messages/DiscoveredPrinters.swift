public import KioskPrintModel

/// The printers that `GET /v1/discovered-printers` looks for.
public struct DiscoveryFilter: Hashable, Sendable {
    /// The scheme of the printers' URLs; nil looks everywhere.
    public var scheme: PrinterURL.Scheme?

    public init() {}

    /// Reads a query. Throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["scheme"])
        scheme = try items.value("scheme", write: "usb") { $0 == PrinterURL.Scheme.usb.name ? .usb : nil }
    }

    /// The path of a request with this filter.
    public var path: String {
        var items = QueryItems()
        items.add("scheme", scheme?.name)
        return APIPaths.discoveredPrinters + items.suffix
    }
}

/// A printer that is connected, saved or not.
public struct DiscoveredPrinter: Hashable, Sendable, Codable {
    /// The URL to save the printer with.
    public var url: PrinterURL
    /// The maker's and the model's names, as the device says them.
    public var makeAndModel: String
    /// The port that it is plugged into, as the system names it: `1-2.4`.
    public var port: String
    /// The job types that its device id names; nil where it names none.
    public var jobTypes: JobTypes?
    /// Whether it has interfaces of IPP over USB.
    public var hasIPPOverUSB: Bool
    /// The id under which the printer is saved.
    public var savedAs: PrinterID?
    /// The program that has it open.
    public var owner: Owner
    /// The name of the kernel's driver that has it open.
    public var driver: String?
    /// Whether the daemon may open it.
    public var isAccessible: Bool
    /// What is wrong, and what to do: its URL may come to name another printer, or the daemon cannot open it.
    public var warnings: [String]
    /// An id that no saved printer has.
    public var suggestedID: PrinterID

    /// The program that has the printer open.
    public enum Owner: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is free.
        case nobody
        /// The daemon, for a saved printer.
        case daemon
        /// The kernel's driver. It releases the printer when the daemon opens it.
        case kernelDriver = "kernel-driver"
        /// Another program. The daemon cannot open the printer meanwhile.
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

/// The response to `GET /v1/discovered-printers`, by port.
public struct DiscoveredPrinterList: Hashable, Sendable, Codable {
    /// The connected printers.
    public var printers: [DiscoveredPrinter]
    public init(printers: [DiscoveredPrinter]) { self.printers = printers }
}
