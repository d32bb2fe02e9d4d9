import KioskPrintModel

/// Reads the `pages` section of a profile: how a printer of pages takes sheets. `ProfileReader` calls it; mistakes go
/// to its `YAMLReader`.
struct PageSettingsReader {
    private var yaml: YAMLReader

    private static let keys = ["raster", "sheet-back", "resolutions", "color", "duplex", "margins", "media", "pjl"]
    private static let resolutions = 72...2400
    /// Millimetres.
    private static let margins = 0...50
    private static let maximumCount = 32

    /// Reads a section. What it leaves open keeps the values of `base`.
    static func read(_ node: YAMLNode, over base: PageSettings?, with yaml: inout YAMLReader) -> PageSettings? {
        var reader = Self(yaml: yaml)
        defer { yaml = reader.yaml }
        return reader.settings(node, over: base)
    }

    private mutating func settings(_ node: YAMLNode, over base: PageSettings?) -> PageSettings? {
        guard let values = yaml.mapping(node, of: "pages", keys: Self.keys, path: "") else { return nil }
        var settings = base ?? PageSettings()
        settings.raster = values["raster"].flatMap { yaml.keyword($0, "the raster") } ?? settings.raster
        settings.sheetBack =
            values["sheet-back"].flatMap { yaml.keyword($0, "the orientation of back sides") } ?? settings.sheetBack
        settings.resolutions = values["resolutions"].map { resolutions($0) } ?? settings.resolutions
        settings.isColor =
            values["color"].flatMap { yaml.flag($0, "color") } ?? settings.isColor
        settings.isDuplex =
            values["duplex"].flatMap { yaml.flag($0, "duplex") } ?? settings.isDuplex
        settings.margins = values["margins"].flatMap { margins($0) } ?? settings.margins
        settings.usesPJL = values["pjl"].flatMap { yaml.flag($0, "pjl") } ?? settings.usesPJL
        settings.media = values["media"].map { media($0) } ?? settings.media
        return settings
    }

    private mutating func resolutions(_ node: YAMLNode) -> [Int] {
        guard let items = yaml.items(node, "the resolutions", example: "300, 600") else { return [] }
        let numbers = items.prefix(Self.maximumCount).compactMap {
            number($0, "a resolution", in: Self.resolutions, "dots per inch")
        }
        return Set(numbers).sorted()
    }

    /// The same border at all four edges, in millimetres.
    private mutating func margins(_ node: YAMLNode) -> Medium.Margins? {
        number(node, "the margin", in: Self.margins, "millimetres").map { Medium.Margins(all: $0 * 100) }
    }

    /// A whole number in a range.
    private mutating func number(_ node: YAMLNode, _ what: String, in range: ClosedRange<Int>, _ unit: String) -> Int? {
        guard let number = yaml.integer(node, what) else { return nil }
        guard range.contains(number) else {
            yaml.report(
                "\(what) is out of range\(yaml.quoted(node))", at: node.position,
                instead: "\(unit), from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    private mutating func media(_ node: YAMLNode) -> [String] {
        guard let items = yaml.items(node, "the media", example: "iso_a4_210x297mm") else { return [] }
        return items.prefix(Self.maximumCount).compactMap { item in
            guard let name = yaml.text(item, "a medium", instead: "a name such as iso_a4_210x297mm") else { return nil }
            guard PWGMediaSize(mediaName: name) != nil else {
                yaml.report(
                    "this is no PWG 5101.1 name with a size\(yaml.quoted(item))", at: item.position,
                    instead: "a name such as iso_a4_210x297mm")
                return nil
            }
            return name
        }
    }
}
