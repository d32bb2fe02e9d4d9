/// A kind of printer to simulate.
package enum SimulatedPrinterKind: String, Hashable, Sendable, CaseIterable {
    case receipt, label, laser, inkjet
    /// A printer of sheets that takes pages as pixels, and no PDF.
    case office

    /// How a printer of sheets puts pages on paper; nil for those with a roll.
    package var sheets: SimulatedSheets? {
        let model = SimulatedModel(self)
        return model.columns == nil ? SimulatedSheets(margin: Int(model.margin), sheetBack: model.sheetBack) : nil
    }
}

/// How a printer of sheets puts pages on paper.
package struct SimulatedSheets: Hashable, Sendable {
    /// The margin at each edge, in hundredths of a millimetre.
    package var margin: Int
    /// What it takes for the back of a sheet (PWG 5102.4 `pwg-raster-document-sheet-back`).
    package var sheetBack: String
}

/// The make, model and capabilities that a simulated printer reports; fixed for each `SimulatedPrinterKind`.
struct SimulatedModel: Sendable {
    var make: String
    var model: String
    /// The `printer-kind` keywords (PWG 5100.13).
    var kinds: [String]
    /// The supported formats; the first is the default.
    var formats: [String]
    /// The supported media; the first is the default. As many are loaded as there are sources, in their order.
    var media: [SimulatedMedia]
    /// The trays or rolls.
    var mediaSources: [String]
    var mediaTypes: [String]
    /// The margin at each edge, in hundredths of a millimetre.
    var margin: Int32
    var isColor = false
    var sides = ["one-sided"]
    /// Dots per inch; the first is the default.
    var resolutions: [Int32]
    var rasterTypes: [String]
    /// The `urf-supported` keywords; without them it takes no Apple Raster of ours.
    var appleRaster: [String] = []
    /// `pwg-raster-document-sheet-back`.
    var sheetBack = "normal"
    var outputBin: String
    /// The `finishings` enums of PWG 5100.1: 3 none, 60 trim-after-pages, 63 trim-after-job.
    var finishings: [Int32] = [3]
    /// The names of the finishings as templates of `finishings-col` (PWG 5100.1 §5.2).
    var finishingTemplates: [String] {
        finishings.map { number in
            switch number {
            case 60: "trim-after-pages"
            case 63: "trim-after-job"
            default: "none"
            }
        }
    }
    var commandSet: String
    var pagesPerMinute: Int32
    var supply: (type: String, description: String)
    /// Characters in a line of text; nil for sheet printers.
    var columns: Int?

    /// What is loaded, each with its source.
    var loaded: [(media: SimulatedMedia, source: String)] { Array(zip(media, mediaSources)) }

    /// The tray for a medium: where it is loaded, or else the first.
    func source(of medium: SimulatedMedia) -> String {
        loaded.first { $0.media == medium }?.source ?? mediaSources[0]
    }

    /// Whether the paper comes out as the bytes arrive, as on a roll.
    var printsWhileReceiving: Bool { columns != nil }

    /// Whether documents have pages that a client can select.
    var supportsPageRanges: Bool { formats.contains("application/pdf") }

    var makeAndModel: String { "\(make) \(model)" }

    /// The IEEE 1284 device ID, the same over USB and IPP.
    var deviceID: String { "MFG:\(make);MDL:\(model);CMD:\(commandSet);CLS:PRINTER;DES:\(makeAndModel);" }
}

// The model of each kind.
extension SimulatedModel {
    init(_ kind: SimulatedPrinterKind) {
        switch kind {
        case .receipt: self = .receipt
        case .label: self = .label
        case .laser: self = .laser
        case .inkjet: self = .inkjet
        case .office: self = .office
        }
    }

    private static let receipt = SimulatedModel(
        make: "Simulated", model: "RP-80 Receipt Printer", kinds: ["receipt", "roll"],
        formats: [
            "text/plain", "application/vnd.escpos", "application/octet-stream", "image/pwg-raster", "image/png",
            "image/jpeg",
        ],
        media: [.receiptRoll80, .receiptRoll58], mediaSources: ["main-roll"], mediaTypes: ["continuous", "stationery"],
        margin: 400, resolutions: [203], rasterTypes: ["black_1", "sgray_8"], outputBin: "face-up",
        finishings: [3, 60, 63], commandSet: "ESC/POS", pagesPerMinute: 60,
        supply: ("other", "Thermal paper roll"), columns: 48)

    private static let label = SimulatedModel(
        make: "Simulated", model: "LP-4 Label Printer", kinds: ["label", "roll"],
        formats: [
            "application/vnd.zebra-zpl", "application/octet-stream", "text/plain", "image/pwg-raster", "image/png",
            "image/jpeg",
        ],
        media: [.index4x6, .label4x2, .label2x1], mediaSources: ["main-roll"], mediaTypes: ["labels", "continuous"],
        margin: 0, resolutions: [203, 300], rasterTypes: ["black_1", "sgray_8"], outputBin: "face-up",
        finishings: [3, 63], commandSet: "ZPL", pagesPerMinute: 60, supply: ("other", "Label roll"), columns: 32)

    private static let laser = SimulatedModel(
        make: "Simulated", model: "LJ-2000 Laser Printer", kinds: ["document", "envelope"],
        formats: [
            "application/pdf", "image/pwg-raster", "image/urf", "image/jpeg", "application/postscript", "text/plain",
            "application/octet-stream",
        ],
        media: [.a4, .letter, .legal, .a5, .envelopeDL], mediaSources: ["tray-1"],
        mediaTypes: ["stationery", "envelope", "transparency"], margin: 423,
        sides: ["one-sided", "two-sided-long-edge", "two-sided-short-edge"], resolutions: [600, 300],
        rasterTypes: ["black_1", "sgray_8"], outputBin: "face-down", commandSet: "PDF,PS,PCL,PWGRaster",
        pagesPerMinute: 38, supply: ("toner", "Black toner cartridge"))

    private static let inkjet = SimulatedModel(
        make: "Simulated", model: "IJ-700 Photo Printer", kinds: ["document", "photo", "postcard", "envelope"],
        formats: [
            "image/urf", "image/pwg-raster", "image/jpeg", "application/pdf", "image/png", "text/plain",
            "application/octet-stream",
        ],
        media: [.a4, .letter, .a5, .index4x6, .photo5x7, .hagaki, .envelopeDL], mediaSources: ["main"],
        mediaTypes: ["stationery", "photographic-glossy", "envelope"], margin: 300, isColor: true,
        sides: ["one-sided", "two-sided-long-edge", "two-sided-short-edge"], resolutions: [300, 600],
        rasterTypes: ["black_1", "sgray_8", "srgb_8"], outputBin: "face-up", commandSet: "PWGRaster,AppleRaster,JPEG",
        pagesPerMinute: 12, supply: ("ink", "Ink cartridges"))

    private static let office = SimulatedModel(
        make: "Simulated", model: "OP-300 Office Printer", kinds: ["document"],
        formats: ["image/urf", "image/pwg-raster", "image/jpeg", "application/octet-stream"],
        media: [.a4, .letter, .legal, .a5], mediaSources: ["tray-1", "tray-2"], mediaTypes: ["stationery"],
        margin: 423, isColor: true, sides: ["one-sided", "two-sided-long-edge", "two-sided-short-edge"],
        resolutions: [300, 600], rasterTypes: ["sgray_8", "srgb_8"],
        appleRaster: ["V1.4", "CP1", "W8", "SRGB24", "RS300-600", "DM3", "IS1-2", "MT1", "PQ3-4-5"],
        sheetBack: "rotated", outputBin: "face-down", commandSet: "PWGRaster,URF,JPEG", pagesPerMinute: 30,
        supply: ("toner", "Toner cartridges"))
}

/// A media size: its PWG 5101.1 name, and its dimensions in hundredths of a millimetre.
struct SimulatedMedia: Hashable, Sendable {
    let name: String
    let width: Int32
    let length: Int32

    init(_ name: String, _ width: Int32, _ length: Int32) {
        self.name = name
        self.width = width
        self.length = length
    }

    static let a4 = SimulatedMedia("iso_a4_210x297mm", 21000, 29700)
    static let a5 = SimulatedMedia("iso_a5_148x210mm", 14800, 21000)
    static let letter = SimulatedMedia("na_letter_8.5x11in", 21590, 27940)
    static let legal = SimulatedMedia("na_legal_8.5x14in", 21590, 35560)
    static let index4x6 = SimulatedMedia("na_index-4x6_4x6in", 10160, 15240)
    static let envelopeDL = SimulatedMedia("iso_dl_110x220mm", 11000, 22000)
    static let hagaki = SimulatedMedia("jpn_hagaki_100x148mm", 10000, 14800)
    static let photo5x7 = SimulatedMedia("na_5x7_5x7in", 12700, 17780)
    static let receiptRoll80 = SimulatedMedia("roll_receipt-80mm_80x2000mm", 8000, 200_000)
    static let receiptRoll58 = SimulatedMedia("roll_receipt-58mm_58x2000mm", 5800, 200_000)
    static let label2x1 = SimulatedMedia("oe_address-label_2x1in", 5080, 2540)
    static let label4x2 = SimulatedMedia("oe_shipping-label_4x2in", 10160, 5080)
}
