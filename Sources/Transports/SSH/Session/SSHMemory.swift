import Glibc

/// All memory that libssh2 has for one session: bounded, zeroed, and given back as a whole when the session ends.
///
/// libssh2 keeps what a server sends and nobody waits for, however much that is, loses parts of broken uploads, and
/// trusts lengths that it was told. The bounds end the first; the second ends with the session. The third has one known
/// case, in the prompts of keyboard-interactive: as many octets are copied from a message as a block was made for,
/// however short the message (1.10, userauth.c). So during a login blocks have room behind them, and while prompts come
/// no block is larger than that room.
final class SSHMemory {
    /// In front of every block, which stays aligned to 16 octets as malloc(3)'s are.
    private struct Header {
        var previous: UnsafeMutablePointer<Header>?
        var next: UnsafeMutablePointer<Header>?
        var length: Int
        var room: Int

        init(next: UnsafeMutablePointer<Header>?, length: Int, room: Int) {
            self.next = next
            self.length = length
            self.room = room
        }
    }

    /// The session itself takes 90 kB, and eight channels' windows at most 1 MB.
    private static let mostOctets = 8 << 20
    /// A flood of tiny packets; libssh2 looks through all of them for each that it wants.
    private static let mostBlocks = 20_000
    /// Behind each block until the login is done. A message with prompts has some hundred octets.
    static let room = 4 << 10

    private var first: UnsafeMutablePointer<Header>?
    private var octets = 0
    private var blocks = 0
    /// Whether something was refused.
    private(set) var isExhausted = false
    var isLoggedIn = false
    /// libssh2 reads prompts, and may read as many octets behind a message as it got memory for.
    var isReadingPrompts = false

    deinit {
        while let block = first { unlink(block) }
    }

    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        let largest = isReadingPrompts ? Self.room : Self.mostOctets
        guard count >= 0, count <= largest, count + room <= Self.mostOctets - octets, blocks < Self.mostBlocks,
            let raw = calloc(1, MemoryLayout<Header>.size + count + room)
        else {
            isExhausted = true
            return nil
        }
        let block = raw.bindMemory(to: Header.self, capacity: 1)
        block.initialize(to: Header(next: first, length: count, room: room))
        first?.pointee.previous = block
        first = block
        octets += count + room
        blocks += 1
        return raw + MemoryLayout<Header>.size
    }

    private var room: Int { isLoggedIn ? 0 : Self.room }

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
        octets -= block.pointee.length + block.pointee.room
        blocks -= 1
        // Passwords and keys were in it, perhaps.
        explicit_bzero(block, block.pointee.length + MemoryLayout<Header>.size)
        free(block)
    }
}
