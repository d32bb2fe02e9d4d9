import PrintModel

/// The kept connections of printers as they were saved before an edit.
///
/// They close when no job that was sent over them is on the printer any more: a new password does not cut paper in two.
/// A connection that begins meanwhile waits for that, or it would be closed too. Owned by the engine.
struct OutdatedConnections {
    private let transports: [PrinterURL.Scheme: any Transport]
    /// Targets that a job is on.
    private var targets: [PrinterID: [PrinterTarget]] = [:]
    private var closing: [PrinterID: Task<Void, Never>] = [:]

    init(transports: [PrinterURL.Scheme: any Transport]) { self.transports = transports }

    /// Keeps a target until its printer is free.
    mutating func add(_ target: PrinterTarget, of printer: PrinterID) {
        targets[printer, default: []].append(target)
    }

    /// Closes the connections of a printer that is free now.
    ///
    /// The printer as it is saved now may be among them, where only its secrets changed: the connection is still the old
    /// login's.
    mutating func close(of printer: PrinterID) {
        guard let targets = targets.removeValue(forKey: printer) else { return }
        closing[printer] = Task { [transports, before = closing[printer]] in
            await before?.value
            for target in targets { await transports[target.url.scheme]?.forget(target) }
        }
    }

    /// Ends when the connections that `close` found are closed; nil where there are none.
    func closing(of printer: PrinterID) -> Task<Void, Never>? { closing[printer] }

    /// Forgets the tasks of printers that are no longer saved.
    mutating func keep(_ isSaved: (PrinterID) -> Bool) { closing = closing.filter { isSaved($0.key) } }
}
