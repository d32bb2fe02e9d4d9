/// The purpose of a drawing. Drawings for printing come before previews.
package enum DrawingPurpose: Hashable, Sendable { case printing, preview }

/// The limits and timeouts of the drawing service, and the Unix user that `kiosk-draw` runs as.
package struct DrawingSettings: Hashable, Sendable {
    /// The processor time that one drawing for printing may take. A busy machine takes longer for it, which is not the
    /// drawing's fault.
    package var processorTime: Duration = .seconds(10)
    /// The processor time that a preview may take; a receipt may have to wait for it.
    package var previewProcessorTime: Duration = .seconds(3)
    /// The processor time that the program's start may take: it opens its fonts then.
    package var startProcessorTime: Duration = .seconds(60)
    /// The time without any processor time after which the program is ended: it was stopped, or it hangs.
    package var stallTimeout: Duration = .seconds(5)
    /// The time after which a drawing or a start is ended, even if it still makes progress.
    package var timeout: Duration = .seconds(300)
    /// The time after which a drawing or a start counts as slow.
    package var slowThreshold: Duration = .seconds(3)
    /// The time without requests after which the program is stopped. Where receipts are printed it runs all day.
    package var idleTimeout: Duration = .seconds(12 * 3600)
    /// The first delay between two attempts to start the program while there are no requests. It doubles up to the
    /// longest.
    package var firstRestartDelay: Duration = .seconds(1)
    package var longestRestartDelay: Duration = .seconds(30)
    /// Waiting requests, in bytes and in number: so much for printing, and as much again for previews.
    package var queuedBytes = 64 << 20
    package var queuedRequests = 1024
    /// Bytes of the cache of drawings.
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
