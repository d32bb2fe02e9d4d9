import KioskPrintModel
import KioskSSH

extension RemoteResult {
    /// The lines of a script's response; nil if the script did not reach it.
    var response: [Substring]? {
        let lines = Self.lines(output)
        guard let marker = lines.firstIndex(of: Substring(ShellScript.responseMarker)) else { return nil }
        return Array(lines[(marker + 1)...])
    }

    /// The output of a program on one line for people, cut to a readable length: its errors, else its output.
    var message: String {
        let errors = Self.programOutput(errorOutput)
        return Self.message(of: errors.isEmpty ? Self.programOutput(output) : errors)
    }

    /// The message of a command that got a document. Before `lpr` only errors count: the output of a login that is
    /// bound to another program may be the document itself, and belongs in no error, log or trace.
    var deliveryMessage: String { reachedLpr ? message : Self.message(of: Self.programOutput(errorOutput)) }

    private static func message(of text: String) -> String {
        let text = text.prefix(utf8Count: 4096)
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").withoutControlCharacters
        let cut = line.prefix(utf8Count: 300)
        return cut == line ? line : "\(cut)…"
    }

    /// The message behind a colon; empty where there is none.
    var detail: String { message.isEmpty ? "" : ": \(message)" }

    /// Whether the script came as far as `lpr`.
    var reachedLpr: Bool { [output, errorOutput].contains { Self.lprMarker(in: Self.lines($0)) != nil } }

    /// The output of `lpr`, beginning with its errors, without that of the login before it.
    var lprOutput: String {
        guard reachedLpr else { return "" }
        return (Self.programOutput(errorOutput) + "\n" + Self.programOutput(output)).prefix(utf8Count: 16 * 1024)
    }

    /// The lines behind the marker of `lpr`; all lines where there is none.
    private static func programOutput(_ octets: [UInt8]) -> String {
        let lines = lines(octets)
        return lines.dropFirst(lprMarker(in: lines).map { $0 + 1 } ?? 0).joined(separator: "\n")
    }

    private static func lprMarker(in lines: [Substring]) -> Int? {
        lines.firstIndex(of: Substring(ShellScript.lprMarker))
    }

    private static func lines(_ octets: [UInt8]) -> [Substring] {
        String(decoding: octets, as: UTF8.self).split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }
}

extension RemoteResult.Exit: CustomStringConvertible {
    package var description: String {
        switch self {
        case .status(let status): "exit status \(status)"
        case .signal(let name): "ended by signal \(name.withoutControlCharacters.prefix(utf8Count: 20))"
        case .unknown: "the host did not say how it ended"
        }
    }

    var native: TransportError.NativeCode? {
        switch self {
        case .status(let status): .exitStatus(Int(status))
        case .signal(let name): .exitSignal(name)
        case .unknown: nil
        }
    }
}

/// The exit statuses of our scripts, beside those of the programs in them (sysexits.h).
enum RemoteStatus {
    /// The document did not arrive complete; nothing is printed. EX_TEMPFAIL.
    static let cutOff: Int32 = 75
    /// `lpr` succeeded without reading or keeping the whole document: a part of it may print. EX_PROTOCOL.
    static let acceptedInPart: Int32 = 76
    /// The document could not be stored. EX_CANTCREAT.
    static let cannotStore: Int32 = 73
    /// A conversion failed. EX_DATAERR.
    static let cannotConvert: Int32 = 65
    /// The shell found no such program (POSIX XCU 2.8.2).
    static let programMissing: Int32 = 127
    /// The end of `lpr` was not observed: it, or the shell that ran it, was killed.
    static let unknown: Int32 = 255
}
