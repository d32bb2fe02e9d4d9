import DevicePrinting
import PrintModel

/// The printers that are in use, and what is known of jobs that broke off on them.
actor PrinterShelf {
    private let make: @Sendable (PrinterURL) -> OwnedPrinter
    private var printers: [PrinterURL: OwnedPrinter] = [:]
    private var targets: [PrinterURL: Set<PrinterTarget>] = [:]
    /// Jobs that broke off in this run, by their deliveries' ids; the oldest go first.
    private var brokenOff: [(delivery: String, wasCancelled: Bool)] = []
    private var isShutDown = false

    private static let mostBrokenOff = 1000

    init(_ make: @escaping @Sendable (PrinterURL) -> OwnedPrinter) { self.make = make }

    /// Nil after `shutDown`.
    func printer(for target: PrinterTarget) -> OwnedPrinter? {
        guard !isShutDown else { return nil }
        targets[target.url, default: []].insert(target)
        if let known = printers[target.url] { return known }
        let printer = make(target.url)
        printers[target.url] = printer
        return printer
    }

    func printer(at url: PrinterURL) -> OwnedPrinter? { printers[url] }
    var all: [OwnedPrinter] { Array(printers.values) }

    /// Who asked for the printer.
    func targets(of url: PrinterURL) -> Set<PrinterTarget> { targets[url] ?? [] }

    /// Those who asked for a printer that this one is.
    func targets(of printer: USBPrinter) -> Set<PrinterTarget> {
        targets.filter { (try? USBPrinter.find($0.key, among: [printer])) != nil }.values.reduce(into: []) {
            $0.formUnion($1)
        }
    }

    func forget(_ target: PrinterTarget) async {
        targets[target.url]?.remove(target)
        guard targets[target.url]?.isEmpty != false else { return }
        targets[target.url] = nil
        await printers.removeValue(forKey: target.url)?.forget()
    }

    func shutDown() async {
        isShutDown = true
        let all = printers.values
        (printers, targets) = ([:], [:])
        await withDiscardingTaskGroup { group in
            for printer in all { group.addTask { await printer.forget() } }
        }
    }

    func brokeOff(_ delivery: String, wasCancelled: Bool) {
        brokenOff.append((delivery, wasCancelled))
        if brokenOff.count > Self.mostBrokenOff { brokenOff.removeFirst() }
    }

    /// Nil for one that did not break off in this run.
    func wasCancelled(_ delivery: String) -> Bool? { brokenOff.last { $0.delivery == delivery }?.wasCancelled }
}
