import Glibc
import NIOCore
import TestSupport
import Testing

@testable import IPP

@Suite struct DocumentFileTests {
    private func bytes(_ count: Int, at offset: Int64, of file: DocumentFile) throws -> [UInt8] {
        Array(try file.read(count, at: offset, allocator: ByteBufferAllocator()).readableBytesView)
    }

    @Test func `reads any part of a file`() throws {
        let folder = try TemporaryFolder()
        let file = try DocumentFile(path: folder.write("Coffee 2.50", to: "document"), length: 11)
        #expect(try bytes(6, at: 0, of: file) == Array("Coffee".utf8))
        #expect(try bytes(4, at: 7, of: file) == Array("2.50".utf8))
        #expect(try bytes(0, at: 11, of: file).isEmpty)
    }

    @Test func `refuses what is no regular file, and does not wait for a FIFO`() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: DocumentFailure.notAFile(path: path)) { try DocumentFile(path: path, length: 0) }
        #expect(throws: DocumentFailure.notAFile(path: folder.path)) {
            try DocumentFile(path: folder.path, length: 0)
        }
    }

    @Test func `refuses a file that is missing or has another length`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.appending("missing")
        #expect(throws: DocumentFailure.open(path: missing, errno: ENOENT)) {
            try DocumentFile(path: missing, length: 0)
        }
        let path = try folder.write("Coffee", to: "document")
        #expect(throws: DocumentFailure.wrongLength(path: path, stored: 5, found: 6)) {
            try DocumentFile(path: path, length: 5)
        }
    }

    @Test func `a file that is cut off while it is sent is found too short`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("Coffee", to: "document")
        let file = try DocumentFile(path: path, length: 6)
        #expect(truncate(path, 4) == 0)
        #expect(throws: DocumentFailure.wrongLength(path: path, stored: 6, found: 4)) {
            try bytes(6, at: 0, of: file)
        }
    }
}
