/// How much the drawing service may take.
package struct DrawingSettings: Hashable, Sendable {
    /// For one drawing.
    package var deadline: Duration = .seconds(10)
    /// For the program's start, beyond that: it opens its fonts then.
    package var startDeadline: Duration = .seconds(30)
    /// After which the program is stopped when nothing is to be drawn. Where receipts are printed it is warm all day.
    package var idleTime: Duration = .seconds(12 * 3600)
    /// Requests that wait, in bytes and in number.
    package var queuedBytes = 64 << 20
    package var queuedRequests = 1024
    /// What was drawn is kept, up to so many bytes.
    package var cachedBytes = 8 << 20

    package init() {}
}
