import Glibc

/// The command line of a helper.
package struct HelperArguments {
    private let program: String

    /// Reads the command line of the program with this name.
    package init(program: String) { self.program = program }

    /// The command line is none that the daemon writes.
    package struct UsageError: Error, CustomStringConvertible {
        /// How the program is called.
        package var description: String
    }

    /// The user and group to change to, if any.
    package func user() throws(UsageError) -> (id: UInt32, group: UInt32)? {
        let arguments = CommandLine.arguments.dropFirst()
        guard let option = arguments.first else { return nil }
        let numbers =
            arguments.dropFirst().first.map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
            } ?? []
        guard option == "--user", arguments.count == 2, numbers.count == 2, let id = numbers[0], let group = numbers[1],
            id != 0, group != 0
        else {
            throw UsageError(description: "usage: \(program) [--user ID:GROUP | --self-test]; kioskd starts it")
        }
        return (id, group)
    }

    /// Whether to show that the sandbox holds.
    package var wantsSelfTest: Bool { CommandLine.arguments.dropFirst() == ["--self-test"] }
}

/// Messages of a helper on standard error, which reach the daemon's log.
package struct HelperLog: Sendable {
    private let program: String

    /// Writes in the name of this program.
    package init(program: String) { self.program = program }

    /// Writes one line.
    package func write(_ message: String) {
        let line = "\(program): \(message)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
