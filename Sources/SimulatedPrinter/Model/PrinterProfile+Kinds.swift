extension PrinterProfile {
    init(_ kind: PrinterKind) {
        switch kind {
        case .receipt: self = .receipt
        case .label: self = .label
        case .laser: self = .laser
        case .inkjet: self = .inkjet
        }
    }

    private static let receipt = PrinterProfile(
        make: "Simulated", model: "RP-80 Receipt Printer", kinds: ["receipt", "roll"],
        formats: [
            "text/plain", "application/vnd.escpos", "application/octet-stream", "image/pwg-raster", "image/png",
            "image/jpeg",
        ],
        media: [.receiptRoll80, .receiptRoll58], mediaSource: "main-roll", mediaTypes: ["continuous", "stationery"],
        margin: 400, resolutions: [203], rasterTypes: ["black_1", "sgray_8"], outputBin: "face-up",
        finishings: [3, 60, 63], commandSet: "ESC/POS", pagesPerMinute: 60,
        supply: ("other", "Thermal paper roll"), columns: 48)

    private static let label = PrinterProfile(
        make: "Simulated", model: "LP-4 Label Printer", kinds: ["label", "roll"],
        formats: [
            "application/vnd.zebra-zpl", "application/octet-stream", "text/plain", "image/pwg-raster", "image/png",
            "image/jpeg",
        ],
        media: [.index4x6, .label4x2, .label2x1], mediaSource: "main-roll", mediaTypes: ["labels", "continuous"],
        margin: 0, resolutions: [203, 300], rasterTypes: ["black_1", "sgray_8"], outputBin: "face-up",
        finishings: [3, 63], commandSet: "ZPL", pagesPerMinute: 60, supply: ("other", "Label roll"), columns: 32)

    private static let laser = PrinterProfile(
        make: "Simulated", model: "LJ-2000 Laser Printer", kinds: ["document", "envelope"],
        formats: [
            "application/pdf", "image/pwg-raster", "image/urf", "image/jpeg", "application/postscript", "text/plain",
            "application/octet-stream",
        ],
        media: [.a4, .letter, .legal, .a5, .envelopeDL], mediaSource: "tray-1",
        mediaTypes: ["stationery", "envelope", "transparency"], margin: 423,
        sides: ["one-sided", "two-sided-long-edge", "two-sided-short-edge"], resolutions: [600, 300],
        rasterTypes: ["black_1", "sgray_8"], outputBin: "face-down", commandSet: "PDF,PS,PCL,PWGRaster",
        pagesPerMinute: 38, supply: ("toner", "Black toner cartridge"))

    private static let inkjet = PrinterProfile(
        make: "Simulated", model: "IJ-700 Photo Printer", kinds: ["document", "photo", "postcard", "envelope"],
        formats: [
            "image/urf", "image/pwg-raster", "image/jpeg", "application/pdf", "image/png", "text/plain",
            "application/octet-stream",
        ],
        media: [.a4, .letter, .a5, .index4x6, .photo5x7, .hagaki, .envelopeDL], mediaSource: "main",
        mediaTypes: ["stationery", "photographic-glossy", "envelope"], margin: 300, isColor: true,
        sides: ["one-sided", "two-sided-long-edge", "two-sided-short-edge"], resolutions: [300, 600],
        rasterTypes: ["black_1", "sgray_8", "srgb_8"], outputBin: "face-up", commandSet: "PWGRaster,AppleRaster,JPEG",
        pagesPerMinute: 12, supply: ("ink", "Ink cartridges"))
}
