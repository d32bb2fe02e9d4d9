/// The query of `GET /v1/events`.
public struct EventStreamParameters: Hashable, Sendable {
    /// Whether printers are to be asked about once a second while the stream is open (`watch=printers`).
    public var watchesPrinters = false

    public init() {}

    /// Reads a query. Throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["watch"])
        watchesPrinters = try items.value("watch", write: "printers") { $0 == "printers" ? true : nil } ?? false
    }

    /// The path of a request with these parameters.
    public var path: String {
        var items = QueryItems()
        items.add("watch", watchesPrinters ? "printers" : nil)
        return APIPaths.events + items.suffix
    }
}
