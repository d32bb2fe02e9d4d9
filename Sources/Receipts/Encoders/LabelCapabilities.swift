import PrintModel

/// The capabilities and settings of a label printer that takes only pictures.
package struct LabelCapabilities: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var language: Language
    /// The length of a label, in dots; nil for continuous media, which end where the print does.
    package var labelLength: Int?
    /// The gap between two labels, in dots.
    package var labelGap: Int
    package var hasCutter: Bool
    /// In the language's own units; nil leaves the printer's setting.
    package var darkness: Int?
    /// Inches per second; nil leaves the printer's setting.
    package var speed: Int?

    package enum Language: String, Hashable, Sendable, CaseIterable {
        /// ZPL II (Zebra).
        case zpl
        /// EPL2 (Eltron, Zebra).
        case epl
        /// TSPL (TSC).
        case tspl
    }

    package init(
        paper: ReceiptPaper, language: Language, labelLength: Int? = nil, labelGap: Int = 24, hasCutter: Bool = false,
        darkness: Int? = nil,
        speed: Int? = nil
    ) {
        self.paper = paper
        self.language = language
        self.labelLength = labelLength
        self.labelGap = labelGap
        self.hasCutter = hasCutter
        (self.darkness, self.speed) = (darkness, speed)
    }

    /// The capabilities that a profile describes. Labels are never wider than the head.
    init(_ settings: PrintingSettings, _ language: Language) {
        var settings = settings
        func dots(_ millimetres: Int) -> Int { (millimetres * settings.dpi * 10 + 127) / 254 }
        let label = settings.label
        if let label { settings.dots = min(settings.dots, dots(label.width)) }
        self.init(
            paper: ReceiptPaper(settings), language: language,
            labelLength: label.flatMap { $0.gap > 0 ? dots($0.height) : nil },
            labelGap: dots(label?.gap ?? 0), hasCutter: !settings.cuts.isEmpty, darkness: label?.darkness,
            speed: label?.speed)
    }
}
