import Testing

@testable import KioskSSH

@Suite("SSHMemory")
struct SSHMemoryTests {
    @Test("While prompts are read, no block is larger than the room behind each, which is there to be read")
    func keepsRoom() throws {
        let memory = SSHMemory()
        // A message, and then as much memory as it says that its name needs: what libssh2 copies from the one to the
        // other.
        let message = try #require(memory.allocate(20))
        message.initializeMemory(as: UInt8.self, repeating: 7, count: 20)
        memory.isReadingPrompts = true
        let name = try #require(memory.allocate(SSHMemory.padding))
        name.copyMemory(from: message, byteCount: SSHMemory.padding)
        let octets = UnsafeRawBufferPointer(start: name, count: SSHMemory.padding)
        #expect(octets.prefix(20).allSatisfy { $0 == 7 })
        #expect(octets.dropFirst(20).allSatisfy { $0 == 0 })
        #expect(!memory.isExhausted)
        #expect(memory.allocate(SSHMemory.padding + 1) == nil)
        #expect(memory.isExhausted)
    }

    @Test("All that is given back can be had again, with the room behind it")
    func givesBack() {
        let memory = SSHMemory()
        for _ in 0..<3 {
            var blocks: [UnsafeMutableRawPointer] = []
            while let block = memory.allocate(1 << 20) { blocks.append(block) }
            #expect(blocks.count == 7)
            memory.isLoggedIn = true
            blocks.forEach(memory.release)
            memory.isLoggedIn = false
        }
    }
}
