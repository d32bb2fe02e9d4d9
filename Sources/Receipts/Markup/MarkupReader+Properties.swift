import PrintModel

extension MarkupReader {
    /// What a property says, in the order that the specification's own program follows, whatever theirs is in the
    /// braces.
    mutating func read(
        _ property: MarkupProperty, alignment: HorizontalAlignment, at place: ReceiptError.Place
    ) throws(ReceiptError) {
        for key in property.keys
        where !Self.keys.contains(key.name) && (rules.isStrict || !Self.additionalKeys.contains(key.name)) {
            remark("the property \"\(key.name)\" is not known here", at: key.place)
        }
        let settings = try settings(property.values)
        if !settings.isEmpty { try append(.settings(settings), at: place) }
        if let value = property.values["option"] { option = codeOption(value) }
        if let value = property.values["image"] { try append(.image(try image(value, alignment)), at: value.place) }
        if let value = property.values["code"] { try append(.code(try code(value, alignment)), at: value.place) }
        if let value = property.values["command"] {
            let bytes = try command(value)
            // Escapes that stand for nothing leave nothing to send.
            if !bytes.isEmpty { try append(.command(bytes), at: value.place) }
        }
        if !rules.isStrict { try readAdditions(property.values) }
    }

    private static let keys: Set<String> = [
        "image", "code", "option", "align", "width", "border", "text", "command", "comment",
    ]
    private static let additionalKeys: Set<String> = ["font", "spacing", "feed", "cut", "drawer"]

    private func image(
        _ value: MarkupProperty.Value, _ alignment: HorizontalAlignment
    ) throws(ReceiptError) -> ReceiptImage {
        guard let file = Base64.decode(value.resolved), !file.isEmpty else {
            throw ReceiptError(
                .image, "the image is no Base64", instead: "a PNG or JPEG file in Base64", at: value.place)
        }
        guard file.count <= ReceiptLimits.imageLength else {
            throw ReceiptError(.tooLarge, "the image has more than \(ReceiptLimits.imageLength) bytes", at: value.place)
        }
        let image = ReceiptImage(file, alignment: alignment)
        do { try image.checkStructure() } catch { throw error.at(value.place) }
        return image
    }

    private func code(
        _ value: MarkupProperty.Value, _ alignment: HorizontalAlignment
    ) throws(ReceiptError) -> ReceiptCode {
        var code = option
        code.data = value.text
        code.alignment = alignment
        do { try CheckedCode(code).check(code, fits: rules.widestPaper) } catch { throw error.at(value.place) }
        return code
    }

    private func command(_ value: MarkupProperty.Value) throws(ReceiptError) -> [UInt8] {
        guard rules.privileges.contains(.rawCommands) else {
            throw ReceiptError(.forbidden, "the caller may not send raw commands", at: value.place)
        }
        let bytes = value.text.unicodeScalars.map { UInt8(exactly: $0.value) }
        guard bytes.count <= ReceiptLimits.commandLength else {
            throw ReceiptError(
                .tooLarge, "the command has more than \(ReceiptLimits.commandLength) bytes", at: value.place)
        }
        guard bytes.allSatisfy({ $0 != nil }) else {
            throw ReceiptError(
                .value, "a command is made of bytes", instead: "\\x and two digits for each", at: value.place)
        }
        return bytes.compactMap(\.self)
    }

    private mutating func readAdditions(_ values: [String: MarkupProperty.Value]) throws(ReceiptError) {
        if let value = values["feed"] {
            guard let lines = Int(value.word), (1...ReceiptLimits.feedLines).contains(lines) else {
                throw unknown("the feed", value, "1 to \(ReceiptLimits.feedLines) lines")
            }
            try append(.feed(lines: lines), at: value.place)
        }
        if let value = values["cut"] {
            guard let mode = CutMode(rawValue: value.word) else {
                throw unknown("the cut", value, "full, partial or feed")
            }
            try append(.cut(mode), at: value.place)
        }
        if let value = values["drawer"] { try append(.drawer(try drawer(value)), at: value.place) }
    }

    private func drawer(_ value: MarkupProperty.Value) throws(ReceiptError) -> DrawerKick {
        guard rules.privileges.contains(.drawer) else {
            throw ReceiptError(.forbidden, "the caller may not open the drawer", at: value.place)
        }
        let numbers = value.words.map { Int($0) }
        guard let connector = numbers.first.flatMap(\.self), DrawerKick.connectors.contains(connector),
            numbers.count <= 2,
            let pulse = numbers.dropFirst().first ?? DrawerKick.usualMilliseconds, DrawerKick.pulses.contains(pulse)
        else {
            throw unknown(
                "the drawer", value,
                "1 or 2, and if need be the milliseconds of its pulse, \(DrawerKick.pulses.lowerBound) to \(DrawerKick.pulses.upperBound)"
            )
        }
        return DrawerKick(connector: connector, milliseconds: pulse)
    }

    /// A value of one of our additions: there are no documents yet that lean on a default.
    func unknown(_ what: String, _ value: MarkupProperty.Value, _ instead: String) -> ReceiptError {
        ReceiptError(.value, "\(what) is not known here", instead: instead, at: value.place)
    }
}
