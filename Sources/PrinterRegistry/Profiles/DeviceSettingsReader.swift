import KioskPrintModel

/// Reads the `device` section of a profile: status, recovery and USB settings of a receipt printer, and the SNMP
/// community of an office printer.
struct DeviceSettingsReader {
    private var yaml: YAMLReader

    private static let paperSpeeds = 1...1000
    private static let deviceKeys = [
        "language", "completion", "status", "recovery", "after-cancel", "paper-speed", "drawer-open", "snmp-community",
        "usb",
    ]
    private static let usbKeys = ["vendor-class", "unidirectional", "zero-length-packet", "soft-reset", "reattach"]

    /// Reads a section. What it leaves open keeps the values of `base`.
    static func read(_ node: YAMLNode, over base: DeviceSettings?, with yaml: inout YAMLReader) -> DeviceSettings? {
        var reader = Self(yaml: yaml)
        defer { yaml = reader.yaml }
        return reader.settings(node, over: base)
    }

    private mutating func settings(_ node: YAMLNode, over base: DeviceSettings?) -> DeviceSettings? {
        guard let values = yaml.mapping(node, of: "device", keys: Self.deviceKeys, path: "") else { return nil }
        var settings = base ?? DeviceSettings()
        settings.language =
            values["language"].flatMap { yaml.keyword($0, "the language of the device") } ?? settings.language
        settings.completion = values["completion"].flatMap { yaml.keyword($0, "the completion") } ?? settings.completion
        settings.status = values["status"].flatMap { yaml.keyword($0, "when to ask for the status") } ?? settings.status
        settings.recovery = values["recovery"].flatMap { yaml.keyword($0, "the recovery") } ?? settings.recovery
        settings.afterCancel =
            values["after-cancel"].flatMap { yaml.keyword($0, "what is done after a cancel") } ?? settings.afterCancel
        settings.paperSpeed = values["paper-speed"].flatMap { paperSpeed($0) } ?? settings.paperSpeed
        settings.drawerOpen =
            values["drawer-open"].flatMap { yaml.keyword($0, "the level of an open drawer") } ?? settings.drawerOpen
        settings.snmp = values["snmp-community"].flatMap { snmpAccess($0) } ?? settings.snmp
        settings.usb = values["usb"].flatMap { usbSettings($0, over: settings.usb) } ?? settings.usb
        if let node = values["completion"], let language = settings.language,
            settings.completion?.exists(in: language) == false
        {
            yaml.report(
                "a printer of the language \(language.rawValue) does not confirm jobs this way\(yaml.quoted(node))",
                at: node.position,
                instead: DeviceSettings.Completion.allCases.filter { $0.exists(in: language) }.map(\.rawValue).joined(
                    separator: " or "))
        }
        return settings
    }

    private mutating func snmpAccess(_ node: YAMLNode) -> SNMPAccess? {
        let example = "off, or a community such as public"
        guard let text = yaml.text(node, "the SNMP community", instead: example) else { return nil }
        if let access = SNMPAccess(text) { return access }
        yaml.report("the SNMP community cannot be used\(yaml.quoted(node))", at: node.position, instead: example)
        return nil
    }

    private mutating func usbSettings(_ node: YAMLNode, over base: USBSettings) -> USBSettings? {
        guard let values = yaml.mapping(node, of: "the device's usb", keys: Self.usbKeys, path: "") else {
            return nil
        }
        var settings = base
        settings.vendorClass = values["vendor-class"].map { usbModels($0) } ?? settings.vendorClass
        settings.unidirectional =
            values["unidirectional"].flatMap { yaml.flag($0, "unidirectional") } ?? settings.unidirectional
        settings.zeroLengthPacket =
            values["zero-length-packet"].flatMap { yaml.flag($0, "zero-length-packet") } ?? settings.zeroLengthPacket
        settings.softReset = values["soft-reset"].flatMap { yaml.flag($0, "soft-reset") } ?? settings.softReset
        settings.reattach = values["reattach"].flatMap { yaml.flag($0, "reattach") } ?? settings.reattach
        return settings
    }

    private mutating func usbModels(_ node: YAMLNode) -> [USBModel] {
        let example = "\"04b8:0202\""
        guard let items = yaml.items(node, "vendor-class", example: example) else { return [] }
        return items.compactMap { item in
            if let model = item.text.flatMap({ USBModel($0) }) { return model }
            yaml.report(
                "the USB model is not a pair of numbers\(yaml.quoted(item))", at: item.position,
                instead: "vendor:product as lsusb writes it, such as \(example)")
            return nil
        }
    }

    private mutating func paperSpeed(_ node: YAMLNode) -> Int? {
        guard let speed = yaml.integer(node, "the speed of the paper") else { return nil }
        if !Self.paperSpeeds.contains(speed) {
            yaml.report(
                "no receipt printer moves its paper at this speed\(yaml.quoted(node))", at: node.position,
                instead: "millimetres per second, from \(Self.paperSpeeds.lowerBound) to \(Self.paperSpeeds.upperBound)"
            )
        }
        return speed
    }
}

extension DeviceSettings.Completion {
    fileprivate func exists(in language: DeviceSettings.Language) -> Bool {
        switch self {
        case .processID, .statusRequest: language == .escPOS
        case .etb: language == .starLine
        case .hostStatus: language == .zpl
        case .jobStatus: language == .pjl
        case .none: true
        }
    }
}
