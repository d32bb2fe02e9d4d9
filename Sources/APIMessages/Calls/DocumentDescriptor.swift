import Glibc

/// An open descriptor, owned or borrowed, from which a document is read piece by piece while it is sent.
package final class DocumentDescriptor: Sendable {
    package let number: Int32
    /// The length in bytes; nil for a pipe or terminal.
    package let length: Int64?
    private let name: String
    private let isOwned: Bool

    /// The bytes of a piece: enough that copying costs more than the system calls, few enough to use little memory.
    package static let pieceLength = 128 << 10

    init(_ number: Int32, isOwned: Bool, length: Int64?, name: String) {
        self.number = number
        self.isOwned = isOwned
        self.length = length
        self.name = name
    }

    deinit {
        if isOwned { close(number) }
    }

    /// The length of the piece at `offset`, at most; 0 at the end of a file.
    package func pieceLength(at offset: Int64) -> Int {
        Int(min(Int64(Self.pieceLength), length.map { max(0, $0 - offset) } ?? .max))
    }

    /// Reads the next bytes, of a file those at `offset`, and returns how many; 0 at the end of a pipe. Blocks where a
    /// pipe has none. Nil when a pipe has none after all, or a signal came. `address` is for the error.
    package func read(
        into target: UnsafeMutableRawBufferPointer, at offset: Int64, _ address: DaemonAddress
    ) throws(KioskClientError) -> Int? {
        let count =
            length == nil
            ? Glibc.read(number, target.baseAddress, target.count)
            : pread(number, target.baseAddress, target.count, off_t(offset))
        if count == 0, let length {
            throw unreadable("it became shorter while it was read: \(offset) of \(length) bytes", address)
        }
        if count >= 0 { return count }
        guard errno == EINTR || errno == EAGAIN else { throw unreadable(String(cString: strerror(errno)), address) }
        return nil
    }

    private func unreadable(_ reason: String, _ address: DaemonAddress) -> KioskClientError {
        KioskClientError(
            .documentUnreadable, message: "\(name) cannot be read: \(reason); no job was made", address: address)
    }
}
