/// What was drawn for a receipt. Who encodes one takes from here what it cannot say in the printer's own characters and
/// codes.
package struct Drawn: Hashable, Sendable {
    package var matrices: [Drawing: DotMatrix]
    /// Characters that no font has. Their cells are white; the job should say so.
    package var withoutGlyph: Set<Unicode.Scalar>

    package init(_ matrices: [Drawing: DotMatrix] = [:], withoutGlyph: Set<Unicode.Scalar> = []) {
        self.matrices = matrices
        self.withoutGlyph = withoutGlyph
    }

    package static let nothing = Drawn()

    /// Throws where it was not drawn, or has another size: a fault of ours, which must not become a gap on paper.
    package subscript(drawing: Drawing) -> DotMatrix {
        get throws(ReceiptError) {
            guard let matrix = matrices[drawing], matrix.width == drawing.width, matrix.height == drawing.height else {
                throw ReceiptError(.unsupported, "a part of the receipt has to be drawn, and was not")
            }
            return matrix
        }
    }
}
