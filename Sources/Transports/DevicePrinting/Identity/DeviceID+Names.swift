import PrintModel

extension DeviceID {
    /// Maker and model as CUPS finds them (`make_device_uri` in backend/usb-libusb.c), so that its URLs and ours name a
    /// printer alike: from the id, else from the USB descriptor's strings, else from the description. Nil where nothing
    /// at all is known.
    package func names(product: String?, vendor: String?) -> (maker: String, model: String)? {
        var model = self.model ?? Self.clean(product) ?? productDescription
        var maker = manufacturer ?? Self.clean(vendor)
        if let name = maker { maker = Self.shortNames[name.lowercased()] ?? name }
        guard maker != nil || model != nil else { return nil }
        let found = maker ?? model.flatMap { $0.split(separator: " ").first.map(String.init) } ?? "Unknown"
        // "EPSON TM-T20" by EPSON is a TM-T20.
        if let name = model, let rest = Self.withoutMaker(name, found) { model = rest }
        return (found, model ?? "Unknown Model")
    }

    /// CUPS' own two.
    private static let shortNames = ["hewlett-packard": "HP", "lexmark international": "Lexmark"]

    private static func clean(_ text: String?) -> String? {
        guard let text else { return nil }
        let clean = text.withoutControlCharacters[...].trimmingBlanks()
        return clean.isEmpty ? nil : String(clean)
    }

    private static func withoutMaker(_ model: String, _ maker: String) -> String? {
        guard model.lowercased().hasPrefix(maker.lowercased() + " ") else { return nil }
        let rest = model.dropFirst(maker.count)[...].trimmingBlanks()
        return rest.isEmpty ? nil : String(rest)
    }
}
