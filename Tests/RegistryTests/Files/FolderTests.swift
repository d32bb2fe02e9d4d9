import Foundation
import KioskDurableFiles
import KioskTestSupport
import Testing

@Suite struct FolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("files") }

    @Test func `creates a folder and those above it, and leaves one that exists`() throws {
        let path = folder.appending("a/b/c")
        try Folder.create(path)
        try Folder.create(path)
        try Folder.create(folder.path + "/")
        try folder.write("x", to: "a/b/c/file")
        #expect(try Folder.names(in: path) == ["file"])
        #expect(throws: FileError.self) { try Folder.create(path + "/file") }
        #expect(throws: FileError.self) { try Folder.create(path + "/file/d") }
    }

    @Test func `removes a file, also one that is gone`() throws {
        let path = try folder.write("x", to: "file")
        try Folder.remove(file: path)
        try Folder.remove(file: path)
        #expect(try folder.names() == [])
        #expect(throws: FileError.self) { try Folder.remove(file: folder.path) }
    }

    @Test(arguments: [
        ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b", "a", "b"), ("/a/b/", "/a", "b"),
        ("./a", ".", "a"), ("/", "/", "/"),
    ])
    func `splits paths`(path: String, parent: String, name: String) {
        #expect(Folder.parent(of: path) == parent)
        #expect(Folder.name(of: path) == name)
    }

    @Test func `lets one caller at a time have a folder's lock`() async throws {
        let path = folder.path
        let counter = folder.appending("counter")
        try folder.write("0", to: "counter")
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        try Folder.withLock(on: path) {
                            let count = Int(String(decoding: try readFile(counter), as: UTF8.self)) ?? -1
                            try Data("\(count + 1)".utf8).write(to: URL(fileURLWithPath: counter))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.read("counter") == Array("200".utf8))
    }
}
