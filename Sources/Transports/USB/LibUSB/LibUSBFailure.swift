import CLibUSB
import DevicePrinting

/// A libusb return code: 0 or more, or one of LIBUSB_ERROR_….
struct LibUSBCode: Hashable, Sendable {
    var value: Int32

    init(_ value: Int32) { self.value = value }
    init(_ error: libusb_error) { value = error.rawValue }

    var isError: Bool { value < 0 }
    /// libusb's description.
    var message: String { String(cString: libusb_strerror(value)) }

    static let noDevice = LibUSBCode(LIBUSB_ERROR_NO_DEVICE)
    static let accessDenied = LibUSBCode(LIBUSB_ERROR_ACCESS)
    static let busy = LibUSBCode(LIBUSB_ERROR_BUSY)
    static let stalled = LibUSBCode(LIBUSB_ERROR_PIPE)
    static let timedOut = LibUSBCode(LIBUSB_ERROR_TIMEOUT)
    static let interrupted = LibUSBCode(LIBUSB_ERROR_INTERRUPTED)
    static let inputOutput = LibUSBCode(LIBUSB_ERROR_IO)
    static let noMemory = LibUSBCode(LIBUSB_ERROR_NO_MEM)
}

extension LibUSBCode {
    /// The code that corresponds to the end status of a transfer.
    init(ending status: libusb_transfer_status) {
        switch status {
        case LIBUSB_TRANSFER_COMPLETED: value = 0
        case LIBUSB_TRANSFER_TIMED_OUT: self = .timedOut
        case LIBUSB_TRANSFER_CANCELLED: self = .interrupted
        case LIBUSB_TRANSFER_STALL: self = .stalled
        case LIBUSB_TRANSFER_NO_DEVICE: self = .noDevice
        case LIBUSB_TRANSFER_OVERFLOW: self = LibUSBCode(LIBUSB_ERROR_OVERFLOW)
        default: self = .inputOutput
        }
    }
}

/// A failed libusb call.
struct LibUSBFailure: Error, Hashable, Sendable {
    var operation: String
    var code: LibUSBCode

    init(_ operation: String, _ code: LibUSBCode) {
        self.operation = operation
        self.code = code
    }
}

extension DevicePipeError {
    init(_ failure: LibUSBFailure) {
        let kind: Kind =
            switch failure.code {
            case .noDevice: .disconnected
            case .stalled: .stalled
            default: .failed
            }
        self.init(kind, operation: failure.operation, code: failure.code.value, reason: failure.code.message)
    }
}

extension DevicePipeError {
    static let cancelled = DevicePipeError(.cancelled, operation: "libusb_cancel_transfer", reason: "it was cancelled")
    static let disconnected = DevicePipeError(LibUSBFailure("libusb_submit_transfer", .noDevice))
    static let closed = DevicePipeError(.disconnected, operation: "close", reason: "the connection was closed")
}
