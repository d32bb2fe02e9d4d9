/// The program's command line.
enum Arguments {
    struct Wrong: Error, CustomStringConvertible {
        var description: String { "usage: kiosk-draw [--user ID:GROUP | --self-test]; kioskd starts it" }
    }

    /// The user and group to become, if any.
    static func user() throws(Wrong) -> (id: UInt32, group: UInt32)? {
        let words = CommandLine.arguments.dropFirst()
        guard let first = words.first else { return nil }
        let numbers =
            words.dropFirst().first.map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
            } ?? []
        guard first == "--user", words.count == 2, numbers.count == 2, let id = numbers[0], let group = numbers[1],
            id != 0, group != 0
        else {
            throw Wrong()
        }
        return (id, group)
    }

    static var wantsSelfTest: Bool { CommandLine.arguments.dropFirst() == ["--self-test"] }
}
