package import PrintModel

/// How slowly a printer may work and still be in order.
package struct PrintPace: Hashable, Sendable {
    /// Millimetres a second, at the slowest.
    package var paperSpeed: Int
    /// How much paper the printer moves for what it holds, as far as the document on its way shows (`PaperEstimate`).
    package var length: Millimetres = 0
    /// The most that the printer can hold of it.
    package var bufferBytes: Int
    /// For the cutter, a cold start, and the way of the question and its answer.
    package var margin: Duration

    package typealias Millimetres = Int

    /// A slow impact printer makes 4 lines of 4.2 mm a second, and dark images halve a thermal printer's speed.
    package static let slowestSpeed = 15
    /// Receive buffers go from 4 KB (TM-T88) to some ten KB, and USB and the kernel hold some more.
    package static let largestBuffer = 65_536
    /// Full lines of text: 48 characters for 4.2 mm. (Raster makes 1 mm of 576 bytes.)
    private static let bytesPerMillimetre = 11
    /// More than any roll has, so that no wait is endless.
    private static let longestPaper: Millimetres = 100_000

    package init(
        _ settings: DeviceSettings = DeviceSettings(), bufferBytes: Int = largestBuffer, margin: Duration = .seconds(30)
    ) {
        paperSpeed = max(1, settings.paperSpeed ?? Self.slowestSpeed)
        self.bufferBytes = max(0, bufferBytes)
        self.margin = margin
    }

    /// How long a printer may say nothing that has taken so many bytes: the time to print all that it can hold of them.
    package func longestSilence(holding taken: Int) -> Duration {
        let held = min(max(0, taken), bufferBytes)
        let estimate = min(max(length, held / Self.bytesPerMillimetre), Self.longestPaper)
        return .milliseconds(max(0, estimate) * 1000 / paperSpeed) + margin
    }
}
