import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

@Suite struct RegistryStoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("printers.yaml") }

    init() throws { folder = try TemporaryFolder("registry") }

    private static let till1 = "version: 1\nprinters:\n  - id: till-1  # front\n    url: ipp://192.0.2.1/ipp/print\n"
    private static let broken = "version: 1\nprinters:\n  - id: till-1\n    uri: ipp://192.0.2.1/ipp/print\n"

    private func file() throws -> String { String(decoding: try folder.read("printers.yaml"), as: UTF8.self) }

    private func ids(_ store: RegistryStore) async -> [String] { await store.registry.printers.map(\.id.rawValue) }

    @Test func `a missing file is an empty registry, and the first save creates it`() async throws {
        let store = await RegistryStore(path: path)
        #expect(await store.registry == Registry())
        #expect(await store.problem == nil)
        #expect(try folder.names() == [])
        try await store.update { try $0.saving(Sample.printer("till-1")) }
        #expect(try file().hasPrefix("# The printers and roles of this kiosk."))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(await ids(RegistryStore(path: path)) == ["till-1"])
    }

    @Test func `the first save creates the folder too`() async throws {
        let store = await RegistryStore(path: folder.appending("etc/kioskd/printers.yaml"))
        try await store.update { try $0.saving(Sample.printer("till-1")) }
        #expect(try folder.read("etc/kioskd/printers.yaml").isEmpty == false)
    }

    @Test func `a save keeps comments, and the mode that the file has`() async throws {
        try folder.write(Self.till1, to: "printers.yaml")
        #expect(chmod(path, 0o604) == 0)
        let store = await RegistryStore(path: path)
        let registry = try await store.update { try $0.saving(Sample.printer("till-2")) }
        #expect(registry.printers.count == 2)
        #expect(await store.registry == registry)
        #expect(try file() == Self.till1 + "  - id: till-2\n    url: ipp://192.0.2.10/ipp/print\n")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o604)
    }

    @Test func `an edit that changes nothing writes nothing`() async throws {
        try folder.write(Self.till1, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        try await store.update { $0 }
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == before)
    }

    @Test func `keeps ten previous versions, the highest number the newest`() async throws {
        let store = await RegistryStore(path: path)
        for number in 1...15 {
            try await store.update { try $0.saving(Sample.printer("till-\(number)")) }
        }
        let versions = try folder.names().filter { $0.hasSuffix("~") }
        #expect(Set(versions) == Set((5...15).map { "printers.yaml.~\($0)~" }))
        #expect(try folder.read("printers.yaml.~15~") == folder.read("printers.yaml"))
        for number in 5...15 {
            let text = String(decoding: try folder.read("printers.yaml.~\(number)~"), as: UTF8.self)
            #expect(try Sample.registry(text).printers.count == number)
        }
    }

    @Test func `a broken edit leaves the last good registry in force, and is not written over`() async throws {
        try folder.write(Self.till1, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try folder.write(Self.broken, to: "printers.yaml")
        let refused = await #expect(throws: RegistryError.self) { try await store.reload() }
        #expect(refused?.problems.map(\.line) == [3, 4])
        #expect(await store.problem == refused)
        #expect(await ids(store) == ["till-1"])
        await #expect(throws: RegistryError.self) { try await store.update { try $0.saving(Sample.printer("till-2")) } }
        #expect(try file() == Self.broken)
        try folder.write(Self.till1, to: "printers.yaml")
        try await store.reload()
        #expect(await store.problem == nil)
    }

    @Test func `a file that is broken at start-up puts the newest good version in force`() async throws {
        let first = await RegistryStore(path: path)
        try await first.update { try $0.saving(Sample.printer("till-1")) }
        try await first.update { try $0.saving(Sample.printer("till-2")) }
        try folder.write(Self.broken, to: "printers.yaml.~9~")
        try folder.write(Self.broken, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        #expect(await ids(store) == ["till-1", "till-2"])
        #expect(await store.problem?.code == .invalidFile)
    }

    @Test func `a broken file without any version is an empty registry with a problem`() async throws {
        try folder.write(Self.broken, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        #expect(await store.registry.printers.isEmpty)
        #expect(
            await store.problem?.message.contains("printers.yaml:4:5: a printer has no key \"uri\"; write url") == true)
    }

    @Test func `a file that is empty while somebody writes it in place takes no printer away`() async throws {
        try folder.write(Self.till1, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try folder.write("", to: "printers.yaml")
        let refused = await #expect(throws: RegistryError.self) { try await store.reload() }
        #expect(
            refused?.message
                == "\(path) is empty; restore its text, or write \"version: 1\" into it if no printer is to remain")
        #expect(await ids(store) == ["till-1"])
        // As after a power cut amid that.
        let later = await RegistryStore(path: path)
        #expect(await ids(later) == ["till-1"])
        #expect(await later.problem == refused)
        try folder.write("version: 1\n", to: "printers.yaml")
        try await store.reload()
        #expect(await ids(store) == [])
        #expect(await store.problem == nil)
    }

    @Test func `what a restore replaced has the edit that a person just made`() async throws {
        let store = await RegistryStore(path: path)
        try await store.update { try $0.saving(Sample.printer("till-1")) }
        let text = try file()
        try await store.update { try $0.saving(Sample.printer("till-2")) }
        try folder.write(text.replacing("till-1", with: "till-9"), to: "printers.yaml")
        let (before, after) = try await store.restore(version: 1)
        #expect(before.printers.map(\.id.rawValue) == ["till-9"])
        #expect(after.printers.map(\.id.rawValue) == ["till-1"])
        try folder.write(text.replacing("till-1", with: "till-8"), to: "printers.yaml")
        let read = try await store.reload()
        #expect(read.before.printers == after.printers)
        #expect(read.after.printers.map(\.id.rawValue) == ["till-8"])
        let again = try await store.reload()
        #expect(again.before == again.after)
    }

    @Test func `a file that was always empty is an empty registry`() async throws {
        try folder.write("", to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try await store.reload()
        #expect(await store.problem == nil)
    }

    @Test func `an edit builds on what someone else wrote a moment ago`() async throws {
        try folder.write(Self.till1, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try folder.write(
            Self.till1 + "  # by hand\n  - id: hand\n    url: ipp://192.0.2.7/ipp/print\n", to: "printers.yaml")
        try await store.update { try $0.saving(Sample.printer("till-2")) }
        #expect(await ids(store) == ["till-1", "hand", "till-2"])
        #expect(try file().contains("# by hand"))
    }

    @Test func `two stores on one file lose no edit`() async throws {
        let stores = await [RegistryStore(path: path), RegistryStore(path: path)]
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                let store = stores[number % 2]
                group.addTask { _ = try await store.update { try $0.saving(Sample.printer("till-\(number)")) } }
            }
            try await group.waitForAll()
        }
        #expect(await RegistryStore(path: path).registry.printers.count == 20)
    }

    @Test func `a file that is taken away leaves the registry in force, and the next save writes it anew`() async throws
    {
        try folder.write(Self.till1, to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try FileManager.default.removeItem(atPath: path)
        await #expect(throws: RegistryError.self) { try await store.reload() }
        #expect(await store.problem?.message.contains("is missing") == true)
        #expect(await ids(store) == ["till-1"])
        try await store.update { try $0.saving(Sample.printer("till-2")) }
        #expect(await store.problem == nil)
        #expect(try file().contains("# front"))
    }

    @Test func `an error of the edit goes through, and nothing is saved`() async throws {
        let store = await RegistryStore(path: path)
        let error = await #expect(throws: RegistryError.self) {
            try await store.update { try $0.removing(Sample.id("till-1")) }
        }
        #expect(error?.code == .printerNotFound)
        #expect(try folder.names() == [])
    }

    @Test func `follows a symbolic link and replaces what it leads to`() async throws {
        try FileManager.default.createDirectory(atPath: folder.appending("git"), withIntermediateDirectories: false)
        try folder.write(Self.till1, to: "git/site.yaml")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "git/site.yaml")
        let store = await RegistryStore(path: path)
        try await store.update { try $0.saving(Sample.printer("till-2")) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "git/site.yaml")
        #expect(String(decoding: try folder.read("git/site.yaml"), as: UTF8.self).contains("till-2"))
    }

    @Test func `says which folder cannot be written`() async throws {
        let store = await RegistryStore(path: "/proc/no/printers.yaml")
        let error = await #expect(throws: RegistryError.self) {
            try await store.update { try $0.saving(Sample.printer("a")) }
        }
        #expect(error?.code == .fileFailure)
        #expect(error?.message.contains("/proc/no") == true)
    }
}
