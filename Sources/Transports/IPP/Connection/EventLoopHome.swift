import NIOCore

/// Runs the work for one printer on the event loop that serves its connections: asking and answering then take no
/// switch of threads, of which a receipt would otherwise cost a dozen.
actor EventLoopHome {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await work()
    }
}
