import Foundation
import KioskDurableFiles
import KioskTestSupport
import Testing

@Suite struct FileWriterTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("document") }

    init() throws { folder = try TemporaryFolder("files") }

    @Test func `writes chunks, counts them and keeps the file`() throws {
        let writer = try FileWriter(creating: path)
        try writer.append([1, 2, 3])
        try writer.append(AnyCollection([4, 5]))
        try writer.append([])
        #expect(writer.count == 5)
        #expect(try writer.finish() == 5)
        #expect(try folder.read("document") == [1, 2, 3, 4, 5])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `never writes over a file, nor through a link`() throws {
        try folder.write("old", to: "document")
        let error = #expect(throws: FileError.self) { try FileWriter(creating: path) }
        #expect(error?.errno == EEXIST)
        #expect(try folder.read("document") == Array("old".utf8))
        try FileManager.default.createSymbolicLink(atPath: folder.appending("link"), withDestinationPath: "nowhere")
        #expect(throws: FileError.self) { try FileWriter(creating: folder.appending("link")) }
    }

    @Test func `removes what is not finished`() throws {
        do {
            let writer = try FileWriter(creating: path)
            try writer.append([1])
        }
        #expect(try folder.names() == [])
        let writer = try FileWriter(creating: path)
        writer.discard()
        #expect(try folder.names() == [])
        #expect(throws: FileError.self) { try writer.append([1]) }
        #expect(throws: FileError.self) { try writer.finish() }
    }

    @Test func `keeps a finished file when it is discarded afterwards`() throws {
        let writer = try FileWriter(creating: path)
        try writer.append([1])
        try writer.finish()
        writer.discard()
        #expect(throws: FileError.self) { try writer.finish() }
        #expect(try folder.read("document") == [1])
    }

    @Test func `says that a disk is full`() throws {
        // /dev/full fails every write with ENOSPC.
        let full = try Descriptor(opening: "/dev/full", flags: O_WRONLY)
        let error = #expect(throws: FileError.self) { try full.writeOne() }
        #expect(
            error?.message == "cannot write /dev/full: No space left on device; free some space on that file system")
    }
}

extension Descriptor {
    borrowing fileprivate func writeOne() throws { try write([1]) }
}
