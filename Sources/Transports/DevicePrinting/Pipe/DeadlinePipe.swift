/// Calls of a pipe that end at a deadline. Each runs on its caller's actor.
struct DeadlinePipe: Sendable {
    private let pipe: any DevicePipe
    private let clock: ElapsedClock

    init(_ pipe: any DevicePipe, _ clock: ElapsedClock) { (self.pipe, self.clock) = (pipe, clock) }

    func send(
        _ bytes: [UInt8], until deadline: ElapsedClock.Instant?, isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Void, DevicePipeError> {
        await limited(until: deadline) { [pipe] in
            await Result { () async throws(DevicePipeError) in try await pipe.send(bytes) { _ in } }
        }
    }

    func portStatus(
        until deadline: ElapsedClock.Instant, isolation: isolated (any Actor)? = #isolation
    ) async -> Result<PortStatus?, DevicePipeError> {
        await limited(until: deadline) { [pipe] in
            await Result { () async throws(DevicePipeError) in try await pipe.portStatus() }
        }
    }

    /// Clears halts, without a reset.
    func restore(
        until deadline: ElapsedClock.Instant, isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Void, DevicePipeError> {
        await limited(until: deadline) { [pipe] in
            await Result { () async throws(DevicePipeError) in try await pipe.restore(resetting: false) }
        }
    }

    /// Runs work that ends soon when cancelled, and cancels it at the deadline.
    private func limited<Value: Sendable>(
        until deadline: ElapsedClock.Instant?, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let working = Task { await work() }
        let timer = deadline.map { [clock] deadline in
            Task {
                guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil else { return }
                working.cancel()
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await working.value
        } onCancel: {
            working.cancel()
        }
    }
}

extension Result {
    fileprivate init(_ work: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
