/// The parameters of a request for a test print.
public struct TestPrintParameters: Hashable, Sendable {
    /// Whether the first cash drawer is opened, for which the caller needs the right.
    public var drawer = false
    /// The whole seconds that the response may wait until the job is settled; nil responds at once.
    public var wait: Int?

    public init() {}

    private static let drawerKey = "drawer"

    /// Reads a request's query. Throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: [Self.drawerKey, WaitParameter.key])
        drawer = try items.value(Self.drawerKey, write: "true or false") { Bool($0) } ?? false
        wait = try WaitParameter.parse(items)
    }

    /// The query of a client's request, with its question mark.
    var suffix: String {
        var items = QueryItems()
        if drawer { items.add(Self.drawerKey, "true") }
        items.add(WaitParameter.key, wait.map(String.init))
        return items.suffix
    }
}
