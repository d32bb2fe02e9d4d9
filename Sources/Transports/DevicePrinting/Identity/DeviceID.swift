import KioskPrintModel

/// A printer's IEEE 1284 device id: `MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;`.
///
/// Everything in it comes from the printer. Parsing never fails: invalid fields are left out, which may leave none.
package struct DeviceID: Hashable, Sendable {
    /// One `KEY:value` pair, with control characters and surrounding blanks removed from the value.
    package struct Field: Hashable, Sendable {
        /// The key in upper case.
        package var key: String
        package var value: String
    }

    /// The fields in their order. Of a duplicate key the last one counts, as in CUPS (`_cupsGet1284Values`).
    package private(set) var fields: [Field] = []

    /// CUPS reads as many (`get_device_id` in backend/usb-libusb.c has a buffer of 1,024 bytes); real ids have 50 to
    /// 400.
    package static let maximumLength = 1024
    private static let maximumFields = 64
    /// The longest value that is kept, as CUPS cuts them (`_cupsGet1284Values`).
    private static let maximumValueLength = 255
    private static let maximumKeyLength = 32

    /// Parses the text of a device id, without the two length bytes at the start of a USB response.
    package init(_ bytes: some Sequence<UInt8>) {
        let text = Array(bytes.prefix(Self.maximumLength))
        for piece in text.split(separator: UInt8(ascii: ";")) {
            guard fields.count < Self.maximumFields else { return }
            guard let colon = piece.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let key = Self.text(piece[..<colon]).uppercased()
            let value = String(
                Self.text(piece[piece.index(after: colon)...]).prefix(utf8Count: Self.maximumValueLength)[...]
                    .trimmingBlanks())
            guard !key.isEmpty, key.utf8.count <= Self.maximumKeyLength, !value.isEmpty,
                key.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
            else { continue }
            fields.removeAll { $0.key == key }
            fields.append(Field(key: key, value: value))
        }
    }

    package init(_ text: String) { self.init(text.utf8) }

    /// The value of the first of these keys that is present.
    package subscript(_ keys: String...) -> String? {
        for key in keys {
            if let field = fields.first(where: { $0.key == key }) { return field.value }
        }
        return nil
    }

    /// IEEE 1284 ids are ASCII. Other ids are read as UTF-8, or as Latin-1 where they are not valid UTF-8.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        return String(text.withoutControlCharacters[...].trimmingBlanks())
    }
}

extension DeviceID {
    /// Parses the response to GET_DEVICE_ID (USB printer class 1.1 §4.2.1): two bytes of length, then the id. Nil
    /// where it contains no id.
    ///
    /// The length is big-endian and includes its own two bytes. Some printers send it little-endian, some exclude the
    /// two bytes, some send nonsense: so it is only used to cut off bytes after the id, and only where it is plausible.
    package init?(reply: [UInt8]) {
        let bytes = reply.prefix(Self.maximumLength + Self.lengthBytes)
        guard bytes.count > Self.lengthBytes else { return nil }
        let text = bytes.dropFirst(Self.lengthBytes)
        let (high, low) = (Int(bytes[0]), Int(bytes[1]))
        // Excluding or including its own two bytes: whichever ends at a field's end; else the longer.
        let claims = [high << 8 | low, low << 8 | high].first { Self.canBeLength($0, of: text.count) }
        let id: DeviceID
        if let claims {
            let inclusive = text.prefix(claims - Self.lengthBytes)
            let exclusive = text.prefix(claims)
            id = DeviceID(inclusive.last == UInt8(ascii: ";") ? inclusive : exclusive)
        } else if text.first.map({ $0 >= 0x20 }) == true {
            id = DeviceID(text.prefix { $0 != 0 })
        } else {
            return nil
        }
        guard !id.fields.isEmpty else { return nil }
        self = id
    }

    private static let lengthBytes = 2
    /// "MFG:x;MDL:y;" and the two length bytes: the shortest that CUPS accepts (`get_device_id`).
    private static let minimumLength = 14

    /// A length may exceed the received text by its own two bytes only.
    private static func canBeLength(_ length: Int, of count: Int) -> Bool {
        length >= minimumLength && length <= count + lengthBytes
    }
}

// The keys of IEEE 1284-2000 §7.6 in their long and short forms, and others that printers use. CUPS looks for the long
// form first (`make_device_uri` in backend/usb-libusb.c), and so does this.
extension DeviceID {
    package var manufacturer: String? { self["MANUFACTURER", "MFG"] }
    package var model: String? { self["MODEL", "MDL"] }
    package var productDescription: String? { self["DESCRIPTION", "DES"] }
    package var deviceClass: String? { self["CLASS", "CLS"] }
    /// Does not identify a printer: whole series carry the same number here (OpenPrinting/cups issue 170).
    package var serialNumber: String? { self["SERIALNUMBER", "SERN", "SN"] }
    /// The command sets, in their order.
    package var commandSets: [String] {
        (self["COMMAND SET", "CMD"] ?? "").split(separator: ",").map { String($0.trimmingBlanks()) }.filter {
            !$0.isEmpty
        }
    }

    /// Make and model as people write them, with the maker only once.
    package var makeAndModel: String? {
        guard let names = names(product: nil, vendor: nil) else { return nil }
        return "\(names.maker) \(names.model)"
    }
}

extension DeviceID {
    /// Maker and model as CUPS finds them (`make_device_uri` in backend/usb-libusb.c), so that its URLs and ours name a
    /// printer alike: from the id, else from the USB descriptor's strings, else from the description. Nil where none of
    /// them is known.
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

    /// The two abbreviations that CUPS has.
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

extension DeviceID: CustomStringConvertible {
    /// The fields in IEEE 1284's form, without those that could not be parsed.
    package var description: String { fields.map { "\($0.key):\($0.value);" }.joined() }
}
