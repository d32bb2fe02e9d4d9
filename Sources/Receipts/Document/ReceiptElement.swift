/// One step down the paper. Every element stands on lines of its own.
package enum ReceiptElement: Hashable, Sendable {
    /// How the lines from here on are set, until it is changed again.
    case settings(LineSettings)
    case row(ReceiptRow)
    /// Across the line; in a box, from side to side.
    case rule
    case code(ReceiptCode)
    case image(ReceiptImage)
    case feed(lines: Int)
    case cut(CutMode)
    case drawer(DrawerKick)
    /// Bytes for the printer as they are.
    case command([UInt8])
}

package enum CutMode: String, Hashable, Sendable, CaseIterable {
    case full
    /// Leaves a point of paper standing.
    case partial
    /// Only feeds, so that the paper can be torn off behind the last line.
    case feed
}

/// A pulse for the drawer that is plugged into the printer.
package struct DrawerKick: Hashable, Sendable {
    /// Of the two that a drawer port drives: 1 is its pin 2, 2 is its pin 5.
    package var connector: Int
    package var milliseconds: Int

    package init(connector: Int = 1, milliseconds: Int = Self.usualMilliseconds) {
        self.connector = connector
        self.milliseconds = milliseconds
    }

    package static let connectors = 1...2
    /// What ESC/POS can say, in steps of 2 ms.
    package static let pulses = 2...510
    package static let usualMilliseconds = 120
}
