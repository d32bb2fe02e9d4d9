import KioskAPIMessages
import KioskPrintModel

/// The command lines that a till writes for each receipt, read without the argument parser: making and searching its
/// tree of commands takes three times as long as all else that the program does until the document is sent.
///
/// Nil for whatever is not understood here without doubt, also for mistakes: the parser reads it then, and says what is
/// wrong. What is understood here means the same to the parser.
enum PlainCommandLine: Equatable {
    case version
    case print(PrintRequest)

    init?(_ arguments: some Collection<String>) {
        switch arguments.first {
        case "--version" where arguments.count == 1:
            self = .version
        case "print":
            guard let request = Self.printRequest(arguments.dropFirst()) else { return nil }
            self = .print(request)
        default:
            return nil
        }
    }

    private static func printRequest(_ words: some Collection<String>) -> PrintRequest? {
        var files: [String] = []
        var flags: Set<String> = []
        var values: [String: String] = [:]
        var rest = words.makeIterator()
        while let word = rest.next() {
            switch word {
            case "--wait", "--json":
                guard flags.insert(word).inserted else { return nil }
            case "--role", "--printer", "--socket", "--state-dir", "--host", "--host-fingerprint", "--token-file",
                "-r", "-p":
                let name = ["-r": "--role", "-p": "--printer"][word] ?? word
                guard let value = rest.next(), isPlain(value), values.updateValue(value, forKey: name) == nil else {
                    return nil
                }
            case "-":
                guard !files.contains("-") else { return nil }
                files.append(word)
            default:
                guard isPlain(word) else { return nil }
                files.append(word)
            }
        }
        let (role, printer) = (values["--role"], values["--printer"])
        guard !files.isEmpty, (role == nil) != (printer == nil) else { return nil }
        guard let connection = connection(values) else { return nil }
        var request = PrintRequest(files: files, connection: connection)
        request.role = role.flatMap { RoleName(rawValue: $0) }
        request.printer = printer.flatMap { PrinterID(rawValue: $0) }
        // A name that is not valid is for the parser, too.
        guard (request.role == nil) != (request.printer == nil) else { return nil }
        request.wait = flags.contains("--wait")
        request.json = flags.contains("--json")
        return request
    }

    /// What the options say of the daemon; nil for mistakes.
    private static func connection(_ values: [String: String]) -> DaemonChoice? {
        var choice = DaemonChoice(
            socket: values["--socket"], stateDirectory: values["--state-dir"], host: values["--host"],
            tokenFile: values["--token-file"])
        if let host = choice.host {
            guard choice.socket == nil, choice.stateDirectory == nil, (try? RemoteHost(host)) != nil else { return nil }
        }
        guard let text = values["--host-fingerprint"] else { return choice }
        choice.fingerprint = Fingerprint(text)
        return choice.fingerprint == nil ? nil : choice
    }

    /// Whether the word cannot be an option.
    private static func isPlain(_ word: String) -> Bool { !word.isEmpty && !word.hasPrefix("-") }
}
