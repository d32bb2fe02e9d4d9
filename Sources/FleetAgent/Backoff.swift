/// Pauses that grow from half a second, each of them any from half of its maximum on: ten thousand kiosks must not come
/// back at once.
package struct Backoff: Sendable {
    private static let shortest: Duration = .milliseconds(500)
    private let longest: Duration
    private var next = Self.shortest

    package init(upTo longest: Duration) { self.longest = longest }

    /// Throws `CancellationError`.
    package mutating func wait() async throws {
        let pause = next * Double.random(in: 0.5...1)
        next = min(next * 2, longest)
        try await Task.sleep(for: pause)
    }

    /// Begins with short pauses again.
    package mutating func reset() { next = Self.shortest }
}
