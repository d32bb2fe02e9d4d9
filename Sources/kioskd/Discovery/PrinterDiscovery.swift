import KioskAPI
import KioskDevicePrinting
import KioskDiscovery
import KioskPrintModel
import KioskPrinterRegistry
import KioskSocket
import KioskUSB
import Synchronization

/// Finds printers that are there, whether anyone saved them or not: on the USB bus, and on the network.
struct PrinterDiscovery: Sendable {
    let usb: USBDiscovery
    let network: NetworkDiscovery
    /// The name of a model's profile.
    let profile: @Sendable (_ makeAndModel: String) -> String?
    /// The saved printers that searches have found at other addresses.
    let moves = FoundMoves()

    /// Looks, and reports what is found as it is found; returns when the search is over. `saved` are the printers of the
    /// registry, `statuses` what is known of them. Throws a `Problem` where nothing can be looked at.
    func run(
        _ filter: DiscoveryFilter, saved: [SavedPrinter], statuses: [PrinterStatus],
        report: @escaping @Sendable (DiscoveryEvent) -> Void
    ) async throws {
        let moved = MovedPrinters(statuses, hardwareAddress: Neighbors.hardwareAddress)
        let findings = DiscoveryFindings(saved: saved, moved: moved, moves: moves, profile: profile)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            if filter.includesUSB {
                tasks.addTask {
                    do {
                        for printer in try await usb.printers() { report(findings.event(printer)) }
                    } catch let problem as Problem where filter.includesNetwork {
                        report(.note(problem.detail ?? problem.title))
                    }
                }
            }
            if filter.includesNetwork {
                let time = Duration.seconds(filter.seconds ?? APILimits.standardDiscovery)
                tasks.addTask {
                    await network.run(for: time, scheme: filter.scheme) { event in
                        switch event {
                        case .printer(let printer): report(findings.event(printer))
                        case .joined(let number): if let event = findings.removal(of: number) { report(event) }
                        case .note(let note): report(.note(note))
                        }
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}

/// The printers of one search in the API's terms: each with a number and an id of its own.
private final class DiscoveryFindings: Sendable {
    private let saved: [SavedPrinter]
    private let moved: MovedPrinters
    private let moves: FoundMoves
    private let profile: @Sendable (_ makeAndModel: String) -> String?
    private let state: Mutex<State>

    private struct State {
        var names: SuggestedNames
        var lastNumber = 0
        /// The numbers and ids of the network's printers, by their numbers there.
        var given: [Int: (number: Int, id: PrinterID)] = [:]

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    init(
        saved: [SavedPrinter], moved: MovedPrinters, moves: FoundMoves,
        profile: @escaping @Sendable (_ makeAndModel: String) -> String?
    ) {
        self.saved = saved
        self.moved = moved
        self.moves = moves
        self.profile = profile
        state = Mutex(State(names: SuggestedNames(taken: saved.map(\.id))))
    }

    func event(_ found: USBDiscovery.Found) -> DiscoveryEvent {
        let savedAs = found.savedID(among: saved)
        return state.withLock { state in
            let id = savedAs ?? state.names.next(for: found.printer.names.model)
            return .printer(
                DiscoveredPrinter(found.printer, url: found.url, savedAs: savedAs, suggestedID: id),
                number: state.nextNumber())
        }
    }

    /// What is told of a printer that is the same as another.
    func removal(of networkNumber: Int) -> DiscoveryEvent? {
        state.withLock { $0.given.removeValue(forKey: networkNumber) }.map { .removed(number: $0.number) }
    }

    func event(_ found: NetworkPrinter) -> DiscoveryEvent {
        let known = saved.first { found.isSaved(as: $0.url) }
        // Whoever claims to be a saved printer does not take its place.
        let printer = known.map { found.preferring(host: $0.url.resolvableHost) } ?? found
        let move = known == nil ? moved.move(to: printer.findings.map(\.address)) : nil
        if let move { moves.note(move) }
        let savedAs = known?.id ?? move?.saved.id
        let best = printer.best
        let (number, id) = state.withLock { state in
            if let given = state.given[printer.number] { return given }
            let given = (
                number: state.nextNumber(), id: savedAs ?? state.names.next(for: best.model ?? printer.makeAndModel)
            )
            state.given[printer.number] = given
            return given
        }
        // Over IPP the printer says which model it is.
        let isRaw = best.url.scheme == .socket || best.url.scheme == .lpd
        return .printer(
            DiscoveredPrinter(
                url: best.url, otherURLs: Array(printer.ways.dropFirst()), makeAndModel: printer.makeAndModel,
                address: best.address, location: printer.location,
                formats: printer.formats, foundBy: printer.sources.map(\.rawValue), savedAs: savedAs,
                suggestedID: savedAs ?? id, suggestedProfile: isRaw ? profile(printer.makeAndModel) : nil,
                warnings: [move?.warning, printer.claimWarning].compactMap(\.self)),
            number: number)
    }
}

extension NetworkPrinter {
    /// What is said where several hosts say that they are this printer.
    fileprivate var claimWarning: String? {
        guard hosts.count > 1 else { return nil }
        let names = hosts.sorted().joined(separator: ", ")
        return "several hosts announce it under one UUID: \(names); compare its address with its settings page"
    }

    /// Whether a saved URL leads to this printer: it is one of the ways that were found, under its address or its name;
    /// or it leads to the same host in another way, and the printer itself is that host.
    fileprivate func isSaved(as url: PrinterURL) -> Bool {
        findings.contains { finding in
            guard [finding.address, finding.hostName].contains(url.resolvableHost) else { return false }
            let found = finding.url
            if found.scheme == url.scheme {
                return found.effectivePort == url.effectivePort && found.path == url.path
            }
            return isDevice && !findings.contains { $0.url.scheme == url.scheme }
        }
    }
}

/// The printers on the USB bus.
struct USBDiscovery: Sendable {
    let bus: USBBus

    /// A printer on the bus.
    struct Found: Sendable {
        var printer: USBPrinter
        var url: PrinterURL
        var others: [USBPrinter]
    }

    /// Those of the bus, by port. Throws a `Problem` where the bus cannot be looked at.
    func printers() async throws -> [Found] {
        let found: [USBPrinter]
        do throws(USBOpenError) {
            found = try await bus.printers()
        } catch {
            throw Problem(
                .printerUnreachable, detail: "the USB bus cannot be looked at (\(error.reason)); see kioskd's log")
        }
        return found.compactMap { printer in
            printer.url.map { Found(printer: printer, url: $0, others: found) }
        }
    }
}

extension USBDiscovery.Found {
    /// The saved printer that it is; of several under its URL the first.
    fileprivate func savedID(among saved: [SavedPrinter]) -> PrinterID? {
        saved.first { saved in
            saved.url.scheme == .usb && (try? USBPrinter.find(saved.url, among: others))?.port == printer.port
        }?.id
    }
}

extension DiscoveredPrinter {
    fileprivate init(_ printer: USBPrinter, url: PrinterURL, savedAs: PrinterID?, suggestedID: PrinterID) {
        let (owner, driver) = printer.holder
        let jobTypes = printer.deviceID?.jobTypes ?? []
        let warnings = [
            printer.isAccessible ? nil : "kioskd may not open \(printer.node); \(USBRights.advice)",
            printer.warning?.words,
            printer.hasProvisionalURL
                ? "its URL may be another one once kioskd may open it: give it the rights, and look again before you save it"
                : nil,
        ]
        self.init(
            url: url, makeAndModel: printer.makeAndModel, port: printer.port.description,
            jobTypes: jobTypes.isEmpty ? nil : jobTypes, hasIPPOverUSB: printer.choice(for: .ippOverUSB) != nil,
            savedAs: savedAs, owner: owner, driver: driver, isAccessible: printer.isAccessible,
            warnings: warnings.compactMap(\.self), suggestedID: suggestedID
        )
    }
}

extension USBPrinter {
    /// Who has any of its interfaces: whoever gives way least counts.
    fileprivate var holder: (DiscoveredPrinter.Owner, driver: String?) {
        let owners = interfaces.compactMap(\.owner)
        if owners.contains(.program) { return (.program, nil) }
        if owners.contains(.thisProcess) { return (.daemon, nil) }
        for case .kernel(let driver) in owners { return (.kernelDriver, driver) }
        return (.nobody, nil)
    }
}

extension USBPrinter.Warning {
    fileprivate var words: String {
        switch self {
        case .noSerialNumber:
            "it has no serial number, so nothing but its port tells it from others of its model: let it stay at that port"
        case .sharedSerialNumber:
            "another printer has the same serial number, so its URL names its port: let it stay at that port"
        case .malformedSerialNumber: "its serial number is not text; its bytes' digits stand in its URL"
        }
    }
}

/// Proposes ids for printers that are not saved: the model in the characters that an id may have, each id once.
struct SuggestedNames {
    private var taken: Set<String>

    init(taken: [PrinterID]) { self.taken = Set(taken.map(\.rawValue)) }

    mutating func next(for model: String) -> PrinterID {
        let words = model.lowercased().utf8.split { !Self.isKept($0) }.map { String(Substring($0)) }
        let base = words.isEmpty ? "printer" : String(words.joined(separator: "-").prefix(Self.maximumLength))
        // A cut may have left a hyphen behind.
        let stem = base.hasSuffix("-") ? String(base.dropLast()) : base
        var number = 1
        while true {
            let name = number == 1 ? stem : "\(stem)-\(number)"
            if taken.insert(name).inserted, let id = PrinterID(rawValue: name) { return id }
            number += 1
        }
    }

    /// Leaves room for a number within the 63 letters of a name.
    private static let maximumLength = 50

    private static func isKept(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
