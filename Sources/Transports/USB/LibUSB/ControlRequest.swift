import CKioskLibUSB
import Synchronization

/// A request over a device's control pipe (USB 2.0 §9.3). Requests here never send data.
struct ControlRequest: Hashable, Sendable {
    /// bmRequestType: direction, type and recipient.
    var type: UInt8
    var request: UInt8
    var value: UInt16 = 0
    var index: UInt16 = 0
    /// The length of the requested data.
    var length: Int = 0

    /// Reads a string descriptor (USB 2.0 §9.4.3) of at most 255 bytes. Number 0 is the list of languages.
    static func string(_ number: UInt8, language: UInt16) -> ControlRequest {
        ControlRequest(type: 0x80, request: 6, value: 0x0300 | UInt16(number), index: language, length: 255)
    }

    /// GET_DEVICE_ID (USB printer class 1.1 §4.2.1). `configuration` counts from 0.
    static func deviceID(configuration: Int, interface: Int, alternate: Int) -> ControlRequest {
        ControlRequest(
            type: 0xA1, request: 0, value: UInt16(truncatingIfNeeded: configuration),
            index: UInt16(truncatingIfNeeded: interface << 8 | alternate & 0xFF), length: 1026)
    }

    /// GET_PORT_STATUS (USB printer class 1.1 §4.2.2).
    static func portStatus(interface: Int) -> ControlRequest {
        ControlRequest(type: 0xA1, request: 1, index: UInt16(truncatingIfNeeded: interface), length: 1)
    }

    /// SOFT_RESET (USB printer class 1.1 §4.2.3). Older devices expect the recipient "other" instead of the interface.
    static func softReset(interface: Int, toOther: Bool) -> ControlRequest {
        ControlRequest(type: toOther ? 0x23 : 0x21, request: 2, index: UInt16(truncatingIfNeeded: interface))
    }

    /// A device responds to these requests at once; USB 2.0 §9.2.6.4 allows five seconds.
    static let timeout = Duration.seconds(2)
}

extension DeviceHandle {
    /// Makes a request, and returns the response. Ends soon when the task is cancelled, with LIBUSB_ERROR_INTERRUPTED.
    func make(
        _ request: ControlRequest, timeout: Duration = ControlRequest.timeout
    ) async throws(LibUSBFailure) -> [UInt8] {
        let exchange = ControlExchange()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { exchange.start(request, on: self, timeout: timeout, $0) }
        } onCancel: {
            exchange.cancel()
        }
        return try result.get()
    }
}

/// A control request under way.
private final class ControlExchange: Sendable {
    private struct State {
        var transfer: Transfer?
        var isCancelled = false
        var continuation: CheckedContinuation<Result<[UInt8], LibUSBFailure>, Never>?
    }

    private let state = Mutex(State())
    private static let setupLength = 8

    func start(
        _ request: ControlRequest, on handle: DeviceHandle, timeout: Duration,
        _ continuation: CheckedContinuation<Result<[UInt8], LibUSBFailure>, Never>
    ) {
        let transfer = Transfer(on: handle, capacity: Self.setupLength + request.length) { [self] in end($0) }
        guard let transfer else {
            continuation.resume(returning: .failure(LibUSBFailure("libusb_alloc_transfer", .noMemory)))
            return
        }
        Self.write(request, into: transfer.buffer)
        let code = state.withLock { state in
            guard !state.isCancelled else { return LibUSBCode.interrupted }
            let code = transfer.submitControl(length: transfer.buffer.count, timeout: timeout)
            if !code.isError { (state.transfer, state.continuation) = (transfer, continuation) }
            return code
        }
        if code.isError { continuation.resume(returning: .failure(LibUSBFailure("libusb_submit_transfer", code))) }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.transfer?.cancel()
        }
    }

    /// Runs on the event thread.
    private func end(_ transfer: Transfer) {
        let continuation = state.withLock { state in
            state.transfer = nil
            return state.continuation.take()
        }
        let code = LibUSBCode(ending: transfer.status)
        if code.isError {
            continuation?.resume(returning: .failure(LibUSBFailure("libusb_submit_transfer", code)))
        } else {
            let count = min(transfer.count, transfer.buffer.count - Self.setupLength)
            continuation?.resume(
                returning: .success(Array(transfer.buffer[Self.setupLength..<Self.setupLength + count])))
        }
    }

    private static func write(_ request: ControlRequest, into buffer: UnsafeMutableBufferPointer<UInt8>) {
        let (value, index, length) = (request.value, request.index, UInt16(clamping: request.length))
        let setup: [UInt8] = [
            request.type, request.request, UInt8(value & 0xFF), UInt8(value >> 8), UInt8(index & 0xFF),
            UInt8(index >> 8), UInt8(length & 0xFF), UInt8(length >> 8),
        ]
        for (place, byte) in setup.enumerated() { buffer[place] = byte }
    }
}
