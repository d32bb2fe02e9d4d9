/// How documents reach a queue through a Unix host's `lpr`, as the printer's profile says; what it leaves open is found
/// out or has the standard that stands here.
public struct LprSettings: Hashable, Sendable, Codable {
    /// Nil finds out by asking the host.
    public var dialect: Dialect?
    public var upload: Upload
    /// Nil sends documents as they are.
    public var conversion: Conversion?
    public var quota: Quota?

    /// Whose `lpr`, `lpq` and `lprm` the host has: their options and tables differ.
    public enum Dialect: String, Hashable, Sendable, Codable, CaseIterable {
        case cups, lprng, bsd
    }

    public enum Upload: String, Hashable, Sendable, Codable, CaseIterable {
        /// Into `lpr`'s standard input.
        case stream
        /// To a file by SFTP first, which `lpr` then reads.
        case sftp
    }

    public enum Conversion: String, Hashable, Sendable, Codable, CaseIterable {
        /// PDF becomes PostScript on the host (`pdftops`), pages are chosen and arranged there (`psselect`, `psnup`).
        case postScript = "postscript"
    }

    /// What the user may still print, as a command on the host tells.
    public struct Quota: Hashable, Sendable, Codable {
        /// Program and arguments; `%queue` and `%user` in an argument are replaced.
        public var command: [String]
        /// A regular expression whose first group is the number of pages left.
        public var pattern: String

        public init(command: [String], pattern: String) {
            self.command = command
            self.pattern = pattern
        }
    }

    public init(dialect: Dialect? = nil, upload: Upload = .stream, conversion: Conversion? = nil, quota: Quota? = nil) {
        self.dialect = dialect
        self.upload = upload
        self.conversion = conversion
        self.quota = quota
    }
}
