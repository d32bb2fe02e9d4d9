import PrintModel
import Terminal

/// What people are told of a profile.
enum ProfileText {
    static func table(_ profiles: [PrinterProfile], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "PROFILE"), .init(heading: "LANGUAGE"), .init(heading: "DOTS", isNumber: true),
            .init(heading: "DPI", isNumber: true),
            .init(heading: "PAPER"), .init(heading: "FOR"),
        ])
        for profile in profiles {
            let printing = profile.printing
            table.add([
                .init(profile.name), .init(printing?.language.rawValue), .init(printing.map { "\($0.dots)" }),
                .init(printing.map { "\($0.dpi)" }),
                .init(printing?.paperWidth.map { "\($0) mm" }), .init(profile.description),
            ])
        }
        return table.text(style)
    }

    static func details(_ profile: PrinterProfile, _ style: Style = .current) -> String {
        var details = Details(profile.name)
        details.add("for", profile.description)
        details.add("inherits", profile.inherits)
        details.add("job types", profile.jobTypes?.description)
        for pattern in profile.match { details.add("matches", pattern.text) }
        details.add("command sets", profile.commandSets.map(\.text).joined(separator: ", "))
        if let printing = profile.printing { add(printing, to: &details) }
        if let device = profile.device { add(device, to: &details) }
        for quirk in profile.quirks {
            details.add("quirk", "\(quirk.name.rawValue): \(quirk.value) (\(quirk.why); \(quirk.source))")
        }
        details.add(
            "lpr",
            profile.lpr.map {
                [$0.dialect?.rawValue, $0.conversion?.rawValue].compactMap(\.self).joined(separator: ", ")
            })
        return details.text(style)
    }

    private static func add(_ printing: PrintingSettings, to details: inout Details) {
        details.add("language", printing.language.rawValue)
        details.add(
            "dots",
            "\(printing.dots) across, \(printing.dpi) an inch" + (printing.paperWidth.map { ", paper \($0) mm" } ?? ""))
        let columns = printing.dots / max(printing.fontA.width, 1)
        details.add(
            "fonts",
            "\(printing.fontA) (\(columns) a line)"
                + (printing.fontB.map { ", \($0) (\(printing.dots / max($0.width, 1)) a line)" } ?? ""))
        let pages = printing.codePages.sorted { $0.value < $1.value }
        details.add("code pages", pages.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", "))
        details.add("codes", printing.symbologies.map(\.rawValue).joined(separator: ", "))
        let cuts = printing.cuts.map(\.rawValue).joined(separator: ", ")
        details.add("cuts", cuts.isEmpty ? "none: fed \(printing.tearFeed) dots to tear" : cuts)
        details.add("pictures", printing.textOnly ? "none" : printing.raster.method?.rawValue ?? "yes")
        details.add("drawers", printing.drawers > 0 ? "\(printing.drawers)" : nil)
        details.add("label", printing.label.map { "\($0.width) x \($0.height) mm, gap \($0.gap) mm" })
        for source in printing.sources { details.add("source", source) }
    }

    private static func add(_ device: DeviceSettings, to details: inout Details) {
        details.add("asked in", device.language?.rawValue)
        details.add("confirms by", device.completion?.rawValue)
    }
}
