package import PrintModel

/// A receipt for one printer. It lists what has to be drawn for it, and becomes bytes once that is drawn:
///
///     let document = try ReceiptDocument(receipt, for: target)
///     let drawn = try await service.draw(Array(document.drawings))
///     let bytes = try document.bytes(with: drawn)
package struct ReceiptDocument: Sendable {
    package let layout: ReceiptLayout
    package let target: ReceiptTarget
    package let dithering: Dithering
    /// Empty where the printer's own characters and codes suffice.
    package let drawings: Set<Drawing>
    /// Where the print differs from the receipt, as sentences without a full stop. The job reports them.
    package let remarks: [String]
    private let encoder: TargetEncoder

    package init(
        _ receipt: Receipt, for target: ReceiptTarget, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        guard var rewriter = target.plainTextRewriter else {
            try self.init(ReceiptLayout(receipt, on: target.paper), for: target, dithering: dithering, remarks: [])
            return
        }
        let plain = try rewriter.rewritten(receipt)
        try self.init(
            ReceiptLayout(plain, on: target.paper), for: target, dithering: dithering, remarks: rewriter.remarks)
    }

    /// A receipt that is laid out already, on the printer's paper. For a printer that cannot print pictures, it must
    /// contain only what that printer has itself.
    package init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        try self.init(layout, for: target, dithering: dithering, remarks: [])
    }

    private init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering, remarks: [String]
    ) throws(ReceiptError) {
        (self.layout, self.target, self.dithering) = (layout, target, dithering)
        let encoder = try TargetEncoder(layout, for: target, dithering: dithering)
        self.encoder = encoder
        drawings = encoder.drawings
        let kicks = layout.lines.contains { if case .drawer = $0.content { true } else { false } }
        self.remarks = remarks + (kicks && !target.hasDrawer ? ["the printer has no drawer: none was opened"] : [])
    }

    /// Throws where a drawing is missing, or the printer cannot print the receipt: then no byte of it is sent.
    package func bytes(with drawn: RenderedDrawings) throws(ReceiptError) -> [UInt8] {
        switch try encoder.commands(with: drawn) {
        case .escPos(let commands): return commands.bytes
        case .encoded(let commands): return commands.bytes
        }
    }

    /// The commands for people, one per line.
    package func dump(with drawn: RenderedDrawings) throws(ReceiptError) -> String {
        switch try encoder.commands(with: drawn) {
        case .escPos(let commands): return commands.dump
        case .encoded(let commands): return commands.dump
        }
    }

    /// The size of the longest page, for a printer that takes pages; else nil.
    package var rollPage: RollPage? {
        guard case .raster(let encoder, let picture) = self.encoder else { return nil }
        return encoder.rollPage(longest: picture.longestPage)
    }

    /// How each page is separated from what follows, for a printer that takes pages; else empty.
    package var pageEnds: [CutMode?] {
        guard case .raster(_, let picture) = encoder else { return [] }
        return picture.pageEnds
    }
}

/// The encoder of the target's language, with what it encodes.
private enum TargetEncoder {
    case escPos(LineEncoder<EscPosCommandSet>)
    case star(LineEncoder<StarCommandSet>)
    case label(LabelEncoder, ReceiptPicture)
    case raster(RasterEncoder, ReceiptPicture)
    case text(PlainTextEncoder, ReceiptLayout)

    enum Commands {
        case escPos([EscPosCommand])
        case encoded([EncodedCommand])
    }

    init(_ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering) throws(ReceiptError) {
        switch target {
        case .escPos(let capabilities):
            self = .escPos(try LineEncoder(layout, EscPosCommandSet(capabilities), dithering: dithering))
        case .star(let capabilities):
            self = .star(try LineEncoder(layout, StarCommandSet(capabilities), dithering: dithering))
        case .label(let capabilities):
            self = .label(LabelEncoder(capabilities: capabilities), ReceiptPicture(layout, dithering: dithering))
        case .raster(let capabilities):
            self = .raster(RasterEncoder(capabilities: capabilities), ReceiptPicture(layout, dithering: dithering))
        case .text(let capabilities): self = .text(PlainTextEncoder(capabilities: capabilities), layout)
        }
    }

    /// Everything that has to be drawn.
    var drawings: Set<Drawing> {
        switch self {
        case .escPos(let encoder): encoder.drawings
        case .star(let encoder): encoder.drawings
        case .label(_, let picture): picture.drawings
        case .raster(_, let picture): picture.drawings
        case .text: []
        }
    }

    func commands(with drawn: RenderedDrawings) throws(ReceiptError) -> Commands {
        switch self {
        case .escPos(let encoder): return .escPos(try encoder.commands(with: drawn))
        case .star(let encoder): return .encoded(try encoder.commands(with: drawn))
        case .label(let encoder, let picture): return .encoded(try encoder.commands(picture.pages(with: drawn)))
        case .raster(let encoder, let picture): return .encoded(try encoder.commands(picture.pages(with: drawn)))
        case .text(let encoder, let layout): return .encoded(try encoder.commands(layout))
        }
    }
}
