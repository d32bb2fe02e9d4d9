/// Encodes finished dots for a printer of labels or receipts: each picture as a label, or as a piece of paper with its
/// cut. Each begins with all settings that it needs, so that it can be sent any number of times.
package struct DotEncoder: Sendable {
    private let encoder: Encoder

    private enum Encoder: Sendable {
        case escPos(LineEncoder<EscPosCommandSet>)
        case star(LineEncoder<StarCommandSet>)
        case label(LabelEncoder)
    }

    /// Nil for a printer that prints no pictures, or takes pages instead of commands.
    package init?(_ target: ReceiptTarget) {
        guard target.canDraw else { return nil }
        switch target {
        case .escPos(let capabilities):
            guard let encoder = Self.lines(EscPosCommandSet(capabilities)) else { return nil }
            self.encoder = .escPos(encoder)
        case .star(let capabilities):
            guard let encoder = Self.lines(StarCommandSet(capabilities)) else { return nil }
            self.encoder = .star(encoder)
        case .label(let capabilities): encoder = .label(LabelEncoder(capabilities: capabilities))
        case .raster, .text: return nil
        }
    }

    /// An encoder without lines of its own.
    private static func lines<Commands: CommandSet>(_ commandSet: Commands) -> LineEncoder<Commands>? {
        guard let layout = try? ReceiptLayout(Receipt([]), on: commandSet.capabilities.paper) else { return nil }
        return try? LineEncoder(layout, commandSet, dithering: .floydSteinberg)
    }

    /// The commands that print the dots, no wider than the head, from its left edge.
    /// - Parameter cut: The cut behind them; nil for none. A printer without a cutter feeds to where paper is torn off;
    ///   labels are separate already.
    /// - Throws: `doesNotFit` where they are longer than a label.
    package func bytes(of dots: DotMatrix, cut: CutMode?) throws(ReceiptError) -> [UInt8] {
        switch encoder {
        case .escPos(let encoder): encoder.commands(for: dots, then: cut).bytes
        case .star(let encoder): encoder.commands(for: dots, then: cut).bytes
        case .label(let encoder):
            try encoder.commands([ReceiptPicture.Page(matrix: dots, end: cut, commands: [])], then: []).bytes
        }
    }
}
