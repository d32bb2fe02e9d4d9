import PrintModel

/// What the IEEE 1284 device id says that profiles go by.
extension PrinterIdentity {
    /// In their order: `CMD:ESC/POS,BDC;` has two.
    var commandSets: [String] {
        (field("COMMAND SET", "CMD") ?? "").split(separator: ",").map { String($0.trimmingBlanks()) }.filter {
            !$0.isEmpty
        }
    }

    /// The maker once, then the model, where the id has both. Behind IPP, gateways have a name of their own as make and
    /// model, and the id is the printer's.
    var deviceModel: String? {
        guard let maker = field("MANUFACTURER", "MFG"), let model = field("MODEL", "MDL") else { return nil }
        return model.lowercased().hasPrefix(maker.lowercased() + " ") ? model : "\(maker) \(model)"
    }

    /// The value of the first of these keys that is there; nil where it is empty.
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

    /// As `DeviceID` takes.
    private static let maximumLength = 1024
}
