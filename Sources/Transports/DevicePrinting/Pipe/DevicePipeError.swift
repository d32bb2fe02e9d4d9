/// Why a pipe could not do what it was asked.
package struct DevicePipeError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Unplugged or switched off; this pipe will never work again.
        case gone
        /// The device refuses more until the pipe was restored.
        case stalled
        case cancelled
        /// Anything else. It may yet prove to be `gone`.
        case failed
    }

    package var kind: Kind
    /// Bytes of this call that the device has taken *at most*.
    package var taken: Int
    /// What was being done, in the layer's own word: `libusb_submit_transfer`.
    package var operation: String
    /// The layer's own code and words for it.
    package var code: Int32
    package var reason: String

    package init(_ kind: Kind, taken: Int = 0, operation: String, code: Int32 = 0, reason: String) {
        self.kind = kind
        self.taken = taken
        self.operation = operation
        self.code = code
        self.reason = reason
    }
}
