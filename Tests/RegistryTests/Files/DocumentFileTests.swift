import Glibc
import KioskDurableFiles
import KioskTestSupport
import Testing

@Suite struct DocumentFileTests {
    @Test func `reads any part of a file`() throws {
        let folder = try TemporaryFolder()
        let file = try DocumentFile(path: folder.write("Coffee 2.50", to: "document"), length: 11)
        #expect(try file.read(6, at: 0) == Array("Coffee".utf8))
        #expect(try file.read(4, at: 7) == Array("2.50".utf8))
        #expect(try file.read(0, at: 11).isEmpty)
    }

    @Test func `refuses what is not a regular file, and does not wait for a FIFO`() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: DocumentFile.Failure(path: path, reason: .notRegularFile)) {
            try DocumentFile(path: path, length: 0)
        }
        #expect(throws: DocumentFile.Failure(path: folder.path, reason: .notRegularFile)) {
            try DocumentFile(path: folder.path, length: 0)
        }
    }

    @Test func `refuses a file that is missing or has another length`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.appending("missing")
        #expect(throws: DocumentFile.Failure(path: missing, reason: .cannotOpen(errno: ENOENT))) {
            try DocumentFile(path: missing, length: 0)
        }
        let path = try folder.write("Coffee", to: "document")
        #expect(throws: DocumentFile.Failure(path: path, reason: .wrongLength(stored: 5, found: 6))) {
            try DocumentFile(path: path, length: 5)
        }
    }

    @Test func `a file that is cut off while it is sent is found too short`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("Coffee", to: "document")
        let file = try DocumentFile(path: path, length: 6)
        #expect(truncate(path, 4) == 0)
        #expect(throws: DocumentFile.Failure(path: path, reason: .cutOff(stored: 6, found: 4))) {
            try file.read(6, at: 0)
        }
    }
}
