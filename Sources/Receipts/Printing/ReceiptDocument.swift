package import PrintModel

/// A receipt for one printer. It names what has to be drawn for it; who has drawn that gets the bytes:
///
///     let document = try ReceiptDocument(receipt, for: target)
///     let drawn = document.drawings.isEmpty ? Drawn.nothing : try await artist.draw(document.drawings)
///     let bytes = try document.bytes(with: drawn)
package struct ReceiptDocument: Sendable {
    package let layout: ReceiptLayout
    package let target: ReceiptTarget
    package let dithering: Dithering
    /// Empty where the printer's own characters and codes suffice.
    package let drawings: Set<Drawing>
    /// What this printer does otherwise than the receipt says, as sentences without an end: the job should say so.
    package let remarks: [String]
    /// For ESC/POS.
    private let native: NativeLines?

    package init(
        _ receipt: Receipt, for target: ReceiptTarget, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        guard var writing = target.plainWriting else {
            try self.init(ReceiptLayout(receipt, on: target.paper), for: target, dithering: dithering, remarks: [])
            return
        }
        let plain = try writing.written(receipt)
        try self.init(
            ReceiptLayout(plain, on: target.paper), for: target, dithering: dithering, remarks: writing.remarks)
    }

    /// A receipt that is laid out already, on the printer's paper. One for a printer that can draw nothing holds what
    /// that printer has itself.
    package init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        try self.init(layout, for: target, dithering: dithering, remarks: [])
    }

    private init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dithering: Dithering, remarks: [String]
    ) throws(ReceiptError) {
        (self.layout, self.target, self.dithering) = (layout, target, dithering)
        var native: NativeLines?
        if case .escPos(let printer) = target { native = try EscPosDocument.native(layout, for: printer) }
        self.native = native
        drawings =
            switch target {
            case .escPos(let printer):
                native.map { EscPosDocument.drawings(of: layout, for: printer, saying: $0, dithering: dithering) } ?? []
            case .star(let printer): try StarEncoder(layout, printer, .nothing, dithering).drawings(of: layout)
            case .label, .raster: ReceiptPicture(layout, dithering: dithering).drawings
            case .text: []
            }
        let kicks = layout.lines.contains { if case .drawer = $0.content { true } else { false } }
        self.remarks = remarks + (kicks && !target.hasDrawer ? ["the printer has no drawer: none was opened"] : [])
    }

    /// Throws where something was to be drawn and was not, or the printer cannot print it: before the first byte.
    package func bytes(with drawn: Drawn) throws(ReceiptError) -> [UInt8] {
        if let document = try escPos(with: drawn) { return document.bytes }
        return try steps(with: drawn).flatMap(\.bytes)
    }

    /// The same for people: a command a line.
    package func dump(with drawn: Drawn) throws(ReceiptError) -> String {
        if let document = try escPos(with: drawn) { return document.dump }
        return try steps(with: drawn).map { $0.description + "\n" }.joined()
    }

    /// For a printer that takes pages: how wide and long the longest is, in hundredths of a millimetre.
    package var rollPage: RollPage? {
        guard case .raster(let printer) = target else { return nil }
        let dots = max(ReceiptPicture(layout, dithering: dithering).longestPage, printer.shortestPage)
        // A part of a hundredth is paper too.
        return RollPage(width: printer.hundredths(printer.pageWidth), length: printer.hundredths(dots))
    }

    /// How each page is parted from what follows, for a printer that takes pages.
    package var pageEnds: [CutMode?] {
        guard case .raster = target else { return [] }
        return ReceiptPicture(layout, dithering: dithering).pageEnds
    }

    private func escPos(with drawn: Drawn) throws(ReceiptError) -> EscPosDocument? {
        guard case .escPos(let printer) = target, let native else { return nil }
        return try EscPosDocument(layout, for: printer, saying: native, with: drawn, dithering: dithering)
    }

    private func steps(with drawn: Drawn) throws(ReceiptError) -> [EncodedStep] {
        switch target {
        case .escPos: return []
        case .star(let printer):
            var encoder = try StarEncoder(layout, printer, drawn, dithering)
            for line in layout.lines { try encoder.add(line) }
            encoder.finish()
            return encoder.steps
        case .text(let printer): return try printer.steps(layout)
        case .label(let printer):
            return try printer.steps(ReceiptPicture(layout, dithering: dithering).pages(with: drawn))
        case .raster(let printer):
            return try printer.steps(ReceiptPicture(layout, dithering: dithering).pages(with: drawn))
        }
    }
}
