import ArgumentParser
import Foundation
import KioskTestSupport
import Testing

@testable import kioskctl

/// `RECORD_HELP=1 swift test --filter KioskctlHelpTests` writes the help texts again, for review as a diff.
@Suite struct KioskctlHelpTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden/kioskctl-help")

    /// The commands of this program, each with the name of its file.
    static let commands: [(name: String, command: any ParsableCommand.Type)] = [
        ("print", PrintCommand.self), ("preview", PreviewCommand.self), ("jobs", JobsCommand.self),
        ("job", JobCommand.self),
        ("cancel", CancelCommand.self), ("release", ReleaseCommand.self), ("reprint", ReprintCommand.self),
        ("printers", PrintersCommand.self),
        ("printers-list", PrintersListCommand.self), ("printers-show", PrintersShowCommand.self),
        ("printers-add", PrintersAddCommand.self), ("printers-remove", PrintersRemoveCommand.self),
        ("printers-contact", PrintersContactCommand.self), ("discover", DiscoverCommand.self),
        ("printers-trace", PrintersTraceCommand.self), ("printers-trust", PrintersTrustCommand.self),
        ("roles", RolesCommand.self),
        ("roles-list", RolesListCommand.self), ("roles-assign", RolesAssignCommand.self),
        ("roles-remove", RolesRemoveCommand.self), ("profiles", ProfilesCommand.self),
        ("profiles-list", ProfilesListCommand.self),
        ("profiles-show", ProfilesShowCommand.self), ("profiles-check", ProfilesCheckCommand.self),
        ("reload", ReloadCommand.self), ("health", HealthCommand.self),
        ("watch", WatchCommand.self),
    ]

    @Test(arguments: commands.map(\.name)) func `help is as it was reviewed`(_ name: String) throws {
        let command = try #require(Self.commands.first { $0.name == name }).command
        let help = Kioskctl.helpMessage(for: command, columns: 80)
        let file = Self.folder.appendingPathComponent("\(name).txt")
        if ProcessInfo.processInfo.environment["RECORD_HELP"] != nil {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try Data(help.utf8).write(to: file)
        }
        #expect(help == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test(arguments: commands.map(\.name)) func `every command shows an example, takes --json and fits a terminal`(
        _ name: String
    ) throws {
        let command = try #require(Self.commands.first { $0.name == name }).command
        let help = Kioskctl.helpMessage(for: command, columns: 80)
        if command.configuration.subcommands.isEmpty {
            #expect(help.contains("EXAMPLES\n"))
            #expect(help.contains("--json"))
        }
        // The parser wraps every line except the usage.
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") })
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `completes in every shell`(_ shell: String) async throws {
        let result = try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), ["--generate-completion-script", shell])
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.contains("printers"))
        #expect(result.standardOutput.contains("---completion"))
    }
}

/// A till starts kioskctl once for each receipt, and loads every library that it links each time.
@Suite struct KioskctlLinkingTests {
    private static let unwanted = ["icu", "internationalization", "sqlite", "libfoundation.so", "libssl", "libcrypto"]

    @Test func `loads neither ICU nor SQLite nor OpenSSL nor full Foundation`() async throws {
        let ldd = try InstalledProgram.path("ldd", package: "libc-bin")
        let result = try await ChildProcess.run(ldd, [BuiltProducts.path("kioskctl")])
        #expect(result.end == .exited(0))
        let libraries = result.standardOutput.lowercased()
        #expect(libraries.contains("libc.so"))
        for name in Self.unwanted { #expect(!libraries.contains(name), "\(name) in \(libraries)") }
    }

    /// Mangled names contain a module's name after its length.
    @Test(arguments: [
        "4GRDB", "sqlite3_open", "uloc_getDefault", "30FoundationInternationalization", "11KioskEngine",
        "20KioskPrinterRegistry", "21KioskSimulatedPrinter", "13KioskReceipts", "20KioskReceiptPrinting", "SSL_new",
        "7NIOCore", "8NIOPosix",
    ])
    func `holds no symbol of what it must not need`(_ symbol: String) throws {
        let program = try Data(contentsOf: URL(fileURLWithPath: BuiltProducts.path("kioskctl")), options: .alwaysMapped)
        #expect(program.range(of: Data("16KioskAPIMessages".utf8)) != nil)
        #expect(program.range(of: Data(symbol.utf8)) == nil)
    }
}
