// Whoever imports the messages gets the model's types, of which they are made.
@_exported public import KioskPrintModel

/// One call of the API: the request that makes it, and how its response is read. No I/O: `KioskClient` and kioskctl's
/// own client perform it, each in its own way.
package struct APICall<Response: Sendable>: Sendable {
    package var method: APIMethod
    /// The path with its query.
    package var path: String
    package var headers: [(name: String, value: String)] = []
    package var body = APIBody.none
    /// The whole seconds that the daemon may take, beyond the client's usual time for a response.
    package var wait = 0
    /// Whether sending it twice has the same effect as sending it once.
    package var isRepeatable: Bool
    /// Reads the body of a successful response.
    package let read: @Sendable (_ body: [UInt8]) throws -> Response

    private init(
        _ method: APIMethod, _ path: String, wait: Int, isRepeatable: Bool?,
        read: @escaping @Sendable ([UInt8]) throws -> Response
    ) {
        self.method = method
        self.path = path
        self.wait = wait
        self.isRepeatable = isRepeatable ?? (method != .post)
        self.read = read
    }

    /// A call with a JSON body, which throws when the value cannot be encoded.
    fileprivate func sending(_ value: some Encodable) throws -> APICall {
        var call = self
        call.body = .bytes(try APIJSON.encode(value))
        call.headers.append(("Content-Type", APIMediaTypes.json))
        return call
    }
}

/// The methods of the API's requests (RFC 9110 §9.3).
package enum APIMethod: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

/// The body of a request.
package enum APIBody: Sendable {
    case none
    case bytes([UInt8])
    /// A descriptor that is read while the request is sent.
    case document(DocumentDescriptor)
}

extension APICall where Response: Decodable {
    /// A call whose response is JSON. Unless it is said, all but POST may be sent twice.
    fileprivate init(_ method: APIMethod, _ path: String, wait: Int = 0, isRepeatable: Bool? = nil) {
        self.init(method, path, wait: wait, isRepeatable: isRepeatable) { try APIJSON.decode(Response.self, from: $0) }
    }
}

extension APICall where Response == Void {
    /// A call whose response has no body that matters.
    fileprivate init(_ method: APIMethod, _ path: String) {
        self.init(method, path, wait: 0, isRepeatable: nil) { _ in }
    }
}

extension APICall where Response == [UInt8] {
    /// A call whose response is bytes.
    fileprivate init(_ method: APIMethod, _ path: String, wait: Int = 0, isRepeatable: Bool) {
        self.init(method, path, wait: wait, isRepeatable: isRepeatable) { $0 }
    }
}

// MARK: - Jobs

extension APICall<Job> {
    /// Submits a document. Throws a `Problem` when a parameter is not valid. Of a wait longer than one request may
    /// ask for, it asks for the beginning.
    package static func submit(_ document: DocumentSource, _ parameters: SubmissionParameters) throws -> APICall {
        try parameters.check()
        var first = parameters
        first.wait = parameters.wait.map { min($0, APILimits.maximumWait) }
        var call = APICall(
            .post, first.path, wait: first.wait ?? 0,
            isRepeatable: parameters.idempotencyKey != nil && document.isRepeatable)
        call.headers = first.headers
        call.body = document.body
        return call
    }

    /// Returns a job after up to `wait` seconds, of which one request asks for at most `APILimits.maximumWait`.
    package static func job(_ id: Job.ID, wait: Int = 0) -> APICall {
        let seconds = min(wait, APILimits.maximumWait)
        return APICall(
            .get, APIPaths.job(id) + (seconds > 0 ? "?\(WaitParameter.key)=\(seconds)" : ""), wait: max(0, seconds))
    }

    package static func cancel(_ id: Job.ID) -> APICall { APICall(.delete, APIPaths.job(id)) }

    package static func release(_ id: Job.ID) -> APICall { APICall(.post, APIPaths.release(id)) }

    /// Prints a job's document again. Of a long wait, it asks for the beginning.
    package static func reprint(_ id: Job.ID, _ parameters: ReprintParameters) -> APICall {
        var first = parameters
        first.wait = parameters.wait.map { min($0, APILimits.maximumWait) }
        var call = APICall(
            .post, APIPaths.reprint(id) + first.suffix, wait: first.wait ?? 0,
            isRepeatable: parameters.idempotencyKey != nil)
        if let key = parameters.idempotencyKey { call.headers = [(APIHeaders.idempotencyKey, key)] }
        return call
    }
}

extension APICall<Job> {
    /// Prints what shows how a printer is set up. Of a long wait, it asks for the beginning.
    package static func testPrint(on id: PrinterID, _ parameters: TestPrintParameters) -> APICall {
        var first = parameters
        first.wait = parameters.wait.map { min($0, APILimits.maximumWait) }
        return APICall(.post, APIPaths.testPrint(id) + first.suffix, wait: first.wait ?? 0)
    }
}

extension APICall<JobList> {
    package static func jobs(_ query: JobQuery) -> APICall { APICall(.get, query.path) }
}

extension APICall<JobTimeline> {
    package static func timeline(of id: Job.ID) -> APICall { APICall(.get, APIPaths.timeline(id)) }
}

// MARK: - Previews

/// The seconds that the picture of a document may take, of which several pages are drawn.
private let drawingTime = 60

extension APICall {
    private func previewing(
        _ document: DocumentSource, _ parameters: PreviewParameters, _ form: PreviewForm
    ) -> APICall {
        var call = self
        call.headers = [("Accept", form.rawValue)]
        if let format = parameters.format { call.headers.append(("Content-Type", format.mimeType)) }
        call.headers += parameters.ticket.secretHeaders
        call.body = document.body
        return call
    }
}

extension APICall<[UInt8]> {
    /// Shows a receipt or a document as a picture or as text.
    package static func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters, as form: PreviewForm
    ) -> APICall {
        APICall(
            .post, parameters.path, wait: form == .png && parameters.isForDocument ? drawingTime : 0,
            isRepeatable: document.isRepeatable
        ).previewing(document, parameters, form)
    }
}

extension APICall<PreviewText> {
    /// Shows a receipt in characters, with remarks.
    package static func preview(_ document: DocumentSource, _ parameters: PreviewParameters) -> APICall {
        APICall(.post, parameters.path, isRepeatable: document.isRepeatable).previewing(document, parameters, .json)
    }
}

extension APICall<SheetList> {
    /// Shows the sheets of a document, with remarks.
    package static func sheets(of document: DocumentSource, _ parameters: PreviewParameters) -> APICall {
        APICall(.post, parameters.path, isRepeatable: document.isRepeatable).previewing(document, parameters, .json)
    }
}

// MARK: - Printers

/// The seconds that a contact with a printer may take: more than the transports' own timeouts.
private let contactTime = 60

extension APICall<PrinterList> {
    package static func printers(_ filter: PrinterFilter) -> APICall { APICall(.get, filter.path) }
}

extension APICall<DiscoveredPrinterList> {
    package static func discoveredPrinters(_ filter: DiscoveryFilter) -> APICall {
        APICall(.get, filter.path, wait: contactTime + (filter.seconds ?? 0))
    }
}

extension APICall<PrinterStatus> {
    package static func printer(_ id: PrinterID) -> APICall { APICall(.get, APIPaths.printer(id)) }

    package static func save(_ change: PrinterChange, as id: PrinterID) throws -> APICall {
        try APICall(.put, APIPaths.printer(id)).sending(change)
    }

    package static func contact(_ id: PrinterID) -> APICall {
        APICall(.post, APIPaths.contact(id), wait: contactTime)
    }

    package static func trust(_ keyFingerprint: Fingerprint, of id: PrinterID) throws -> APICall {
        try APICall(.post, APIPaths.trust(id), wait: contactTime).sending(TrustChange(keyFingerprint: keyFingerprint))
    }
}

extension APICall<ProbeReport> {
    package static func probe(_ request: ProbeRequest) throws -> APICall {
        try APICall(.post, APIPaths.probe, wait: contactTime).sending(request)
    }
}

extension APICall<RecentPrinterList> {
    package static func recentPrinters() -> APICall { APICall(.get, APIPaths.recentPrinters) }
}

extension APICall<PrinterIdentification> {
    package static func identify(_ id: PrinterID, _ parameters: IdentifyParameters) -> APICall {
        APICall(.post, APIPaths.identify(id) + parameters.suffix, wait: contactTime)
    }
}

extension APICall<PrinterTrust> {
    package static func inspectTrust(of id: PrinterID) -> APICall {
        APICall(.get, APIPaths.certificate(id), wait: contactTime)
    }
}

extension APICall<Void> {
    package static func removePrinter(_ id: PrinterID) -> APICall { APICall(.delete, APIPaths.printer(id)) }

    package static func removeRole(_ name: RoleName) -> APICall { APICall(.delete, APIPaths.role(name)) }

    package static func reloadRegistry() -> APICall { APICall(.post, APIPaths.registryReload) }
}

// MARK: - Access

extension APICall<TokenList> {
    package static func tokens() -> APICall { APICall(.get, APIPaths.tokens) }
}

extension APICall<NewToken> {
    package static func makeToken(_ request: TokenRequest) throws -> APICall {
        try APICall(.post, APIPaths.tokens).sending(request)
    }
}

extension APICall<NewLoginCode> {
    package static func makeLoginCode() -> APICall { APICall(.post, APIPaths.loginCodes) }
}

extension APICall<AuditPage> {
    package static func audit(_ query: AuditQuery) -> APICall { APICall(.get, query.path) }
}

extension APICall<Void> {
    /// Revokes a token.
    package static func revokeToken(_ id: UInt32) -> APICall { APICall(.delete, APIPaths.token(id)) }
}

// MARK: - Mirrored jobs

extension APICall<StandbyStanding> {
    /// Has the partner keep a job.
    package static func hold(_ job: StandbyJob, of node: String, _ id: Job.ID) throws -> APICall {
        try APICall(.put, APIPaths.standby(node, id)).sending(job)
    }
}

extension APICall<StandbyList> {
    package static func standby(_ query: StandbyQuery) -> APICall { APICall(.get, query.path) }
}

extension APICall<Void> {
    /// Tells the partner that a job has come to its end.
    package static func endStandby(of node: String, _ id: Job.ID, in queue: String) -> APICall {
        APICall(.delete, "\(APIPaths.standby(node, id))?queue=\(queue)")
    }
}

// MARK: - Exports

/// The seconds that deriving a key from a passphrase and writing files may take, on a busy machine.
private let exportTime = 60

extension APICall<[UInt8]> {
    /// Returns an export file without secrets.
    package static func export() -> APICall { APICall(.get, APIPaths.export, wait: exportTime, isRepeatable: true) }

    /// Returns an export file with secrets.
    package static func export(_ request: ExportRequest) throws -> APICall {
        try APICall(.post, APIPaths.export, wait: exportTime, isRepeatable: true).sending(request)
    }
}

extension APICall<ImportReport> {
    /// Imports an export; sent twice, it changes nothing more.
    package static func `import`(_ request: ImportRequest) throws -> APICall {
        try APICall(.post, APIPaths.import, wait: exportTime, isRepeatable: false).sending(request)
    }
}

// MARK: - Roles, profiles and health

extension APICall<RoleList> {
    package static func roles() -> APICall { APICall(.get, APIPaths.roles) }
}

extension APICall<Role> {
    package static func role(_ name: RoleName) -> APICall { APICall(.get, APIPaths.role(name)) }

    package static func save(_ change: RoleChange, as name: RoleName) throws -> APICall {
        try APICall(.put, APIPaths.role(name)).sending(change)
    }
}

extension APICall<ProfileList> {
    package static func profiles() -> APICall { APICall(.get, APIPaths.profiles) }
}

extension APICall<PrinterProfile> {
    package static func profile(_ name: String) -> APICall { APICall(.get, APIPaths.profile(name)) }
}

extension APICall<HealthReport> {
    package static func health(_ query: HealthQuery = HealthQuery()) -> APICall {
        APICall(.get, query.path, wait: query.contact ?? 0)
    }
}

extension APICall<ServerInformation> {
    package static func server() -> APICall { APICall(.get, APIPaths.server) }
}

extension APICall<FleetInformation> {
    package static func fleet() -> APICall { APICall(.get, APIPaths.fleet) }
}

extension Duration {
    /// The duration in seconds, rounded up and limited to what a request can say.
    package var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: max(0, min(seconds, Int64(Int32.max))) + (attoseconds > 0 ? 1 : 0))
    }
}
