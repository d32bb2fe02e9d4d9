/// A connection to the daemon as a stream of bytes, which closes with it. No call blocks: `Interruption.wait` does, for
/// `descriptor`.
protocol ByteStream: AnyObject {
    /// What to wait for.
    var descriptor: Int32 { get }
    /// Whether something is there to be read: bytes, or the stream's end.
    var hasArrived: Bool { get }
    /// Sends what can be sent at once. After `.none` the same bytes are sent again, once the descriptor is ready.
    func send(_ bytes: UnsafeRawBufferPointer) -> StreamProgress
    /// Reads what has arrived into `buffer`.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamProgress
}

/// The result of reading or writing.
enum StreamProgress {
    /// This many bytes.
    case bytes(Int)
    /// The stream is not ready: wait.
    case none
    /// The daemon has closed the stream.
    case closed
    /// The stream has ended, and nobody knows whether all that was sent has come.
    case broken
}
