public import KioskPrintModel

/// What `GET /v1/discovery` and `GET /v1/discovered-printers` look for.
public struct DiscoveryFilter: Hashable, Sendable {
    /// Only printers that can be saved with a URL of this scheme, and only that way to them.
    public var scheme: PrinterURL.Scheme?
    /// Only printers that are connected like this.
    public var connection: Connection?
    /// The whole seconds for which the network is looked at; nil: `APILimits.standardDiscovery`.
    public var seconds: Int?

    /// The ways in which a printer is connected.
    public enum Connection: String, Hashable, Sendable, CaseIterable {
        /// On the USB bus.
        case usb
        /// On the network.
        case network
    }

    public init() {}

    /// Reads a query. Throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["scheme", "connection", "for"])
        let schemes = Self.schemes.map(\.name).joined(separator: ", ")
        scheme = try items.value("scheme", write: "one of \(schemes)") { name in
            Self.schemes.first { $0.name == name }
        }
        connection = try items.value("connection", write: "usb or network", parse: Connection.init(rawValue:))
        let range = 1...APILimits.maximumDiscovery
        seconds = try items.value("for", write: "whole seconds from 1 to \(APILimits.maximumDiscovery)") {
            Int(digits: $0, in: range)
        }
    }

    /// The schemes of the URLs that printers are found with.
    private static let schemes: [PrinterURL.Scheme] = [.usb, .ipp, .ipps, .socket, .lpd]

    /// Whether the USB bus is looked at.
    public var includesUSB: Bool { connection != .network && (scheme ?? .usb) == .usb }
    /// Whether the network is looked at.
    public var includesNetwork: Bool { connection != .usb && scheme != .usb }

    /// The path of a request for one list with this filter.
    public var path: String { APIPaths.discoveredPrinters + suffix }
    /// The path of a request for a stream of events with this filter.
    public var streamPath: String { APIPaths.discovery + suffix }

    private var suffix: String {
        var items = QueryItems()
        items.add("scheme", scheme?.name)
        items.add("connection", connection?.rawValue)
        items.add("for", seconds.map { "\($0)" })
        return items.suffix
    }
}

/// A printer that is connected, saved or not.
public struct DiscoveredPrinter: Hashable, Sendable, Codable {
    /// The URL to save the printer with. Where a printer on the network can be reached in several ways, IPP comes
    /// first, then raw data, then LPD.
    public var url: PrinterURL
    /// The URLs of the other ways to it.
    public var otherURLs: [PrinterURL]
    /// The maker's and the model's names, as the device says them.
    public var makeAndModel: String
    /// The USB port that it is plugged into, as the system names it: `1-2.4`. Nil on the network.
    public var port: String?
    /// Its numeric address on the network.
    public var address: String?
    /// Where it stands, as it says.
    public var location: String?
    /// The media types that it says it takes.
    public var formats: [String]
    /// The protocols that told of it: `usb`, `dns-sd`, `enpc`, `star-sdp`, `zebra`. More may be added.
    public var foundBy: [String]
    /// The job types that its device id names; nil where it names none.
    public var jobTypes: JobTypes?
    /// Whether it has interfaces of IPP over USB.
    public var hasIPPOverUSB: Bool
    /// The id under which the printer is saved. A warning says where it is saved at another address than this.
    public var savedAs: PrinterID?
    /// The program that has it open.
    public var owner: Owner
    /// The name of the kernel's driver that has it open.
    public var driver: String?
    /// Whether the daemon may open it.
    public var isAccessible: Bool
    /// What is wrong, and what to do: its URL may come to name another printer, the daemon cannot open it, or it is saved
    /// at another address.
    public var warnings: [String]
    /// An id that no saved printer has.
    public var suggestedID: PrinterID
    /// The profile of its model to save it with, where its protocol does not tell the model.
    public var suggestedProfile: String?

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

    /// A printer on the USB bus.
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
        (otherURLs, formats, foundBy) = ([], [], ["usb"])
    }

    /// A printer on the network.
    public init(
        url: PrinterURL, otherURLs: [PrinterURL] = [], makeAndModel: String, address: String, location: String? = nil,
        formats: [String] = [], foundBy: [String], savedAs: PrinterID? = nil, suggestedID: PrinterID,
        suggestedProfile: String? = nil, warnings: [String] = []
    ) {
        self.url = url
        self.otherURLs = otherURLs
        self.makeAndModel = makeAndModel
        self.address = address
        self.location = location
        self.formats = formats
        self.foundBy = foundBy
        self.savedAs = savedAs
        self.suggestedID = suggestedID
        self.suggestedProfile = suggestedProfile
        self.warnings = warnings
        (hasIPPOverUSB, owner, isAccessible) = (false, .nobody, true)
    }

    enum CodingKeys: String, CodingKey {
        case url
        case otherURLs = "other-urls"
        case makeAndModel = "make-and-model"
        case port, address, location, formats
        case foundBy = "found-by"
        case jobTypes = "job-types"
        case hasIPPOverUSB = "ipp-over-usb"
        case savedAs = "saved-as"
        case owner, driver
        case isAccessible = "accessible"
        case warnings
        case suggestedID = "suggested-id"
        case suggestedProfile = "suggested-profile"
    }
}

/// The response to `GET /v1/discovered-printers`: on the USB bus by port, then those on the network.
public struct DiscoveredPrinterList: Hashable, Sendable, Codable {
    /// The connected printers.
    public var printers: [DiscoveredPrinter]
    /// What was not looked at, and what to do; nil where all was.
    public var notes: [String]?

    public init(printers: [DiscoveredPrinter], notes: [String]? = nil) {
        self.printers = printers
        self.notes = notes
    }
}

/// One event of `GET /v1/discovery`.
public struct DiscoveryEvent: Hashable, Sendable, Codable {
    /// What the event says.
    public var kind: Kind
    /// Tells the printers of one search apart: a later event with the same number replaces the earlier one. With
    /// `printer` and `removed`.
    public var number: Int?
    /// The printer; with `printer` only.
    public var printer: DiscoveredPrinter?
    /// The text; with `note` only.
    public var message: String?

    /// The kinds of events of a search.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A printer was found, or more is known of one.
        case printer
        /// A printer that was told of turned out to be the same as another, whose number stays.
        case removed
        /// Something was not looked at; the message says why, and what to do.
        case note
        /// The search is over.
        case end
    }

    /// A printer of the search.
    public static func printer(_ printer: DiscoveredPrinter, number: Int) -> DiscoveryEvent {
        DiscoveryEvent(kind: .printer, number: number, printer: printer)
    }

    /// The end of a number.
    public static func removed(number: Int) -> DiscoveryEvent { DiscoveryEvent(kind: .removed, number: number) }

    /// A note.
    public static func note(_ message: String) -> DiscoveryEvent { DiscoveryEvent(kind: .note, message: message) }

    /// The end of the search.
    public static let end = DiscoveryEvent(kind: .end)

    /// This event as a server-sent event: its kind is the type, its JSON the data.
    public func serverSentEvent() throws -> ServerSentEvent {
        ServerSentEvent(event: kind.rawValue, data: String(decoding: try APIJSON.encode(self), as: UTF8.self))
    }

    /// Reads an event of the stream; nil for a kind that this version does not know.
    public init?(_ event: ServerSentEvent) throws {
        guard Kind(rawValue: event.event) != nil else { return nil }
        self = try APIJSON.decode(DiscoveryEvent.self, from: Array(event.data.utf8))
    }

    private init(kind: Kind, number: Int? = nil, printer: DiscoveredPrinter? = nil, message: String? = nil) {
        (self.kind, self.number, self.printer, self.message) = (kind, number, printer, message)
    }
}

/// What a search has told so far: each printer as it was told last, in the order in which they were found.
package struct DiscoveryResults: Sendable {
    private var printers: [(number: Int, printer: DiscoveredPrinter)] = []
    private var notes: [String] = []

    package init() {}

    package var count: Int { printers.count }
    package var list: DiscoveredPrinterList {
        DiscoveredPrinterList(printers: printers.map(\.printer), notes: notes.isEmpty ? nil : notes)
    }

    package mutating func add(_ event: DiscoveryEvent) {
        if event.kind == .note, let message = event.message { notes.append(message) }
        if event.kind == .removed { printers.removeAll { $0.number == event.number } }
        guard let number = event.number, let printer = event.printer else { return }
        if let index = printers.firstIndex(where: { $0.number == number }) {
            printers[index].printer = printer
        } else {
            printers.append((number, printer))
        }
    }
}
