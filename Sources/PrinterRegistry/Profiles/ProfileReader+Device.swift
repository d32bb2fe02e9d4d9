import PrintModel

extension ProfileReader {
    /// A profile's `device`: how a receipt printer is spoken to beyond its documents. What it leaves open stays as it
    /// was.
    mutating func deviceSettings(_ node: YAMLNode, over base: DeviceSettings?) -> DeviceSettings? {
        guard let values = list.mapping(node, of: "device", keys: Vocabulary.deviceKeys, path: "") else { return nil }
        var settings = base ?? DeviceSettings()
        settings.language =
            values["language"].flatMap { list.keyword($0, "the language of the device") } ?? settings.language
        settings.completion = values["completion"].flatMap { list.keyword($0, "the completion") } ?? settings.completion
        settings.status = values["status"].flatMap { list.keyword($0, "when to ask for the status") } ?? settings.status
        settings.recovery = values["recovery"].flatMap { list.keyword($0, "the recovery") } ?? settings.recovery
        settings.afterCancel =
            values["after-cancel"].flatMap { list.keyword($0, "what is done after a cancel") } ?? settings.afterCancel
        settings.paperSpeed = values["paper-speed"].flatMap { paperSpeed($0) } ?? settings.paperSpeed
        settings.drawerOpen =
            values["drawer-open"].flatMap { list.keyword($0, "the level of an open drawer") } ?? settings.drawerOpen
        settings.usb = values["usb"].flatMap { usbSettings($0, over: settings.usb) } ?? settings.usb
        if let node = values["completion"], let language = settings.language,
            settings.completion?.isOf(language) == false
        {
            list.add(
                "a printer of the language \(language.rawValue) does not confirm jobs so\(list.quoted(node))",
                at: node.position,
                instead: DeviceSettings.Completion.allCases.filter { $0.isOf(language) }.map(\.rawValue).joined(
                    separator: " or "))
        }
        return settings
    }

    private mutating func usbSettings(_ node: YAMLNode, over base: USBSettings) -> USBSettings? {
        guard let values = list.mapping(node, of: "the device's usb", keys: Vocabulary.usbKeys, path: "") else {
            return nil
        }
        var settings = base
        settings.vendorClass = values["vendor-class"].map { usbModels($0) } ?? settings.vendorClass
        settings.unidirectional =
            values["unidirectional"].flatMap { list.flag($0, "unidirectional") } ?? settings.unidirectional
        settings.zeroLengthPacket =
            values["zero-length-packet"].flatMap { list.flag($0, "zero-length-packet") } ?? settings.zeroLengthPacket
        settings.softReset = values["soft-reset"].flatMap { list.flag($0, "soft-reset") } ?? settings.softReset
        settings.reattach = values["reattach"].flatMap { list.flag($0, "reattach") } ?? settings.reattach
        return settings
    }

    private mutating func usbModels(_ node: YAMLNode) -> [USBModel] {
        let example = "\"04b8:0202\""
        guard let items = list.items(node, "vendor-class", example: example) else { return [] }
        return items.compactMap { item in
            if let model = item.text.flatMap({ USBModel($0) }) { return model }
            list.add(
                "the USB model is no pair of numbers\(list.quoted(item))", at: item.position,
                instead: "vendor:product as lsusb writes it, such as \(example)")
            return nil
        }
    }

    private mutating func paperSpeed(_ node: YAMLNode) -> Int? {
        guard let speed = list.integer(node, "the speed of the paper") else { return nil }
        if !Self.paperSpeeds.contains(speed) {
            list.add(
                "no receipt printer moves its paper at this speed\(list.quoted(node))", at: node.position,
                instead: "millimetres a second, from \(Self.paperSpeeds.lowerBound) to \(Self.paperSpeeds.upperBound)")
        }
        return speed
    }

    private static let paperSpeeds = 1...1000
}

extension DeviceSettings.Completion {
    fileprivate func isOf(_ language: DeviceSettings.Language) -> Bool {
        switch self {
        case .processID, .statusRequest: language == .escPOS
        case .etb: language == .starLine
        case .none: true
        }
    }
}
