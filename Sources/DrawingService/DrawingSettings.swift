/// How much the drawing service may take.
package struct DrawingSettings: Hashable, Sendable {
    /// The processor time that one drawing for printing may take. A busy machine takes longer for it, which is not the
    /// drawing's fault.
    package var processorTime: Duration = .seconds(10)
    /// The processor time that a preview may take; a receipt may have to wait for it.
    package var previewProcessorTime: Duration = .seconds(3)
    /// The processor time that the program's start may take: it opens its fonts then.
    package var startProcessorTime: Duration = .seconds(60)
    /// The time without any processor time after which the program is given up: it was stopped, or it hangs.
    package var standstill: Duration = .seconds(5)
    /// The time after which a drawing or a start is given up, even if it still makes progress.
    package var longest: Duration = .seconds(300)
    /// The time after which a drawing or a start counts as slow.
    package var slow: Duration = .seconds(3)
    /// After which the program is stopped when nothing is to be drawn. Where receipts are printed it is warm all day.
    package var idleTime: Duration = .seconds(12 * 3600)
    /// The first pause between two attempts to start the program while nobody asks for a drawing; it doubles up to the
    /// longest.
    package var firstStartPause: Duration = .seconds(1)
    package var longestStartPause: Duration = .seconds(30)
    /// Requests that wait, in bytes and in number; so much for what is printed, and as much again for previews.
    package var queuedBytes = 64 << 20
    package var queuedRequests = 1024
    /// What was drawn is kept, up to so many bytes.
    package var cachedBytes = 8 << 20
    /// The user that the program runs as, for which its parent must be root; nil: the parent's user.
    package var user: User?

    package struct User: Hashable, Sendable {
        package var id: UInt32
        package var group: UInt32

        package init(id: UInt32, group: UInt32) { (self.id, self.group) = (id, group) }
    }

    package init() {}
}
