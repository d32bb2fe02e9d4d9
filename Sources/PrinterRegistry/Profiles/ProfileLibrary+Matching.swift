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

    /// Printers on the USB bus whose class is the vendor's own, of all profiles.
    public var usbVendorPrinters: Set<USBModel> { Set(profiles.flatMap { $0.device?.usb.vendorClass ?? [] }) }

    private func profiles(for printer: PrinterIdentity) -> [PrinterProfile] {
        let saved = printer.profile.flatMap(profile(named:))
        let model = printer.makeAndModel ?? ""
        let matching = profiles.compactMap { profile -> (profile: PrinterProfile, pattern: ModelPattern)? in
            guard profile.name != saved?.name else { return nil }
            let patterns = profile.match.filter { $0.matches(model) }
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
