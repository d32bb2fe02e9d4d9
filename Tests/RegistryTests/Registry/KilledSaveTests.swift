import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

/// A process that is killed at any moment of a save leaves the old registry or the new one, whole.
@Suite struct KilledSaveTests {
    private static let variable = "TEST_SAVE_LOOP"

    /// Runs in the child only: saves as fast as it can until it is killed.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil, "runs in the child of the test below"))
    func saveLoop() async throws {
        let path = try #require(ProcessInfo.processInfo.environment[Self.variable])
        let store = await RegistryStore(path: path)
        print("saving")
        for number in 0... {
            try await store.update { registry in
                var printer = try #require(registry.printers.first)
                printer.location = String(repeating: "\(number % 10)", count: 200)
                return try registry.saving(printer)
            }
        }
    }

    @Test(.disabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func `a save that is killed leaves a whole file`() async throws {
        let folder = try TemporaryFolder("registry")
        let path = folder.appending("printers.yaml")
        let printers = (0..<50).map {
            "  - id: till-\($0)\n    url: ipp://192.0.2.1/ipp/print\n    location: x  # number \($0)\n"
        }
        try folder.write("version: 1\nprinters:\n" + printers.joined(), to: "printers.yaml")
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for _ in 0..<20 {
            let child = try ChildProcess(
                program, ["--testing-library", "swift-testing", "--filter", "saveLoop"],
                environment: [Self.variable: path])
            let before = try folder.read("printers.yaml")
            try await eventually("the child's first save") {
                if !child.isRunning {
                    throw TestSupportError("it ended: \(child.standardOutput)\(child.standardError)")
                }
                return try folder.read("printers.yaml") != before
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000)))
            child.kill()
            try await child.wait()
            let store = await RegistryStore(path: path)
            #expect(await store.problem == nil)
            #expect(await store.registry.printers.count == 50)
            for name in try folder.names() where name.hasSuffix("~") {
                #expect(throws: Never.self) { try RegistryReader.read(folder.read(name), file: name, profiles: nil) }
            }
        }
    }
}
