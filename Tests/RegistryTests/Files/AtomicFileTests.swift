import Foundation
import KioskDurableFiles
import KioskTestSupport
import Testing

@Suite struct AtomicFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("file") }

    init() throws { folder = try TemporaryFolder("files") }

    private func mode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `replaces a file whole and leaves nothing else behind`() throws {
        for content in [[], [1, 2, 3], Array(repeating: UInt8(7), count: 3_000_000)] {
            try AtomicFile.replace(path, with: content)
            #expect(try AtomicFile.read(path, limit: 4_000_000) == content)
            #expect(try folder.names() == ["file"])
        }
    }

    @Test func `gives exactly the permissions asked for, whatever the umask`() throws {
        try AtomicFile.replace(path, with: [1], permissions: 0o666)
        #expect(try mode() == 0o666)
        try AtomicFile.replace(path, with: [2], permissions: 0o600)
        #expect(try mode() == 0o600)
        #expect(chmod(path, 0o604) == 0)
        try AtomicFile.replace(path, with: [3], permissions: 0o600, keepingPermissions: true)
        #expect(try mode() == 0o604)
    }

    @Test func `removes what a killed process left, but not what one may be writing`() throws {
        try folder.write("old", to: ".file.new-old")
        try folder.write("new", to: ".file.new-new")
        try folder.write("other", to: ".other.new-old")
        for name in [".file.new-old", ".other.new-old"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder.appending(name))
        }
        try AtomicFile.replace(path, with: [1])
        #expect(try folder.names() == [".file.new-new", ".other.new-old", "file"])
    }

    @Test func `refuses to read more than the limit`() throws {
        try folder.write([1, 2, 3, 4], to: "file")
        #expect(try AtomicFile.read(path, limit: 4) == [1, 2, 3, 4])
        let error = #expect(throws: FileError.self) { try AtomicFile.read(path, limit: 3) }
        #expect(error?.errno == EFBIG)
        #expect(error?.message == "cannot read \(path): it is longer than 3 bytes; shorten it")
    }

    @Test func `refuses to read what is not a file, and does not wait for a FIFO`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: FileError.self) { try AtomicFile.read(path, limit: 3) }
        #expect(error?.message == "cannot read \(path): it is not a regular file; name a file")
    }

    @Test func `says what failed, where, and what to do`() throws {
        let missing = folder.appending("gone/file")
        let absent = #expect(throws: FileError.self) { try AtomicFile.read(missing, limit: 1) }
        #expect(
            absent?.message
                == "cannot open \(missing): No such file or directory; check the path, and create its folder if it is missing"
        )
        #expect(absent?.isNotFound == true)
        #expect(throws: FileError.self) { try AtomicFile.read("a\0b", limit: 1) }
        #expect(throws: FileError.self) { try AtomicFile.replace(missing, with: [1]) }
    }
}
