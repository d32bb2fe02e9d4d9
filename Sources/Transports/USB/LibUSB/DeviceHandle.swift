import CKioskLibUSB
import KioskAsyncPrimitives
import Synchronization

/// An open device with one user. Counts the operations under way, and closes the device when there are none.
final class DeviceHandle: Sendable {
    // libusb is thread-safe; valid until `close` has waited for all uses to end.
    nonisolated(unsafe) let pointer: OpaquePointer
    let context: USBContext
    private let state = Mutex(State())

    private struct State {
        var uses = 0
        var isClosing = false
        var whenUnused: CheckedContinuation<Void, Never>?
        /// libusb 1.0.26 releases a lock that it does not hold when an alternate setting is selected on a disconnected
        /// device; closing such a handle ends the process.
        var mustBeKept = false
    }

    /// Opens a device; blocks. Claiming an interface detaches the kernel driver, and releasing it reattaches the
    /// driver. This must be set for each handle, since the driver is back after each replug.
    init(_ device: DeviceReference) throws(LibUSBFailure) {
        var pointer: OpaquePointer?
        let code = LibUSBCode(libusb_open(device.pointer, &pointer))
        guard !code.isError, let pointer else { throw LibUSBFailure("libusb_open", code) }
        self.pointer = pointer
        context = device.context
        libusb_set_auto_detach_kernel_driver(pointer, 1)
    }

    /// Opens a device and claims one of its interfaces; blocks.
    static func open(
        _ device: DeviceReference, claiming interface: Int, alternate: Int
    ) -> Result<DeviceHandle, LibUSBFailure> {
        do throws(LibUSBFailure) {
            let handle = try DeviceHandle(device)
            do throws(LibUSBFailure) {
                try handle.claim(interface, alternate: alternate)
                return .success(handle)
            } catch {
                handle.closeNow(releasing: nil)
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Lets the kernel bind its driver to an interface that nobody has; blocks.
    static func attachDriver(of device: DeviceReference, to interface: Int) -> LibUSBFailure? {
        do throws(LibUSBFailure) {
            let handle = try DeviceHandle(device)
            defer { handle.closeNow(releasing: nil) }
            let code = LibUSBCode(libusb_attach_kernel_driver(handle.pointer, Int32(interface)))
            return code.isError ? LibUSBFailure("libusb_attach_kernel_driver", code) : nil
        } catch {
            return error
        }
    }

    /// Notes that a call or a transfer starts; false where the handle is being closed.
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

    /// Makes a blocking call on another thread.
    func call(_ operation: String, _ body: @escaping @Sendable (OpaquePointer) -> Int32) async throws(LibUSBFailure) {
        guard beginUse() else { throw LibUSBFailure(operation, .noDevice) }
        let code = await WorkerThread.run("usb-call") { LibUSBCode(body(self.pointer)) }
        useEnded()
        guard let code else { throw LibUSBFailure("pthread_create", .noMemory) }
        if code.isError { throw LibUSBFailure(operation, code) }
    }

    /// Claims an interface and selects its alternate setting; blocks.
    private func claim(_ interface: Int, alternate: Int) throws(LibUSBFailure) {
        var code = LibUSBCode(libusb_claim_interface(pointer, Int32(interface)))
        if code.isError { throw LibUSBFailure("libusb_claim_interface", code) }
        // The kernel returns to setting 0 whenever an interface is released.
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

    /// Refuses further uses, waits for those under way to end, releases the interface, and closes the device.
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
        if await WorkerThread.run("usb-call", close) == nil { close() }
    }

    /// Closes a device that nothing uses; blocks.
    func closeNow(releasing interface: Int?, reattaching: Bool = true) {
        guard !state.withLock({ $0.mustBeKept }) else { return }
        if !reattaching { libusb_set_auto_detach_kernel_driver(pointer, 0) }
        if let interface { libusb_release_interface(pointer, Int32(interface)) }
        libusb_close(pointer)
    }
}

/// A libusb device, which exists from its plugging in to its removal. While this reference lives, no other device has
/// its address in memory.
final class DeviceReference: Sendable {
    // libusb is thread-safe, and counts references.
    nonisolated(unsafe) let pointer: OpaquePointer
    let context: USBContext

    /// Retains the device.
    init(_ pointer: OpaquePointer, in context: USBContext) {
        self.pointer = libusb_ref_device(pointer)
        self.context = context
    }

    deinit { libusb_unref_device(pointer) }

    /// The place where it is plugged in. USB has at most seven tiers (USB 3.0 §4.1.2.1).
    var port: USBPort {
        var ports = [UInt8](repeating: 0, count: 7)
        let count = libusb_get_port_numbers(pointer, &ports, Int32(ports.count))
        return USBPort(bus: libusb_get_bus_number(pointer), ports: Array(ports.prefix(max(0, Int(count)))))
    }

    var address: UInt8 { libusb_get_device_address(pointer) }

    var busAddress: BusAddress { BusAddress(bus: libusb_get_bus_number(pointer), device: address) }
}

extension DeviceReference: Hashable {
    static func == (left: DeviceReference, right: DeviceReference) -> Bool { left.pointer == right.pointer }
    func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}

/// An asynchronous libusb transfer with its buffer.
///
/// While under way it retains itself and its handle, until libusb has reported its end. Between `submit` and that
/// report nobody else accesses buffer and result; otherwise they belong to the owner of the transfer.
final class Transfer: @unchecked Sendable {
    private let raw: UnsafeMutablePointer<libusb_transfer>
    private let handle: DeviceHandle
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private let ended: @Sendable (Transfer) -> Void

    /// `ended` is called on the event thread, once for each successful `submit`. Nil where there is no memory.
    init?(on handle: DeviceHandle, capacity: Int, ended: @escaping @Sendable (Transfer) -> Void) {
        guard let raw = libusb_alloc_transfer(0) else { return nil }
        self.raw = raw
        self.handle = handle
        buffer = .allocate(capacity: capacity)
        buffer.initialize(repeating: 0)
        self.ended = ended
    }

    deinit {
        libusb_free_transfer(raw)
        buffer.deallocate()
    }

    /// Sends or receives the buffer's first `length` bytes over a bulk endpoint, without a time limit.
    func submitBulk(endpoint: UInt8, length: Int, endingWithZeroPacket: Bool = false) -> LibUSBCode {
        prepare(endpoint: endpoint, type: LIBUSB_TRANSFER_TYPE_BULK, length: length, timeout: 0)
        raw.pointee.flags = endingWithZeroPacket ? UInt8(LIBUSB_TRANSFER_ADD_ZERO_PACKET.rawValue) : 0
        return submit()
    }

    /// Makes the control request in the buffer: eight setup bytes, then its data.
    func submitControl(length: Int, timeout: Duration) -> LibUSBCode {
        prepare(
            endpoint: 0, type: LIBUSB_TRANSFER_TYPE_CONTROL, length: length, timeout: UInt32(timeout / .milliseconds(1))
        )
        raw.pointee.flags = 0
        return submit()
    }

    private func prepare(endpoint: UInt8, type: libusb_transfer_type, length: Int, timeout: UInt32) {
        raw.pointee.dev_handle = handle.pointer
        raw.pointee.endpoint = endpoint
        raw.pointee.type = UInt8(type.rawValue)
        raw.pointee.timeout = timeout
        raw.pointee.buffer = buffer.baseAddress
        raw.pointee.length = Int32(clamping: min(length, buffer.count))
        raw.pointee.callback = { raw in
            guard let object = raw?.pointee.user_data else { return }
            let transfer = Unmanaged<Transfer>.fromOpaque(object).takeRetainedValue()
            transfer.ended(transfer)
            transfer.handle.useEnded()
        }
    }

    private func submit() -> LibUSBCode {
        guard handle.beginUse() else { return .noDevice }
        let retained = Unmanaged.passRetained(self)
        raw.pointee.user_data = retained.toOpaque()
        let code = LibUSBCode(libusb_submit_transfer(raw))
        if code.isError {
            retained.release()
            handle.useEnded()
        }
        return code
    }

    /// Ends the transfer soon, if it is under way. Its end is still reported.
    func cancel() { libusb_cancel_transfer(raw) }

    /// The end status, from its end until it is submitted again.
    var status: libusb_transfer_status { raw.pointee.status }
    var length: Int { Int(raw.pointee.length) }
    /// Bytes that were transferred; for a control request without its setup.
    var count: Int { max(0, min(Int(raw.pointee.actual_length), length)) }
}
