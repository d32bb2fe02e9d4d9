public import PrintModel

/// What `POST /v1/jobs/{id}/reprint` says beside the job.
public struct ReprintParameters: Hashable, Sendable {
    /// The printer to print to, and no other; nil prints where the job was sent.
    public var printer: PrinterID?
    /// Whole seconds for which the answer may wait until the new job is settled; nil answers at once.
    public var wait: Int?
    public var idempotencyKey: String?

    public init() {}

    /// Reads a request; throws a `Problem`. `header` gives the value of a field, by its name in any case.
    public init(query: String?, header: (String) -> String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["printer", WaitParameter.key])
        printer = try items.value("printer", write: "a printer's id") { PrinterID(rawValue: $0) }
        wait = try WaitParameter.parse(items)
        idempotencyKey = try header(APIHeaders.idempotencyKey).map(SubmissionParameters.idempotencyKey)
    }

    /// Behind the path.
    var suffix: String {
        var items = QueryItems()
        items.add("printer", printer?.rawValue)
        items.add(WaitParameter.key, wait.map(String.init))
        return items.suffix
    }
}
