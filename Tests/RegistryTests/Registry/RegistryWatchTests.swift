import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

/// Edits as people and programs make them, seen through the real file system. A change that is not seen is waited for
/// until the time limit.
@Suite(.timeLimit(.minutes(10))) struct RegistryWatchTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("printers.yaml") }

    init() throws { folder = try TemporaryFolder("registry") }

    private func text(_ ids: String...) -> String {
        "version: 1\nprinters:\n" + ids.map { "  - { id: \($0), url: ipp://\($0)/ipp/print }\n" }.joined()
    }

    /// Runs `body` while the file is watched; `next` waits for the next change. On a busy machine a file that is
    /// written in place may be read while it is empty, which is refused until the rest is there.
    private func watching(
        _ store: RegistryStore, _ body: (_ next: () async throws -> RegistryChange) async throws -> Void
    ) async throws {
        var changes = store.changes.makeAsyncIterator()
        try await withThrowingTaskGroup { group in
            group.addTask { try await store.watch() }
            try await body {
                while true {
                    let change = try #require(await changes.next(isolation: #isolation))
                    if case .refused(let error) = change, error.message.contains("is empty") { continue }
                    return change
                }
            }
            group.cancelAll()
            // A watch that is cancelled returns.
            try await group.waitForAll()
        }
    }

    private func ids(_ change: RegistryChange) -> [String]? {
        guard case .reloaded(let registry) = change else { return nil }
        return registry.printers.map(\.id.rawValue)
    }

    @Test func `sees a file that is written in place, and one that is renamed into place`() async throws {
        try folder.write(text("a"), to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try await watching(store) { next in
            try folder.write(text("a", "b"), to: "printers.yaml")
            #expect(try await ids(next()) == ["a", "b"])
            try folder.write(text("c"), to: "printers.yaml.swp")
            #expect(rename(folder.appending("printers.yaml.swp"), path) == 0)
            #expect(try await ids(next()) == ["c"])
        }
    }

    @Test func `refuses a broken edit, and takes the mended one`() async throws {
        try folder.write(text("a"), to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try await watching(store) { next in
            try folder.write("printers: [", to: "printers.yaml")
            guard case .refused(let error) = try await next() else { throw TestSupportError("it was not refused") }
            #expect(error.code == .invalidFile)
            #expect(await store.registry.printers.count == 1)
            try folder.write(text("b"), to: "printers.yaml")
            #expect(try await ids(next()) == ["b"])
            #expect(await store.problem == nil)
        }
    }

    @Test func `sees the first file of a folder that was empty`() async throws {
        let store = await RegistryStore(path: folder.appending("new/printers.yaml"))
        try await watching(store) { next in
            try await eventually("the watched folder") {
                FileManager.default.fileExists(atPath: folder.appending("new"))
            }
            try folder.write(text("a"), to: "new/printers.yaml")
            #expect(try await ids(next()) == ["a"])
        }
    }

    @Test func `tells a save of its own once`() async throws {
        try folder.write(text("a"), to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try await watching(store) { next in
            try await store.update { try $0.saving(Sample.printer("b")) }
            #expect(try await ids(next()) == ["a", "b"])
            // Were the save told again by the watch, that would come before this.
            // At once whole: a late look because of the save must not find it half written.
            let new = try folder.write(text("c"), to: "new.yaml")
            #expect(rename(new, path) == 0)
            #expect(try await ids(next()) == ["c"])
        }
    }

    @Test func `sees an edit of the file that a link leads to`() async throws {
        try FileManager.default.createDirectory(atPath: folder.appending("git"), withIntermediateDirectories: false)
        try folder.write(text("a"), to: "git/site.yaml")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "git/site.yaml")
        let store = await RegistryStore(path: path)
        try await watching(store) { next in
            try folder.write(text("b"), to: "git/site.yaml")
            #expect(try await ids(next()) == ["b"])
        }
    }

    @Test func `a link that comes to lead elsewhere is followed, and what it leads to then is watched`() async throws {
        for (name, id) in [("old", "a"), ("new", "b")] {
            try FileManager.default.createDirectory(atPath: folder.appending(name), withIntermediateDirectories: false)
            try folder.write(text(id), to: "\(name)/site.yaml")
        }
        // As some programs provision files: the file leads over a folder that is a link, and that is replaced.
        try FileManager.default.createSymbolicLink(atPath: folder.appending("data"), withDestinationPath: "old")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "data/site.yaml")
        let store = await RegistryStore(path: path)
        try await watching(store) { next in
            try FileManager.default.createSymbolicLink(atPath: folder.appending("data.new"), withDestinationPath: "new")
            #expect(rename(folder.appending("data.new"), folder.appending("data")) == 0)
            #expect(try await ids(next()) == ["b"])
            try folder.write(text("b", "c"), to: "new/site.yaml")
            #expect(try await ids(next()) == ["b", "c"])
            // As ln -sf does it: away with the one, and then the other.
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "old/site.yaml")
            #expect(try await ids(next()) == ["a"])
            try folder.write(text("a", "d"), to: "old/site.yaml")
            #expect(try await ids(next()) == ["a", "d"])
            // What is saved goes where the link leads, and the link stays.
            try await store.update { try $0.saving(Sample.printer("e")) }
            #expect(try await ids(next()) == ["a", "d", "e"])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "old/site.yaml")
            #expect(String(decoding: try folder.read("old/site.yaml"), as: UTF8.self).contains("id: e"))
        }
    }

    @Test func `a link that leads to nothing yet is kept by the first save`() async throws {
        try FileManager.default.createDirectory(atPath: folder.appending("git"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "git/site.yaml")
        let store = await RegistryStore(path: path)
        try await store.update { try $0.saving(Sample.printer("a")) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "git/site.yaml")
        #expect(FileManager.default.fileExists(atPath: folder.appending("git/site.yaml")))
    }

    @Test func `every listener hears every change`() async throws {
        let store = await RegistryStore(path: path)
        let streams = [store.changes, store.changes]
        try await store.update { try $0.saving(Sample.printer("a")) }
        for stream in streams {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next().flatMap(ids) == ["a"])
        }
    }
}
