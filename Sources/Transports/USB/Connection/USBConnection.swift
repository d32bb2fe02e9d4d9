import CKioskLibUSB
import KioskAsyncPrimitives
package import KioskDevicePrinting
import KioskPrintModel
import Synchronization

/// A claimed interface of a printer, which this process owns until `close`.
package final class USBConnection: DevicePipe {
    /// The printer when it was opened.
    package let printer: USBPrinter
    package let interface: Int
    package let alternate: USBAlternate

    private let settings: USBSettings
    private let handle: DeviceHandle
    private let out: OutPipe
    private let `in`: InPipe?
    private let trace: DeviceTrace
    private let whenClosed: @Sendable () async -> Void
    private let state = Mutex(State())

    private struct State {
        var isClosed = false
        /// Whether the device's disconnection was told.
        var isGone = false
        /// Whether the printer supports GET_PORT_STATUS; nil while that is unknown.
        var supportsPortStatus: Bool?
        var supportsDeviceID = true
    }

    init(
        _ handle: DeviceHandle, to printer: USBPrinter, interface: Int, alternate: USBAlternate, use: USBPrinter.Use,
        settings: USBSettings, clock: ElapsedClock, trace: DeviceTrace, whenClosed: @escaping @Sendable () async -> Void
    ) {
        (self.handle, self.printer, self.interface, self.alternate) = (handle, printer, interface, alternate)
        (self.settings, self.trace, self.whenClosed) = (settings, trace, whenClosed)
        let disconnection = DisconnectionSignal()
        out = OutPipe(handle, alternate.out, endsWithZeroPacket: settings.zeroLengthPacket, clock: clock) {
            disconnection.send()
        }
        let overflow: ReceiveBuffer.Overflow = use == .ippOverUSB ? .wait : .drop
        let endpoint = settings.unidirectional ? nil : alternate.in
        `in` = endpoint.map { InPipe(handle, $0, overflow: overflow, trace: trace) { disconnection.send() } }
        disconnection.receive { [weak self] in self?.deviceDisconnected() }
        `in`?.request()
    }

    package var hasBackChannel: Bool { `in` != nil }

    package func begin(
        _ bytes: ArraySlice<UInt8>, isLast: Bool, accepted: @escaping @Sendable (Int) -> Void
    ) -> PendingSend {
        out.begin(bytes, isLast: isLast, accepted: accepted)
    }

    /// The bytes that the device sends. Unlike other pipes, IPP over USB drops none: bytes that nobody reads stay with
    /// the printer.
    package func responses() -> AsyncStream<[UInt8]> { `in`?.read() ?? AsyncStream { nil } }

    /// Whether it takes no more bytes, until `restore` or for ever.
    package var isBroken: Bool { out.broken != nil }

    package func portStatus() async throws(DevicePipeError) -> PortStatus? {
        guard alternate.kind != .vendor, state.withLock(\.supportsPortStatus) != false else { return nil }
        do throws(LibUSBFailure) {
            let response = try await handle.make(.portStatus(interface: interface))
            state.withLock { $0.supportsPortStatus = true }
            trace.tell("GET_PORT_STATUS: \(DeviceTrace.hexadecimal(response))")
            return response.first.map { PortStatus($0) }
        } catch {
            trace.tell("GET_PORT_STATUS: \(error.code.message)")
            guard error.code == .stalled else { throw pipeError(error) }
            // The printer does not support the request, unless it has responded before.
            state.withLock { $0.supportsPortStatus = $0.supportsPortStatus ?? false }
            return nil
        }
    }

    /// Requests the printer's device id; nil where it does not respond. A printer that does not support the request is
    /// not asked again.
    func deviceID() async -> DeviceID? {
        let alternate = printer.interfaces.first { $0.number == interface }?.deviceIDAlternate
        guard let alternate, state.withLock(\.supportsDeviceID) else { return nil }
        do throws(LibUSBFailure) {
            // The first configuration: hardly any printer has another.
            let request = ControlRequest.deviceID(configuration: 0, interface: interface, alternate: alternate.number)
            let id = DeviceID(reply: try await handle.make(request, timeout: DeviceInspection.timeout))
            trace.tell("GET_DEVICE_ID: \(DeviceTrace.bounded(id?.description ?? "none"))")
            return id
        } catch {
            trace.tell("GET_DEVICE_ID: \(error.code.message)")
            if error.code == .stalled { state.withLock { $0.supportsDeviceID = false } }
            return nil
        }
    }

    package func restore(resetting: Bool) async throws(DevicePipeError) {
        if let broken = out.broken, broken.kind == .disconnected { throw broken }
        do throws(LibUSBFailure) {
            if resetting, settings.softReset, alternate.kind != .vendor {
                try await softReset()
            } else if out.broken != nil {
                try await clearHalt(alternate.out)
            }
            out.repair()
        } catch {
            throw pipeError(error)
        }
    }

    /// Resets the device's buffers. That also resets both pipes on the device's side; clearing a halt does so on the
    /// host's.
    private func softReset() async throws(LibUSBFailure) {
        await `in`?.pause()
        defer { `in`?.resume() }
        try await requestSoftReset()
        try await clearHalt(alternate.out)
        if let endpoint = alternate.in { try await clearHalt(endpoint) }
    }

    private func clearHalt(_ endpoint: USBEndpoint) async throws(LibUSBFailure) {
        let name = "CLEAR_FEATURE(ENDPOINT_HALT) of endpoint \(DeviceTrace.hexadecimal([endpoint.address]))"
        do throws(LibUSBFailure) {
            try await handle.call("libusb_clear_halt") { libusb_clear_halt($0, endpoint.address) }
            trace.tell("\(name): done")
        } catch {
            trace.tell("\(name): \(error.code.message)")
            throw error
        }
    }

    private func requestSoftReset() async throws(LibUSBFailure) {
        do throws(LibUSBFailure) {
            _ = try await handle.make(.softReset(interface: interface, toOther: false))
            trace.tell("SOFT_RESET: done")
        } catch {
            trace.tell("SOFT_RESET: \(error.code.message)")
            guard error.code == .stalled else { throw error }
            _ = try await handle.make(.softReset(interface: interface, toOther: true))
            trace.tell("SOFT_RESET to the recipient \"other\": done")
        }
    }

    private func pipeError(_ failure: LibUSBFailure) -> DevicePipeError {
        let error = failure.code == .interrupted ? .cancelled : DevicePipeError(failure)
        if error.kind == .disconnected { deviceDisconnected() }
        return error
    }

    /// Ends everything, since the device was unplugged.
    func deviceDisconnected() {
        let isNews = state.withLock { state in
            defer { state.isGone = true }
            return !state.isGone && !state.isClosed
        }
        if isNews { trace.tell("the device is gone") }
        out.abort(.disconnected)
        `in`?.stop()
    }

    /// Ends everything under way, and releases the interface, to the kernel driver where there was one.
    package func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        out.abort(.closed)
        `in`?.stop()
        await handle.close(releasing: interface, reattaching: settings.reattach)
        trace.tell("released interface \(interface)")
        await whenClosed()
    }
}

/// Signals the device's disconnection, once there is a listener.
private final class DisconnectionSignal: Sendable {
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    func receive(_ action: @escaping @Sendable () -> Void) { listener.withLock { $0 = action } }
    func send() { listener.withLock(\.self)?() }
}
