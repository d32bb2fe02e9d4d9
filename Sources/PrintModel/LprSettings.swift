/// The settings for printing through a Unix host's `lpr`, as the printer's profile states them. What it leaves open is
/// detected or has the default of this type.
public struct LprSettings: Hashable, Sendable, Codable {
    /// Nil detects it on the host.
    public var dialect: Dialect?
    public var upload: Upload
    /// Nil sends documents unchanged.
    public var conversion: Conversion?
    public var quota: Quota?

    /// The implementation of `lpr`, `lpq` and `lprm` on the host: their options and output differ.
    public enum Dialect: String, Hashable, Sendable, Codable, CaseIterable {
        case cups, lprng, bsd
    }

    public enum Upload: String, Hashable, Sendable, Codable, CaseIterable {
        /// To the standard input of `lpr`.
        case stream
        /// To a file by SFTP, which `lpr` then reads.
        case sftp
    }

    public enum Conversion: String, Hashable, Sendable, Codable, CaseIterable {
        /// PDF becomes PostScript on the host (`pdftops`), pages are chosen and arranged there (`psselect`, `psnup`).
        case postScript = "postscript"
    }

    /// The command on the host that reports how many pages the user may still print.
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
