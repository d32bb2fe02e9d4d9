import Foundation
import Glibc
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

/// Whoever writes the registry says where printers' logins go: files that others could have changed do not count.
@Suite struct RegistryProtectionTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("printers.yaml") }

    init() throws { folder = try TemporaryFolder("protection") }

    private static func text(_ host: String) -> String {
        "version: 1\nprinters:\n  - id: till-1\n    url: ipp://\(host)/ipp/print\n"
    }

    private func host(_ store: RegistryStore) async -> String? { await store.registry.printers.first?.url.host }

    @Test(
        arguments: [("printers.yaml", 0o664), ("printers.yaml", 0o646), ("", 0o770), ("", 0o757)] as [(String, mode_t)])
    func `a registry that others can change is refused until it is mended, and the last good one stays`(
        name: String, mode: mode_t
    ) async throws {
        try folder.write(Self.text("good"), to: "printers.yaml")
        let store = await RegistryStore(path: path)
        try folder.write(Self.text("evil"), to: "printers.yaml")
        let place = name.isEmpty ? folder.path : path
        #expect(chmod(place, mode) == 0)
        let error = await #expect(throws: RegistryError.self) { try await store.reload() }
        #expect(error?.code == .unprotected)
        #expect(
            error?.message
                == "cannot use \(place): users other than its owner can change it (mode 0\(String(mode, radix: 8))); run: chmod go-w \(place)"
        )
        await #expect(throws: RegistryError.self) { try await store.update { try $0.saving(Sample.printer("till-2")) } }
        #expect(await host(store) == "good")
        let later = await RegistryStore(path: path)
        // What stands beside it may be theirs as well, where it is the folder.
        #expect(await host(later) == (name.isEmpty ? nil : "good"))
        #expect(await later.problem == error)
        #expect(chmod(place, mode & ~0o022) == 0)
        for store in [store, later] {
            try await store.reload()
            #expect(await host(store) == "evil")
            #expect(await store.problem == nil)
        }
    }

    @Test(.enabled(if: geteuid() == 0), arguments: ["printers.yaml", ""])
    func `a registry that belongs to another user is refused`(name: String) async throws {
        try folder.write(Self.text("evil"), to: "printers.yaml")
        let place = name.isEmpty ? folder.path : path
        #expect(chown(place, 65534, 65534) == 0)
        let store = await RegistryStore(path: path)
        #expect(await store.problem?.message.hasSuffix("run: chown 0 \(place)") == true)
        #expect(await host(store) == nil)
        #expect(throws: RegistryError.self) { try Registry.read(path) }
        // Root looks on behalf of that user.
        #expect(try Registry.read(path, for: 65534).printers.count == 1)
    }

    @Test func `what others may put where there is no registry yet is refused beforehand`() async throws {
        #expect(chmod(folder.path, 0o777) == 0)
        let store = await RegistryStore(path: path)
        #expect(await store.problem?.code == .unprotected)
        await #expect(throws: RegistryError.self) { try await store.update { try $0.saving(Sample.printer("till-1")) } }
        #expect(try folder.names() == [])
    }

    @Test func `a folder in which nobody can replace another's file will do`() async throws {
        try folder.write(Self.text("good"), to: "printers.yaml")
        #expect(chmod(folder.path, 0o1777) == 0)
        #expect(await host(RegistryStore(path: path)) == "good")
    }

    @Test func `behind a symbolic link the file's own folder counts too`() async throws {
        let git = try TemporaryFolder(at: folder.appending("git"), isKept: true)
        try git.write(Self.text("evil"), to: "site.yaml")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "git/site.yaml")
        #expect(chmod(git.path, 0o777) == 0)
        let store = await RegistryStore(path: path)
        #expect(await store.problem?.message.contains("chmod go-w \(git.path)") == true)
        #expect(chmod(git.path, 0o755) == 0)
        try await store.reload()
        #expect(await host(store) == "evil")
    }

    @Test func `mending the rights of file and folder is noticed`() async throws {
        try folder.write(Self.text("good"), to: "printers.yaml")
        for place in [folder.path, path] {
            #expect(chmod(place, 0o777) == 0)
            let store = await RegistryStore(path: path)
            #expect(await store.problem?.code == .unprotected)
            let watching = Task { try await store.watch() }
            defer { watching.cancel() }
            #expect(chmod(place, 0o700) == 0)
            try await eventually("the registry") { await store.problem == nil }
        }
    }

    @Test(arguments: [("a.yaml", 0o664), ("", 0o777)] as [(String, mode_t)])
    func `profiles that others can change are refused`(name: String, mode: mode_t) throws {
        try folder.write("match:\n  - make-and-model: ACME\n", to: "a.yaml")
        let place = name.isEmpty ? folder.path : folder.appending(name)
        #expect(chmod(place, mode) == 0)
        let error = #expect(throws: RegistryError.self) { try ProfileLibrary.load(folder.path) }
        #expect(error?.code == .unprotected)
        #expect(error?.message.hasSuffix("run: chmod go-w \(place)") == true)
        // Looking whether a file of one's own is valid takes no more than reading it.
        let looked = #expect(throws: RegistryError.self) {
            try ProfileLibrary.check([folder.appending("a.yaml")], beside: nil)
        }
        #expect(looked?.code != .unprotected)
    }
}
