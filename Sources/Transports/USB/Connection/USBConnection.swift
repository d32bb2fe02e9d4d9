import CLibUSB
package import DevicePrinting
import PrintModel
import Synchronization

/// One interface of a printer that is ours, until `close`.
package final class USBConnection: DevicePipe {
    /// As it was when it was opened.
    package let printer: USBPrinter
    package let interface: Int
    package let alternate: USBAlternate

    private let settings: USBSettings
    private let handle: DeviceHandle
    private let out: OutPipe
    private let `in`: InPipe?
    private let whenClosed: @Sendable () async -> Void
    private let state = Mutex(State())

    private struct State {
        var isClosed = false
        /// Nil while it was never answered.
        var hasPortStatus: Bool?
        var hasDeviceID = true
    }

    init(
        _ handle: DeviceHandle, to printer: USBPrinter, interface: Int, alternate: USBAlternate, use: USBPrinter.Use,
        settings: USBSettings, clock: ElapsedClock, whenClosed: @escaping @Sendable () async -> Void
    ) {
        (self.handle, self.printer, self.interface, self.alternate) = (handle, printer, interface, alternate)
        (self.settings, self.whenClosed) = (settings, whenClosed)
        let gone = GoneSignal()
        out = OutPipe(handle, alternate.out, endsWithZeroPacket: settings.zeroLengthPacket, clock: clock) {
            gone.send()
        }
        let overflow: AnswerBox.Overflow = use == .ippOverUSB ? .wait : .drop
        `in` =
            settings.unidirectional ? nil : alternate.in.map { InPipe(handle, $0, overflow: overflow) { gone.send() } }
        gone.receive { [weak self] in self?.deviceLeft() }
        `in`?.ask()
    }

    package var hasBackChannel: Bool { `in` != nil }

    package func begin(
        _ bytes: ArraySlice<UInt8>, isLast: Bool, taken: @escaping @Sendable (Int) -> Void
    ) -> PendingSend {
        out.begin(bytes, isLast: isLast, taken: taken)
    }

    /// As `DevicePipe` says; but of IPP over USB nothing is dropped: what nobody takes stays with the printer.
    package func answers() -> AsyncStream<[UInt8]> { `in`?.listen() ?? AsyncStream { nil } }

    /// Whether it takes no more: until `restore`, or for ever.
    package var isBroken: Bool { out.broken != nil }

    package func portStatus() async throws(DevicePipeError) -> PortStatus? {
        guard alternate.kind != .vendor, state.withLock(\.hasPortStatus) != false else { return nil }
        do throws(LibUSBFailure) {
            let answer = try await handle.make(.portStatus(interface: interface))
            state.withLock { $0.hasPortStatus = true }
            return answer.first.map { PortStatus($0) }
        } catch {
            guard error.code == .stalled else { throw pipeError(error) }
            // It does not know the request, unless it has answered before.
            state.withLock { $0.hasPortStatus = $0.hasPortStatus ?? false }
            return nil
        }
    }

    /// What the printer says of itself, asked now; nil where it does not answer. One that does not know the question is
    /// not asked again.
    func deviceID() async -> DeviceID? {
        let asked = printer.interfaces.first { $0.number == interface }?.askedAlternate
        guard let asked, state.withLock(\.hasDeviceID) else { return nil }
        do throws(LibUSBFailure) {
            // The first configuration: hardly any printer has another.
            let request = ControlRequest.deviceID(configuration: 0, interface: interface, alternate: asked.number)
            return DeviceID(reply: try await handle.make(request, patience: DeviceInspection.patience))
        } catch {
            if error.code == .stalled { state.withLock { $0.hasDeviceID = false } }
            return nil
        }
    }

    package func restore(resetting: Bool) async throws(DevicePipeError) {
        if let broken = out.broken, broken.kind == .gone { throw broken }
        do throws(LibUSBFailure) {
            if resetting, settings.softReset, alternate.kind != .vendor {
                try await softReset()
            } else if out.broken != nil {
                try await clearHalt(alternate.out)
            }
            out.mend()
        } catch {
            throw pipeError(error)
        }
    }

    /// It also sets both pipes back, on the device's side; clearing a halt does so on the host's.
    private func softReset() async throws(LibUSBFailure) {
        await `in`?.pause()
        defer { `in`?.resume() }
        try await requestSoftReset()
        try await clearHalt(alternate.out)
        if let endpoint = alternate.in { try await clearHalt(endpoint) }
    }

    private func clearHalt(_ endpoint: USBEndpoint) async throws(LibUSBFailure) {
        try await handle.call("libusb_clear_halt") { libusb_clear_halt($0, endpoint.address) }
    }

    private func requestSoftReset() async throws(LibUSBFailure) {
        do throws(LibUSBFailure) {
            _ = try await handle.make(.softReset(interface: interface, toOther: false))
        } catch {
            guard error.code == .stalled else { throw error }
            _ = try await handle.make(.softReset(interface: interface, toOther: true))
        }
    }

    private func pipeError(_ failure: LibUSBFailure) -> DevicePipeError {
        let error = failure.code == .interrupted ? .cancelled : DevicePipeError(failure)
        if error.kind == .gone { deviceLeft() }
        return error
    }

    /// The cable was pulled: everything ends.
    func deviceLeft() {
        out.breakOff(.gone)
        `in`?.stop()
    }

    /// Ends whatever is under way, and gives the interface back, to the kernel's driver where there was one.
    package func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        out.breakOff(.closed)
        `in`?.stop()
        await handle.close(releasing: interface, reattaching: settings.reattach)
        await whenClosed()
    }
}

/// Tells of the device's going, once its listener is there.
private final class GoneSignal: Sendable {
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    func receive(_ action: @escaping @Sendable () -> Void) { listener.withLock { $0 = action } }
    func send() { listener.withLock(\.self)?() }
}

extension DevicePipeError {
    static let closed = DevicePipeError(.gone, operation: "close", reason: "the connection was closed")
}
