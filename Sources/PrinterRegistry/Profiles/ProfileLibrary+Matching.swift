public import PrintModel

extension ProfileLibrary {
    /// How a printer departs from its protocol: from the profile that the registry names, then from those that match
    /// its make and model, the most specific first. Of one quirk the first counts.
    public func quirks(for printer: PrinterIdentity) -> [Quirk] {
        var found: [Quirk] = []
        for quirk in profiles(for: printer).flatMap(\.quirks) {
            if !found.contains(where: { $0.name == quirk.name }) { found.append(quirk) }
        }
        return found
    }

    /// How a receipt printer is spoken to: as the profile says that the registry names, else the most specific one that
    /// matches its make and model.
    public func deviceSettings(for printer: PrinterIdentity) -> DeviceSettings {
        profiles(for: printer).lazy.compactMap(\.device).first ?? DeviceSettings()
    }

    /// What a printer takes that is sent receipts or labels, and the profile that says so: the one that the registry
    /// names, else the most specific one that matches its make and model, else the one for the first of its command
    /// sets that there is one for. Nil where no profile knows.
    public func printing(for printer: PrinterIdentity) -> (profile: PrinterProfile, settings: PrintingSettings)? {
        for profile in profiles(for: printer) {
            if let settings = profile.printing { return (profile, settings) }
        }
        return generic(for: printer.commandSets)
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

    /// Printers on the USB bus whose class is the vendor's own, of all profiles.
    public var usbVendorPrinters: Set<USBModel> { Set(profiles.flatMap { $0.device?.usb.vendorClass ?? [] }) }

    private func profiles(for printer: PrinterIdentity) -> [PrinterProfile] {
        let saved = printer.profile.flatMap(profile(named:))
        let models = [printer.makeAndModel, printer.deviceModel].compactMap(\.self)
        let matching = profiles.compactMap { profile -> (profile: PrinterProfile, pattern: ModelPattern)? in
            guard profile.name != saved?.name else { return nil }
            let patterns = profile.match.filter { pattern in models.contains { pattern.matches($0) } }
            return patterns.min(by: ModelPattern.isMoreSpecific).map { (profile, $0) }
        }
        // Equals in the order of their names, so that a restart changes nothing.
        let ordered = matching.sorted { left, right in
            if ModelPattern.isMoreSpecific(left.pattern, right.pattern) { return true }
            return !ModelPattern.isMoreSpecific(right.pattern, left.pattern) && left.profile.name < right.profile.name
        }
        return (saved.map { [$0] } ?? []) + ordered.map(\.profile)
    }
}

extension ModelPattern {
    /// A pattern without `*` before one with; then the one with more literal text.
    static func isMoreSpecific(_ left: ModelPattern, _ right: ModelPattern) -> Bool {
        if left.hasAsterisk != right.hasAsterisk { return right.hasAsterisk }
        return left.literalLength > right.literalLength
    }
}
