package import KioskPrintModel

/// The use of one printer by a transport that owns its devices.
package protocol DevicePrinterSession: Actor {
    /// Requires a recovery: a job that an earlier run started may have been aborted anywhere.
    func requireRecovery() async

    /// Closes the printer for good, even where the caller is cancelled.
    func forget() async
}

/// The printers in use, and the jobs that were aborted on them.
package actor PrinterPool<Session: DevicePrinterSession> {
    private let make: @Sendable (PrinterURL) -> Session
    private var printers: [PrinterURL: Session] = [:]
    private var targets: [PrinterURL: Set<PrinterTarget>] = [:]
    /// Jobs that were aborted in this run, by the ids of their deliveries; the oldest are dropped first.
    private var aborted: [(delivery: String, wasCancelled: Bool)] = []
    private var isShutDown = false

    private let maximumAborted = 1000

    package init(_ make: @escaping @Sendable (PrinterURL) -> Session) { self.make = make }

    /// The session of a target's printer; nil after `shutDown`.
    package func printer(for target: PrinterTarget) -> Session? {
        guard !isShutDown else { return nil }
        targets[target.url, default: []].insert(target)
        if let known = printers[target.url] { return known }
        let printer = make(target.url)
        printers[target.url] = printer
        return printer
    }

    package func printer(at url: PrinterURL) -> Session? { printers[url] }
    package var all: [Session] { Array(printers.values) }

    /// The targets that use the printer of a URL.
    package func targets(of url: PrinterURL) -> Set<PrinterTarget> { targets[url] ?? [] }

    /// The targets whose URL is one of these.
    package func targets(where isMeant: (PrinterURL) -> Bool) -> Set<PrinterTarget> {
        targets.filter { isMeant($0.key) }.values.reduce(into: []) { $0.formUnion($1) }
    }

    package func forget(_ target: PrinterTarget) async {
        targets[target.url]?.remove(target)
        guard targets[target.url]?.isEmpty != false else { return }
        targets[target.url] = nil
        await printers.removeValue(forKey: target.url)?.forget()
    }

    package func shutDown() async {
        isShutDown = true
        let all = printers.values
        (printers, targets) = ([:], [:])
        await withDiscardingTaskGroup { group in
            for printer in all { group.addTask { await printer.forget() } }
        }
    }

    package func noteAborted(_ delivery: String, wasCancelled: Bool) {
        aborted.append((delivery, wasCancelled))
        if aborted.count > maximumAborted { aborted.removeFirst() }
    }

    /// Whether an aborted job was cancelled; nil where it was not aborted in this run.
    package func wasCancelled(_ delivery: String) -> Bool? { aborted.last { $0.delivery == delivery }?.wasCancelled }
}

// What became of a job on a printer that keeps none. Transports pass on what the engine asks.
extension PrinterPool {
    /// Locates a job: only one that was cancelled here, before it was sent completely, is known to be over.
    package func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        switch wasCancelled(delivery.jobID) {
        case true?: return .cancelledHere(delivery.jobID)
        case false?: break
        // An earlier run started it, and may have ended in the middle: its rest must not affect the next job.
        case nil: await self.printer(for: printer)?.requireRecovery()
        }
        throw TransportError.unknownToRawPrinter(printer.url)
    }

    /// The end of a job, which can only have been cancelled while it was sent.
    package func follow(_ job: RemoteJob, on printer: PrinterTarget) throws -> JobReport {
        guard let delivery = job.cancelledDelivery, wasCancelled(delivery) == true else {
            throw TransportError.unknownToRawPrinter(printer.url, job)
        }
        return JobReport(state: .canceled, reasons: ["job-canceled-by-user"], evidence: .sent, remoteJob: job)
    }
}

// A printer that takes raw data keeps no jobs. Only one that was cancelled here, before it was sent completely, is
// known to be over, and has a name for that.
extension RemoteJob {
    private static let prefix = "cancelled-"

    package static func cancelledHere(_ delivery: String) -> RemoteJob { RemoteJob(identifier: prefix + delivery) }

    package var cancelledDelivery: String? {
        identifier.hasPrefix(Self.prefix) ? String(identifier.dropFirst(Self.prefix.count)) : nil
    }
}

extension TransportError {
    /// A printer that takes raw data cannot tell what became of a job.
    package static func unknownToRawPrinter(_ printer: PrinterURL, _ job: RemoteJob? = nil) -> TransportError {
        var error = TransportError(
            .outcomeUnknown, operation: job == nil ? "locate" : "follow",
            message: "\(printer): the job's outcome is unknown, since the printer keeps no jobs; look at its paper",
            remoteJob: job)
        error.isUnanswerable = job == nil
        return error
    }
}
