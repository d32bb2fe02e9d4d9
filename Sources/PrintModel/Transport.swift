/// A protocol stack that reaches printers: IPP, SSH/lpr, USB. One value serves every printer of its schemes and keeps
/// the open connections to each.
///
/// Every call may be cancelled at any time and then ends soon with `TransportError.Code.cancelled`. Each call has its
/// own deadline for answers of the other side. Calls for different printers never wait for each other.
public protocol Transport: Sendable {
    /// The URL schemes that this transport serves.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Asks a printer for its presence, description and state. Throws `TransportError` when it cannot be asked.
    func contact(_ printer: PrinterTarget) async throws -> ContactReport

    /// The certificate or host key that the printer shows now, verified in the same handshake. The call opens a
    /// separate connection for this and sends neither a login nor a client certificate over it. Nil where the
    /// connection has no certificate and no host key: to find out whether a printer under ipp:// demands TLS, the call
    /// sends it Get-Printer-Attributes without a login.
    func identity(of printer: PrinterTarget) async throws -> JudgedIdentity?

    /// Streams one job to the printer; returns once the other side has accepted it, or throws `TransportError` with the
    /// number of document bytes that it may have accepted. `progress` is called in order, and never after the return.
    func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport

    /// Watches a job that the printer accepted until its state is final. Throws `outcomeUnknown` when the printer no
    /// longer knows the job. `update` is called for each change that is not final.
    func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport

    /// Looks for a job that the printer may or may not have accepted, after a crash or a broken connection. Nil when
    /// the printer certainly does not have it; throws `outcomeUnknown` when that cannot be determined.
    func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob?

    /// Asks the printer to cancel a job that it accepted. Returning means that it agreed, not that the paper stopped.
    func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws

    /// Closes the connections to a printer that is no longer saved.
    func forget(_ printer: PrinterTarget) async

    /// The changes that the transport notices without a contact, of printers that were contacted and not forgotten
    /// since. Only one caller may call this, once. Nil for a transport that notices none.
    func news() -> AsyncStream<PrinterNews>?

    /// How often to contact an idle printer: seldom where a contact costs a login, or where the printer reports changes
    /// itself. Nil leaves it to the engine.
    var idleContactInterval: Duration? { get }

    /// Closes everything; no call follows.
    func shutDown() async
}

extension Transport {
    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? { nil }
    public func news() -> AsyncStream<PrinterNews>? { nil }
    public var idleContactInterval: Duration? { nil }
}

/// A change of a printer that a transport noticed, or that the printer reported, without a contact.
public struct PrinterNews: Hashable, Sendable {
    public var printer: PrinterTarget
    public var kind: Kind

    public enum Kind: Hashable, Sendable {
        /// It was plugged in or switched on; contact it at once.
        case appeared
        /// It is gone. The text tells people why.
        case disappeared(String)
        /// Its state changed to this.
        case changed(Availability)
    }

    public init(_ kind: Kind, of printer: PrinterTarget) {
        self.printer = printer
        self.kind = kind
    }
}

/// The result of a contact.
public struct ContactReport: Hashable, Sendable {
    public var description: PrinterDescription
    public var availability: Availability

    public init(description: PrinterDescription, availability: Availability) {
        self.description = description
        self.availability = availability
    }
}
