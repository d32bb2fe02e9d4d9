public import PrintModel

/// Where `GET /v1/discovered-printers` looks.
public struct DiscoveryFilter: Hashable, Sendable {
    /// Only printers under URLs of this scheme; nil looks everywhere.
    public var scheme: PrinterURL.Scheme?

    public init() {}

    /// Reads a query; throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["scheme"])
        scheme = try items.value("scheme", write: "usb") { $0 == PrinterURL.Scheme.usb.name ? .usb : nil }
    }

    /// The path with the query that says all this.
    public var path: String {
        var items = QueryItems()
        items.add("scheme", scheme?.name)
        return APIPaths.discoveredPrinters + items.suffix
    }
}
