import KioskAsyncPrimitives
package import KioskPrintModel
import Synchronization

/// A bidirectional byte pipe to one device: a pair of USB bulk endpoints, a TCP connection to port 9100, or a
/// serial port. The holder owns the device; nobody else writes to it meanwhile.
///
/// Every call can be cancelled. It then ends within 100 ms with `DevicePipeError.Kind.cancelled`.
package protocol DevicePipe: AnyObject, Sendable {
    /// Whether the device can respond at all.
    var hasBackChannel: Bool { get }

    /// Whether a send that is cancelled may end the pipe: only that keeps from the device what was not taken yet.
    var endsWhenCancelled: Bool { get }

    /// Starts to send bytes behind those of earlier calls. The next call may be made while one is under way, so that
    /// the pipe stays full. The send ends when the device has accepted everything, and waits as long as the device
    /// takes nothing; cancel it to stop waiting. In a task that is already cancelled it ends at once, and no byte goes
    /// out.
    ///
    /// `isLast` says that nothing follows that belongs with these bytes; some devices need to be told. `accepted` is
    /// called with the number of further bytes that the device took, and never after the end.
    func begin(_ bytes: ArraySlice<UInt8>, isLast: Bool, accepted: @escaping @Sendable (Int) -> Void) -> PendingSend

    /// The bytes that the device sends from now on, in chunks as they arrive; earlier bytes are dropped. One caller at
    /// a time. The stream ends when the pipe breaks, and at once without a back-channel.
    ///
    /// Bytes that nobody reads are kept up to 64 KiB; then the oldest are dropped.
    func responses() -> AsyncStream<[UInt8]>

    /// The byte of the printer class's GET_PORT_STATUS; nil where the pipe has no such request.
    func portStatus() async throws(DevicePipeError) -> PortStatus?

    /// Makes a pipe usable again after a stall or a cancelled call: clears halts. `resetting` also empties the device's
    /// buffers where the pipe has a request for that (SOFT_RESET), which not every device survives.
    func restore(resetting: Bool) async throws(DevicePipeError)
}

extension DevicePipe {
    package var endsWhenCancelled: Bool { false }

    /// Sends bytes, and returns when the device has accepted all of them. Cancelling the task cancels the send.
    package func send(
        _ bytes: ArraySlice<UInt8>, isLast: Bool, accepted: @escaping @Sendable (Int) -> Void
    ) async throws(DevicePipeError) {
        try await begin(bytes, isLast: isLast, accepted: accepted).wait()
    }

    /// Sends a complete unit: nothing that belongs with it follows.
    package func send(_ bytes: [UInt8], accepted: @escaping @Sendable (Int) -> Void) async throws(DevicePipeError) {
        try await send(bytes[...], isLast: true, accepted: accepted)
    }
}

/// A send that has its place in a pipe, from its start to its end. One task may wait for it.
package final class PendingSend: Sendable {
    package typealias Result = Swift.Result<Void, DevicePipeError>

    private enum State {
        case underWay
        case awaited(CheckedContinuation<Result, Never>)
        case finished(Result)
    }
    private let state = Mutex(State.underWay)
    private let cancel: @Sendable () -> Void

    /// `cancel` makes the pipe finish the send soon; it may be called more than once, and after the end.
    package init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    /// Reports how the send ended; called once.
    package func finish(_ result: Result) {
        let waiting = state.withLock { state -> CheckedContinuation<Result, Never>? in
            defer { state = .finished(result) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: result)
    }

    /// Returns when the device has accepted everything. Cancelling the task cancels the send; the call then returns
    /// when the send has ended.
    package func wait() async throws(DevicePipeError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result? in
                    if case .finished(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            cancel()
        }
        try result.get()
    }
}

/// Why a pipe call failed.
package struct DevicePipeError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Unplugged or switched off; this pipe will never work again.
        case disconnected
        /// The device refuses more until the pipe is restored.
        case stalled
        case cancelled
        /// Anything else. It may yet turn out to be `disconnected`.
        case failed
    }

    package var kind: Kind
    /// Bytes of this call that the device has accepted *at most*.
    package var accepted: Int
    /// The failed operation, as the layer below names it: `libusb_submit_transfer`.
    package var operation: String
    /// The code of the layer below.
    package var code: Int32
    /// The description of the layer below.
    package var reason: String

    package init(_ kind: Kind, accepted: Int = 0, operation: String, code: Int32 = 0, reason: String) {
        self.kind = kind
        self.accepted = accepted
        self.operation = operation
        self.code = code
        self.reason = reason
    }

    package static let cancelled = DevicePipeError(.cancelled, operation: "send", reason: "it was cancelled")

    package static func disconnected(
        _ reason: String, code: Int32 = 0, operation: String = "send"
    ) -> DevicePipeError {
        DevicePipeError(.disconnected, operation: operation, code: code, reason: reason)
    }

    /// What failed and why, for a trace.
    package var summary: String { "\(operation): \(reason)\(code == 0 ? "" : " (\(code))")" }
}

/// Calls of a pipe that end at a deadline. Each runs on its caller's actor.
struct DeadlinePipe: Sendable {
    private let pipe: any DevicePipe
    private let clock: ElapsedClock

    init(_ pipe: any DevicePipe, _ clock: ElapsedClock) { (self.pipe, self.clock) = (pipe, clock) }

    func send(
        _ bytes: [UInt8], until deadline: ElapsedClock.Instant?, isolation: isolated (any Actor)? = #isolation,
        accepted: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> Result<Void, DevicePipeError> {
        await limited(until: deadline) { [pipe] in
            await Result { () async throws(DevicePipeError) in try await pipe.send(bytes, accepted: accepted) }
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

/// One printer's part of a `WireTrace`: the bytes and requests between the engine and the printer, and what the engine
/// concludes from them. Of a document only the number of bytes is told.
package struct DeviceTrace: Sendable {
    private let trace: WireTrace
    private let source: WireTrace.Source
    private let printer: PrinterURL?

    /// Nobody listens to the default trace.
    package init(_ trace: WireTrace = WireTrace(), _ source: WireTrace.Source = .usb, of printer: PrinterURL? = nil) {
        (self.trace, self.source, self.printer) = (trace, source, printer)
    }

    /// Tells a line. `message` is only composed while somebody listens.
    package func tell(_ message: @autoclosure () -> String) { trace.tell(source, printer, message()) }

    /// Tells that the device has accepted bytes of a document.
    package func sent(count: Int) { tell("→ \(Self.text(ofCount: count))") }

    /// Tells a request or a command of the engine itself, with its bytes.
    package func sent(_ bytes: [UInt8]) { tell("→ \(Self.text(of: bytes))") }

    /// Tells bytes that the device has sent.
    package func received(_ bytes: [UInt8]) { tell("← \(Self.text(of: bytes))") }

    /// Bytes in hexadecimal, at most `maximumBytes` of them.
    package static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let pairs = bytes.prefix(maximumBytes).map { byte in
            String(decoding: [digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]], as: UTF8.self)
        }
        return pairs.joined(separator: " ") + (bytes.count > maximumBytes ? " …" : "")
    }

    private static let maximumBytes = 64

    /// A string from the device for people, bounded.
    package static func bounded(_ text: String) -> String {
        WireTrace.beginning(of: text, maximum: maximumText)
    }

    private static let maximumText = 256

    private static func text(ofCount count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

    /// The padding of a recovery is thousands of NULs.
    private static func text(of bytes: [UInt8]) -> String {
        let rest = bytes.drop { $0 == 0 }
        let padding = bytes.count - rest.count
        guard padding > maximumBytes else { return "\(text(ofCount: bytes.count)): \(hexadecimal(bytes))" }
        return "\(text(ofCount: bytes.count)): \(padding) × 00" + (rest.isEmpty ? "" : ", \(hexadecimal(rest))")
    }
}
