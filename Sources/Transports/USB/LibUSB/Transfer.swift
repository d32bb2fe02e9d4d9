import CLibUSB

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
