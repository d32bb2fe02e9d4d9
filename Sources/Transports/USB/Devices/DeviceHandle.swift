import CLibUSB
import Synchronization

/// A device that this process has open, for one user. It counts what is under way, and is closed when nothing is.
final class DeviceHandle: Sendable {
    // libusb is safe for threads; valid until `close` has waited for all uses to end.
    nonisolated(unsafe) let pointer: OpaquePointer
    let context: USBContext
    private let state = Mutex(State())

    private struct State {
        var uses = 0
        var isClosing = false
        var whenUnused: CheckedContinuation<Void, Never>?
        /// libusb 1.0.26 gives back a lock that it does not hold when an alternate setting is asked of a device that
        /// has gone; closing such a handle ends the process.
        var mustBeKept = false
    }

    /// Opens a device; blocks. The kernel's driver is detached from what is claimed, and given back on release. It must
    /// be said for each handle, since the driver is back after each replug.
    init(_ device: DeviceReference) throws(LibUSBFailure) {
        var pointer: OpaquePointer?
        let code = LibUSBCode(libusb_open(device.pointer, &pointer))
        guard !code.isError, let pointer else { throw LibUSBFailure("libusb_open", code) }
        self.pointer = pointer
        context = device.context
        libusb_set_auto_detach_kernel_driver(pointer, 1)
    }

    /// Says that a call or a transfer begins; false when the handle is being closed.
    func beginUse() -> Bool {
        state.withLock { state in
            guard !state.isClosing else { return false }
            state.uses += 1
            return true
        }
    }

    func useEnded() {
        let waiter = state.withLock { state in
            state.uses -= 1
            return state.uses == 0 ? state.whenUnused.take() : nil
        }
        waiter?.resume()
    }

    /// What a blocking call on it gives, from a thread of its own.
    func call(_ operation: String, _ body: @escaping @Sendable (OpaquePointer) -> Int32) async throws(LibUSBFailure) {
        guard beginUse() else { throw LibUSBFailure(operation, .noDevice) }
        let code = await OwnThread.run { LibUSBCode(body(self.pointer)) }
        useEnded()
        guard let code else { throw LibUSBFailure("pthread_create", .noMemory) }
        if code.isError { throw LibUSBFailure(operation, code) }
    }

    /// Claims an interface and chooses its alternate setting; blocks.
    func claim(_ interface: Int, alternate: Int) throws(LibUSBFailure) {
        var code = LibUSBCode(libusb_claim_interface(pointer, Int32(interface)))
        if code.isError { throw LibUSBFailure("libusb_claim_interface", code) }
        // The kernel goes back to setting 0 whenever an interface is let go.
        guard alternate != 0 else { return }
        code = LibUSBCode(libusb_set_interface_alt_setting(pointer, Int32(interface), Int32(alternate)))
        guard code.isError else { return }
        if code == .noDevice {
            state.withLock { $0.mustBeKept = true }
        } else {
            libusb_release_interface(pointer, Int32(interface))
        }
        throw LibUSBFailure("libusb_set_interface_alt_setting", code)
    }

    /// Lets no further use begin, waits for those under way to end, lets go of the interface, and closes.
    func close(releasing interface: Int?, reattaching: Bool = true) async {
        await withCheckedContinuation { continuation in
            let isUnused = state.withLock { state in
                state.isClosing = true
                if state.uses > 0 { state.whenUnused = continuation }
                return state.uses == 0
            }
            if isUnused { continuation.resume() }
        }
        let close: @Sendable () -> Void = { self.closeNow(releasing: interface, reattaching: reattaching) }
        if await OwnThread.run(close) == nil { close() }
    }

    /// Blocks; for one that nothing uses.
    func closeNow(releasing interface: Int?, reattaching: Bool = true) {
        guard !state.withLock({ $0.mustBeKept }) else { return }
        if !reattaching { libusb_set_auto_detach_kernel_driver(pointer, 0) }
        if let interface { libusb_release_interface(pointer, Int32(interface)) }
        libusb_close(pointer)
    }
}
