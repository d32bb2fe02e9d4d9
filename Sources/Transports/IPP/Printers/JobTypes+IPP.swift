import PrintModel

extension JobTypes {
    /// What a printer is made for: its own word (`printer-kind`, PWG 5100.13 §6.5.21) where it has one, else what its
    /// formats, its device id and its media tell.
    init(printerKinds: [String], derivedFrom description: PrinterDescription) {
        self = printerKinds.reduce(into: []) { $0.formUnion(JobTypes(keyword: $1) ?? []) }
        if isEmpty {
            self = Self.fromLanguages(description).union(Self.fromMedia(description))
        }
        // A printer that tells neither language nor media takes pages, as all did before these attributes existed.
        if isEmpty { self = .document }
        if contains(.document) { insert(.general) }
    }

    private static func fromLanguages(_ description: PrinterDescription) -> JobTypes {
        var types: JobTypes = []
        let formats = description.formats
        if formats.contains(.escPOS) || formats.contains(.starPRNT) { types.formUnion([.receipt, .roll]) }
        if formats.contains(.zpl) { types.insert(.label) }
        let commands = description.commandSets
        if !commands.isDisjoint(with: ["ESCPOS", "ESC/POS", "STARPRNT", "STAR", "EPSON-POS"]) {
            types.formUnion([.receipt, .roll])
        }
        if !commands.isDisjoint(with: ["ZPL", "ZPL II", "ZPLII", "EPL", "EPL2", "TSPL", "DPL", "SBPL"]) {
            types.insert(.label)
        }
        return types
    }

    private static func fromMedia(_ description: PrinterDescription) -> JobTypes {
        var types: JobTypes = []
        for name in description.media {
            types.formUnion(of(media: name, isColor: description.isColor == true))
        }
        return types
    }

    /// What one medium is for. The names' classes and sizes are PWG 5101.1's.
    private static func of(media name: String, isColor: Bool) -> JobTypes {
        // A range's ends say what the printer can be set to, not what it is made for; a range of lengths is a roll.
        if name.hasPrefix("custom_m") { return [] }
        guard let size = MediaSize(mediaName: name) else { return [] }
        if name.hasPrefix("roll_") { return size.width <= widestReceipt ? [.roll, .receipt] : .roll }
        if envelopeWords.contains(where: { name.contains($0) }) { return .envelope }
        if name.contains("hagaki") || name.contains("oufuku") || name.contains("postcard") { return .postcard }
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        if size.width <= widestReceipt, size.height >= size.width * 2.5 { return [.roll, .receipt] }
        if short >= 400 { return .largeFormat }
        if short >= 140, long >= 200 { return .document }
        if short <= 110, long <= 155, name.contains("label") { return .label }
        if isColor, (85...132).contains(short), (120...182).contains(long) { return .photo }
        return []
    }

    /// Receipt paper is 58 or 80 mm wide; 82.5 mm is the widest roll such printers take.
    private static let widestReceipt = 82.5

    private static let envelopeWords = [
        "number-9", "number-10", "number-11", "number-12", "number-14", "monarch", "personal_", "_dl_", "iso_c",
        "jpn_chou", "jpn_kaku", "prc_", "envelope", "jpn_you", "na_a2", "_invite",
    ]
}

extension PrinterDescription {
    /// The languages of an IEEE 1284 device id (`CMD:` or `COMMAND SET:`), in upper case.
    var commandSets: Set<String> {
        var sets: Set<String> = []
        for field in (deviceID ?? "").split(separator: ";") {
            let (key, value) = field.splitOnce(at: ":")
            guard let value, ["CMD", "COMMAND SET"].contains(key.drop { $0 == " " }.uppercased()) else { continue }
            sets.formUnion(value.split(separator: ",").map { $0.uppercased() })
        }
        return sets
    }
}
