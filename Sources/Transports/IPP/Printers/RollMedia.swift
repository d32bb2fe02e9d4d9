import IPPCodec
import PrintModel

/// What a printer says of the sizes of its media, as far as pages for a roll need it: what is loaded
/// (`media-col-ready`) and what it takes (`media-size-supported`, `media-supported`).
struct RollMedia: Sendable {
    /// By their members; what is loaded stands first.
    private let sizes: [RollSize]
    private let loaded: [RollSize]
    /// By their names.
    private let named: [RollSize]
    /// The smallest that the printer has.
    private let margins: [IPPAttribute]

    /// What a job asks for, and what is to be said of it, as a sentence without an end.
    struct Answer: Hashable {
        var attribute: IPPAttribute?
        var remark: String?
    }

    /// PWG 5100.7 §6.3.1, the members of `media-col`.
    static let marginNames = ["media-bottom-margin", "media-left-margin", "media-right-margin", "media-top-margin"]
    static let marginLists = marginNames.map { "\($0)-supported" }

    /// More than any printer with a roll has.
    private static let most = 500

    init(_ attributes: IPPGroup) {
        let ready =
            attributes["media-col-ready"]?.collections.prefix(Self.most).compactMap { RollSize(loaded: $0) } ?? []
        let supported =
            attributes["media-size-supported"]?.collections.prefix(Self.most).compactMap { RollSize($0) } ?? []
        (sizes, loaded) = (ready + supported, ready)
        named = RollSize.named(attributes["media-supported"]?.strings.prefix(Self.most) ?? [])
        margins = Self.marginNames.compactMap { name in
            attributes["\(name)-supported"]?.integers.filter { $0 >= 0 }.min().map { IPPAttribute(name, .integer($0)) }
        }
    }

    /// The page as the printer has it, or what comes next to it. `members`: what it takes in `media-col`.
    func answer(for page: RollPage, members: [String], takesNames: Bool) -> Answer {
        let isCollection = members.contains("media-size")
        guard isCollection || takesNames else {
            return Answer(remark: "the printer takes no size of paper: it has its own for pages")
        }
        // Whatever is as wide as nothing that is loaded a printer would wait for.
        let isLoaded = loaded.isEmpty || loaded.contains { $0.fit(page) != nil }
        let listed = !isLoaded ? [] : isCollection && !sizes.isEmpty ? sizes : named
        let fits = listed.compactMap { size in size.fit(page).map { (size: size, fit: $0) } }
        guard let best = fits.min(by: { $0.fit < $1.fit }) else {
            return Answer(
                remark:
                    "the printer has no paper that is about \(RollSize.millimetres(page.width)) mm wide: it has its own size for pages"
            )
        }
        let (width, length) = (best.fit.width, best.fit.length)
        guard isCollection else {
            let name =
                best.size.name ?? "custom_receipt_\(RollSize.millimetres(width))x\(RollSize.millimetres(length))mm"
            return Answer(attribute: IPPAttribute("media", keyword: name), remark: best.fit.remark)
        }
        let size: IPPCollection = [
            IPPAttribute("x-dimension", .integer(Int32(clamping: width))),
            IPPAttribute("y-dimension", .integer(Int32(clamping: length))),
        ]
        let margins = (best.size.margins.isEmpty ? self.margins : best.size.margins).filter {
            members.contains($0.name)
        }
        return Answer(
            attribute: IPPAttribute(
                "media-col", .collection(IPPCollection([IPPAttribute("media-size", .collection(size))] + margins))),
            remark: best.fit.remark)
    }
}
