package import PrintModel

/// How slowly a printer may work and still be in order.
package struct PrintPace: Hashable, Sendable {
    /// Millimetres a second, at the slowest.
    package var paperSpeed: Int
    /// How much paper the printer moves for what it holds, as far as the document on its way shows (`PaperEstimate`).
    package var length: Millimetres = 0
    /// How much it may have to move first, for earlier jobs.
    package var before: Millimetres = 0
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
    package static let longestPaper: Millimetres = 100_000
    /// The slowest takes a packet in 20 s; some time more is allowed.
    private static let (packet, packetTime) = (512, 25_000)
    /// A transfer tells nothing before it has ended. It grows with what a printer has taken fast, and this much a small
    /// buffer takes so before the paper's pace is seen.
    private static let longestTransfer = 8192

    package init(
        _ settings: DeviceSettings = DeviceSettings(), bufferBytes: Int = largestBuffer, margin: Duration = .seconds(30)
    ) {
        paperSpeed = max(1, settings.paperSpeed ?? Self.slowestSpeed)
        self.bufferBytes = max(0, bufferBytes)
        self.margin = margin
    }

    /// How long a printer may say nothing that has taken so many bytes: the time to print all that it can hold of them.
    package func longestSilence(holding taken: Int) -> Duration {
        .milliseconds(paper(holding: taken) * 1000 / paperSpeed) + margin
    }

    /// The same while so many bytes more are to be taken: it may move on unheard inside one transfer.
    package func longestSilence(holding held: Int, taken: Int, toCome: Int) -> Duration {
        let transfer = max(0, min(max(taken, Self.packet), toCome, Self.longestTransfer))
        let packets = (transfer + Self.packet - 1) / Self.packet
        return max(longestSilence(holding: held), .milliseconds(packets * Self.packetTime))
    }

    /// How much it may move that has taken so many bytes, with what it moves first.
    package func paper(holding taken: Int) -> Millimetres {
        let held = min(max(0, taken), bufferBytes)
        let own = min(max(0, length, held / Self.bytesPerMillimetre), Self.longestPaper)
        return min(own + min(max(0, before), Self.longestPaper), Self.longestPaper)
    }

    /// What is left of so much paper after some time in which nothing stood still.
    package func left(of paper: Millimetres, after time: Duration) -> Millimetres {
        let seconds = Int(clamping: max(0, time.components.seconds))
        let moved = seconds.multipliedReportingOverflow(by: paperSpeed)
        return moved.overflow ? 0 : max(0, paper - moved.partialValue)
    }
}
