import KioskAPI
import KioskDevicePrinting
import KioskPrintModel
import KioskUSB

/// Finds printers that are there, whether anyone saved them or not.
protocol PrinterDiscovery: Sendable {
    /// All of them. `saved` are the printers of the registry. Throws a `Problem`.
    func printers(saved: [SavedPrinter]) async throws -> [DiscoveredPrinter]
}

/// The printers on the USB bus.
struct USBDiscovery: PrinterDiscovery {
    let bus: USBBus

    func printers(saved: [SavedPrinter]) async throws -> [DiscoveredPrinter] {
        let found: [USBPrinter]
        do throws(USBOpenError) {
            found = try await bus.printers()
        } catch {
            throw Problem(
                .printerUnreachable, detail: "the USB bus cannot be looked at (\(error.reason)); see kioskd's log")
        }
        var names = SuggestedNames(taken: saved.map(\.id))
        let owners = Self.owners(of: found, saved)
        return found.compactMap { printer in
            guard let url = printer.url else { return nil }
            let savedAs = owners[printer.port]
            return DiscoveredPrinter(
                printer, url: url, savedAs: savedAs, suggestedID: savedAs ?? names.next(for: printer.names.model))
        }
    }

    /// The saved printer that each port has; of several under one URL the first.
    private static func owners(of printers: [USBPrinter], _ saved: [SavedPrinter]) -> [USBPort: PrinterID] {
        var owners: [USBPort: PrinterID] = [:]
        for saved in saved where saved.url.scheme == .usb {
            guard let printer = try? USBPrinter.find(saved.url, among: printers), owners[printer.port] == nil else {
                continue
            }
            owners[printer.port] = saved.id
        }
        return owners
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
