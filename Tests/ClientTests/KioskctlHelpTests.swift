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
        ("printers-identify", PrintersIdentifyCommand.self), ("printers-trace", PrintersTraceCommand.self),
        ("printers-trust", PrintersTrustCommand.self),
        ("roles", RolesCommand.self),
        ("roles-list", RolesListCommand.self), ("roles-assign", RolesAssignCommand.self),
        ("roles-remove", RolesRemoveCommand.self), ("profiles", ProfilesCommand.self),
        ("profiles-list", ProfilesListCommand.self),
        ("profiles-show", ProfilesShowCommand.self), ("profiles-check", ProfilesCheckCommand.self),
        ("reload", ReloadCommand.self), ("health", HealthCommand.self), ("doctor", DoctorCommand.self),
        ("admin", AdminCommand.self), ("tokens", TokensCommand.self), ("tokens-list", TokensListCommand.self),
        ("tokens-add", TokensAddCommand.self), ("tokens-revoke", TokensRevokeCommand.self),
        ("audit", AuditCommand.self), ("export", ExportCommand.self), ("import", ImportCommand.self),
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
    private static let unwanted = [
        "icu", "internationalization", "sqlite", "libfoundation.so", "libssl", "libcrypto",
    ]

    @Test func `loads neither ICU nor SQLite nor OpenSSL nor full Foundation`() async throws {
        let ldd = try InstalledProgram.path("ldd", package: "libc-bin")
        let result = try await ChildProcess.run(ldd, [BuiltProducts.path("kioskctl")])
        #expect(result.end == .exited(0))
        let libraries = result.standardOutput.lowercased()
        #expect(libraries.contains("libc.so"))
        for name in Self.unwanted { #expect(!libraries.contains(name), "\(name) in \(libraries)") }
    }

    /// The descriptions of a module's types lead to the module's name.
    @Test(arguments: [
        "GRDB", "FoundationInternationalization", "KioskEngine", "KioskPrinterRegistry", "KioskSimulatedPrinter",
        "KioskReceipts", "KioskReceiptPrinting", "NIOCore", "NIOPosix",
    ])
    func `holds no type of a module that it must not need`(_ module: String) throws {
        let user = module == "KioskSimulatedPrinter" ? "kioskctl-simulate" : "kioskd"
        #expect(try Self.contents(of: user).range(of: Self.name(module)) != nil)
        #expect(try Self.contents(of: "kioskctl").range(of: Self.name("KioskAPIMessages")) != nil)
        #expect(try Self.contents(of: "kioskctl").range(of: Self.name(module)) == nil)
    }

    /// Functions of libraries that are looked up when the program starts. It loads OpenSSL itself, when it connects to
    /// a host over TLS.
    @Test(arguments: ["sqlite3_open", "SSL_new"])
    func `needs nothing of a library that takes long to load`(_ function: String) async throws {
        #expect(try await Self.neededFunctions(of: "kioskd").contains { $0.hasPrefix(function) })
        let needed = try await Self.neededFunctions(of: "kioskctl")
        #expect(needed.contains("connect"))
        #expect(!needed.contains { $0.hasPrefix(function) })
    }

    @Test func `does not carry ICU's data`() throws {
        #expect(try Self.contents(of: "kioskd").range(of: Data("icudt".utf8)) != nil)
        #expect(try Self.contents(of: "kioskctl").range(of: Data("icudt".utf8)) == nil)
    }

    /// The functions that other libraries must have, without their versions.
    private static func neededFunctions(of program: String) async throws -> Set<String> {
        let nm = try InstalledProgram.path("nm", package: "binutils")
        let result = try await ChildProcess.run(
            nm, ["-D", "--undefined-only", "--format=posix", BuiltProducts.path(program)])
        guard result.end.isSuccess else { throw TestSupportError(result.standardError) }
        let names = result.standardOutput.split(separator: "\n").map { line in
            line.prefix { $0 != " " && $0 != "@" }
        }
        return Set(names.map(String.init))
    }

    private static func contents(of program: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: BuiltProducts.path(program)), options: .alwaysMapped)
    }

    private static func name(_ text: String) -> Data { Data([0] + Array(text.utf8) + [0]) }
}
