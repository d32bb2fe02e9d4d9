import KioskFleet
import Synchronization

/// Fetches documents from nowhere, and does what a test says.
final class ScriptedFetcher: DocumentFetcher {
    /// What becomes of one fetch. All but the last are done once; the last is done from then on.
    enum Step: Sendable {
        case give([UInt8])
        /// Gives this, and breaks off.
        case breakOff([UInt8])
        case fail(FleetError.Code)
        /// Gives nothing until the fetch is cancelled.
        case hang
    }

    private struct State {
        var steps: [Step]
        var fetches: [String] = []
        var hasEndedHanging = false
    }
    private let state: Mutex<State>

    init(_ steps: Step...) { state = Mutex(State(steps: steps)) }

    /// The addresses that it was asked for, each with the length that was named.
    var fetches: [String] { state.withLock(\.fetches) }

    /// Whether a fetch that gave nothing was cancelled.
    var hasEndedHanging: Bool { state.withLock(\.hasEndedHanging) }

    func fetch(
        _ address: DocumentAddress, length: Int, into append: ([UInt8]) async throws -> Void
    ) async throws {
        let step = state.withLock { state in
            state.fetches.append("\(address) \(length)")
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps[0]
        }
        switch step {
        case .give(let bytes): for byte in bytes { try await append([byte]) }
        case .breakOff(let bytes):
            try await append(bytes)
            throw FleetError(.storeUnavailable, "the store \(address) broke off")
        case .fail(let code): throw FleetError(code, "the store \(address) fails")
        case .hang:
            defer { state.withLock { $0.hasEndedHanging = true } }
            try await Task.sleep(for: .seconds(3600))
        }
    }
}
