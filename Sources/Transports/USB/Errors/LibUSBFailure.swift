import DevicePrinting

/// A call of libusb that failed.
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
            case .noDevice: .gone
            case .stalled: .stalled
            default: .failed
            }
        self.init(kind, operation: failure.operation, code: failure.code.value, reason: failure.code.words)
    }
}
