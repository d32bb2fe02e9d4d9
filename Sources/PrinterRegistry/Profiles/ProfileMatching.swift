public import KioskPrintModel
import Synchronization

extension ProfileLibrary {
    /// A printer's quirks: from the profile that the registry names, then from those that match its make and model, the
    /// most specific first. The first occurrence of a quirk applies.
    public func quirks(for printer: PrinterIdentity) -> [Quirk] {
        var found: [Quirk] = []
        for quirk in profiles(for: printer).flatMap(\.quirks) {
            if !found.contains(where: { $0.name == quirk.name }) { found.append(quirk) }
        }
        return found
    }

    /// The device settings of a receipt printer: from the profile that the registry names, else from the most specific
    /// one that matches its make and model.
    public func deviceSettings(for printer: PrinterIdentity) -> DeviceSettings {
        profiles(for: printer).lazy.compactMap(\.device).first ?? DeviceSettings()
    }

    /// The settings for printing receipts or labels, and the profile that states them: the one that the registry names,
    /// else the most specific one that matches the printer's make and model, else the one for the first of its command
    /// sets that has one. Nil where no profile states any.
    public func printing(for printer: PrinterIdentity) -> (profile: PrinterProfile, settings: PrintingSettings)? {
        for profile in profiles(for: printer) {
            if let settings = profile.printing { return (profile, settings) }
        }
        return generic(for: printer.commandSets)
    }

    /// How a printer of pages takes sheets: from the profile that the registry names, else from the most specific one that
    /// matches its make and model; nil where none says.
    public func pageSettings(for printer: PrinterIdentity) -> PageSettings? {
        profiles(for: printer).lazy.compactMap(\.pages).first
    }

    private func generic(for commandSets: [String]) -> (profile: PrinterProfile, settings: PrintingSettings)? {
        for name in commandSets {
            let matching = profiles.compactMap {
                profile -> (profile: PrinterProfile, settings: PrintingSettings, pattern: ModelPattern)? in
                guard let settings = profile.printing else { return nil }
                let patterns = profile.commandSets.filter { $0.matches(name) }
                return patterns.min(by: ModelPattern.isMoreSpecific).map { (profile, settings, $0) }
            }
            if let best = matching.min(by: { ModelPattern.isMoreSpecific($0.pattern, $1.pattern) }) {
                return (best.profile, best.settings)
            }
        }
        return nil
    }

    /// The printers with a vendor-specific USB interface class, from all profiles.
    public var usbVendorPrinters: Set<USBModel> { Set(profiles.flatMap { $0.device?.usb.vendorClass ?? [] }) }

    private func profiles(for printer: PrinterIdentity) -> [PrinterProfile] {
        let saved = printer.profile.flatMap(profile(named:))
        let models = [printer.makeAndModel, printer.deviceModel].compactMap(\.self)
        let matching = profiles.compactMap { profile -> (profile: PrinterProfile, pattern: ModelPattern)? in
            guard profile.name != saved?.name else { return nil }
            let patterns = profile.match.filter { pattern in models.contains { pattern.matches($0) } }
            return patterns.min(by: ModelPattern.isMoreSpecific).map { (profile, $0) }
        }
        // Equally specific ones by name, so that a restart changes nothing.
        let ordered = matching.sorted { left, right in
            if ModelPattern.isMoreSpecific(left.pattern, right.pattern) { return true }
            return !ModelPattern.isMoreSpecific(right.pattern, left.pattern) && left.profile.name < right.profile.name
        }
        return (saved.map { [$0] } ?? []) + ordered.map(\.profile)
    }
}

extension ModelPattern {
    /// Orders a pattern without `*` before one with `*`, then the one with more literal text first.
    fileprivate static func isMoreSpecific(_ left: ModelPattern, _ right: ModelPattern) -> Bool {
        if left.hasAsterisk != right.hasAsterisk { return right.hasAsterisk }
        return left.literalLength > right.literalLength
    }
}

/// The fields of the IEEE 1284 device id that profiles match.
extension PrinterIdentity {
    /// The command sets in their order: `CMD:ESC/POS,BDC;` has two.
    fileprivate var commandSets: [String] {
        (field("COMMAND SET", "CMD") ?? "").split(separator: ",").map { String($0.trimmingBlanks()) }.filter {
            !$0.isEmpty
        }
    }

    /// The manufacturer once, then the model, where the id has both. An IPP gateway reports its own make and model; the
    /// device id is the printer's.
    fileprivate var deviceModel: String? {
        guard let manufacturer = field("MANUFACTURER", "MFG"), let model = field("MODEL", "MDL") else { return nil }
        return model.lowercased().hasPrefix(manufacturer.lowercased() + " ") ? model : "\(manufacturer) \(model)"
    }

    /// The value of the first of these keys with a value that is not empty.
    private func field(_ keys: String...) -> String? {
        guard let id = deviceID, id.utf8.count <= Self.maximumLength else { return nil }
        let fields = id.split(separator: ";").map { $0.splitOnce(at: ":") }
        for key in keys {
            guard let value = fields.last(where: { $0.0.trimmingBlanks().uppercased() == key })?.1?.trimmingBlanks()
            else { continue }
            if !value.isEmpty { return String(value) }
        }
        return nil
    }

    /// Bytes, as in `DeviceID`.
    private static let maximumLength = 1024
}

/// Looks up the settings for printing on printers in a profile library, and caches them: each job needs them, and a
/// look-up tries all patterns of all profiles.
public final class PrintingLookup: Sendable {
    private let profiles: ProfileLibrary?
    private let known = Mutex<[PrinterIdentity: PrintingSettings?]>([:])
    private let knownPages = Mutex<[PrinterIdentity: PageSettings?]>([:])

    /// Printers report their identities, which may change with every contact: at this size the cache is emptied.
    static let maximumCount = 256

    /// Looks up in `profiles`; without them no printer has settings.
    public init(_ profiles: ProfileLibrary?) { self.profiles = profiles }

    /// The settings of a printer; nil where no profile states any.
    public func settings(for printer: PrinterIdentity) -> PrintingSettings? {
        if let known = known.withLock({ $0[printer] }) { return known }
        let settings = profiles?.printing(for: printer)?.settings
        known.withLock { known in
            if known.count >= Self.maximumCount { known = [:] }
            known[printer] = .some(settings)
        }
        return settings
    }

    /// How a printer of pages takes sheets; nil where no profile says.
    public func pageSettings(for printer: PrinterIdentity) -> PageSettings? {
        if let known = knownPages.withLock({ $0[printer] }) { return known }
        let settings = profiles?.pageSettings(for: printer)
        knownPages.withLock { known in
            if known.count >= Self.maximumCount { known = [:] }
            known[printer] = .some(settings)
        }
        return settings
    }

    var knownCount: Int { known.withLock(\.count) }
}
