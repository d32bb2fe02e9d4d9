import ArgumentParser
import KioskAPIMessages
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import kioskctl

/// What is read without the argument parser means the same to it.
@Suite struct PlainCommandLineTests {
    private static let words = [
        "receipt.txt", "-", "--role", "receipt", "-r", "--printer", "-p", "till-1", "--wait", "--json", "--socket",
        "/run/k.sock", "--state-dir", "--host", "https://k", "--copies", "2", "--", "-h", "--role=receipt", "--wai", "",
    ]

    /// Every command line of `print` and up to three of the words, and some of those with four (with LONG_TESTS all:
    /// they take minutes), with what the plain reader makes of it.
    private func eachPlainCommand(_ body: ([String], PrintRequest) throws -> Void) async rethrows {
        var random = SeededRandom(1)
        var lines: [[String]] = [[]]
        for count in 1...4 {
            lines = lines.flatMap { line in Self.words.map { line + [$0] } }
            let share = count < 4 ? 100 : rounds(1, long: 100)
            for line in lines where Int.random(in: 0..<100, using: &random) < share {
                // Other tests want this thread, too.
                await Task.yield()
                if case .print(let request) = PlainCommandLine(["print"] + line) { try body(line, request) }
            }
        }
    }

    @Test func `whatever is read without the parser, the parser reads likewise`() async throws {
        var count = 0
        try await eachPlainCommand { line, request in
            count += 1
            let command = try #require(try Kioskctl.parseAsRoot(["print"] + line) as? PrintCommand)
            #expect(command.request == request, "\(line)")
        }
        #expect(count > rounds(100, long: 500), "\(count)")
    }

    @Test func `reads what a till writes`() throws {
        let line = [
            "print", "a.txt", "--role", "receipt", "--state-dir", "/var/lib/kioskd", "b.txt", "--wait", "--json",
        ]
        guard case .print(let request) = PlainCommandLine(line) else {
            Issue.record("it is left to the parser")
            return
        }
        #expect(request.files == ["a.txt", "b.txt"])
        #expect(request.role?.rawValue == "receipt")
        #expect(request.wait && request.json)
        #expect(request.connection.stateDirectory == "/var/lib/kioskd")
        #expect(PlainCommandLine(["--version"]) == .version)
    }

    @Test(arguments: [
        [], ["help"], ["jobs"], ["--version", "--json"], ["print"], ["print", "a.txt"], ["print", "--role", "receipt"],
        ["print", "a.txt", "--role"], ["print", "a.txt", "--role", "Receipt!"], ["print", "-", "-", "--role", "r"],
        ["print", "a.txt", "--role", "r", "--printer", "p"], ["print", "a.txt", "--role", "r", "--role", "r"],
        ["print", "a.txt", "-rreceipt"], ["print", "a.txt", "--role", "r", "--copies", "2"],
        ["print", "--help"], ["print", "a.txt", "--role", "--wait"],
    ]) func `leaves to the parser what is not plain`(_ line: [String]) {
        #expect(PlainCommandLine(line) == nil)
    }
}
