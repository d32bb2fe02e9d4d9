import PrintModel

/// A printer's IEEE 1284 device id: `MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;`.
///
/// Everything in it comes from the printer. Reading one never fails: fields that make no sense are left out, and what
/// is left may be nothing at all.
package struct DeviceID: Hashable, Sendable {
    /// One `KEY:value` pair, the value as it stood but for control characters and blanks around it.
    package struct Field: Hashable, Sendable {
        /// In upper case.
        package var key: String
        package var value: String
    }

    /// In their order; of a key that stands twice the last counts, as in CUPS (`_cupsGet1284Values`).
    package private(set) var fields: [Field] = []

    /// CUPS takes as many (`get_device_id` in backend/usb-libusb.c reads into 1,024 bytes); ids of the field have 50 to
    /// 400.
    package static let maximumLength = 1024
    private static let maximumFields = 64
    /// The longest value that is kept, as CUPS cuts them (`_cupsGet1284Values`).
    private static let maximumValueLength = 255
    private static let maximumKeyLength = 32

    /// Reads the text of a device id, without the two length bytes in front of a USB reply.
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

    /// The value of the first of these keys that is there.
    package subscript(_ keys: String...) -> String? {
        for key in keys {
            if let field = fields.first(where: { $0.key == key }) { return field.value }
        }
        return nil
    }

    /// IEEE 1284 ids are ASCII; where one is not, it is UTF-8 or, failing that, taken for Latin-1.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        return String(text.withoutControlCharacters[...].trimmingBlanks())
    }
}

// The keys of IEEE 1284-2000 §7.6 in their long and short forms, and those that printers use besides. CUPS asks for the
// long form first (`make_device_uri` in backend/usb-libusb.c), and so do we.
extension DeviceID {
    package var manufacturer: String? { self["MANUFACTURER", "MFG"] }
    package var model: String? { self["MODEL", "MDL"] }
    package var productDescription: String? { self["DESCRIPTION", "DES"] }
    package var deviceClass: String? { self["CLASS", "CLS"] }
    /// Not fit for telling printers apart: whole series carry the same number here (OpenPrinting/cups issue 170).
    package var serialNumber: String? { self["SERIALNUMBER", "SERN", "SN"] }
    /// The command sets, in their order.
    package var commandSets: [String] {
        (self["COMMAND SET", "CMD"] ?? "").split(separator: ",").map { String($0.trimmingBlanks()) }.filter {
            !$0.isEmpty
        }
    }

    /// As people write it: the maker once, then the model.
    package var makeAndModel: String? {
        guard let names = names(product: nil, vendor: nil) else { return nil }
        return "\(names.maker) \(names.model)"
    }
}

extension DeviceID: CustomStringConvertible {
    /// The fields in IEEE 1284's form, without what could not be read.
    package var description: String { fields.map { "\($0.key):\($0.value);" }.joined() }
}
