import Glibc

/// The memory that libssh2 has for one session: bounded, zeroed, and freed as a whole when the session ends.
///
/// libssh2 keeps everything that a server sends and nobody reads, leaks parts of broken uploads, and trusts lengths in
/// messages. The bounds limit the first, and the session's end the second. The third has one known case, in the
/// prompts of keyboard-interactive: libssh2 copies as many octets from a message as the block was allocated for,
/// however short the message is (1.10, userauth.c). So until the login is complete each block has padding behind it,
/// and while prompts are read no block is larger than that padding.
final class SSHMemory {
    /// The header of every block. Blocks stay aligned to 16 octets, as those of malloc(3) are.
    private struct Header {
        var previous: UnsafeMutablePointer<Header>?
        var next: UnsafeMutablePointer<Header>?
        var length: Int
        var padding: Int

        init(next: UnsafeMutablePointer<Header>?, length: Int, padding: Int) {
            self.next = next
            self.length = length
            self.padding = padding
        }
    }

    /// The limit in octets. The session itself takes 90 kB, and the windows of eight channels at most 1 MB.
    private static let maximumOctets = 8 << 20
    /// The limit for a flood of tiny packets: libssh2 searches all of them for each packet that it wants.
    private static let maximumBlocks = 20_000
    /// Octets behind each block until the login is complete. A message with prompts has some hundred octets.
    static let padding = 4 << 10

    private var first: UnsafeMutablePointer<Header>?
    private var octets = 0
    private var blocks = 0
    /// Whether an allocation was refused.
    private(set) var isExhausted = false
    var isLoggedIn = false
    /// Whether libssh2 reads prompts, and may read beyond a message as far as its block is long.
    var isReadingPrompts = false

    deinit {
        while let block = first { unlink(block) }
    }

    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        let largest = isReadingPrompts ? Self.padding : Self.maximumOctets
        guard count >= 0, count <= largest, count + padding <= Self.maximumOctets - octets, blocks < Self.maximumBlocks,
            let raw = calloc(1, MemoryLayout<Header>.size + count + padding)
        else {
            isExhausted = true
            return nil
        }
        let block = raw.bindMemory(to: Header.self, capacity: 1)
        block.initialize(to: Header(next: first, length: count, padding: padding))
        first?.pointee.previous = block
        first = block
        octets += count + padding
        blocks += 1
        return raw + MemoryLayout<Header>.size
    }

    private var padding: Int { isLoggedIn ? 0 : Self.padding }

    func reallocate(_ pointer: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer? {
        guard let pointer else { return allocate(count) }
        guard let new = allocate(count) else { return nil }
        new.copyMemory(from: pointer, byteCount: min(count, header(of: pointer).pointee.length))
        release(pointer)
        return new
    }

    func release(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { unlink(header(of: pointer)) }
    }

    private func header(of pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Header> {
        (pointer - MemoryLayout<Header>.size).assumingMemoryBound(to: Header.self)
    }

    private func unlink(_ block: UnsafeMutablePointer<Header>) {
        block.pointee.previous?.pointee.next = block.pointee.next
        block.pointee.next?.pointee.previous = block.pointee.previous
        if first == block { first = block.pointee.next }
        octets -= block.pointee.length + block.pointee.padding
        blocks -= 1
        // It may have held a password or a key.
        explicit_bzero(block, block.pointee.length + MemoryLayout<Header>.size)
        free(block)
    }
}
