import KioskBackup
import KioskDurableFiles
import KioskPrintModel
import KioskSSH

/// What of a CA or known_hosts file is exported: what the trust in it means, and nothing else that a file may hold. A
/// printer's trust can name any file of the machine, and an export without secrets is for network administrators too.
enum TrustFileContent {
    /// The certificates or host keys of a file; empty where it holds none. Throws where the file cannot be read. Blocks.
    static func read(_ path: String, for trusts: [Trust]) throws(FileError) -> String {
        content(of: try AtomicFile.read(path, limit: BackupPlaces.maximumTrustFile), for: trusts)
    }

    /// Those of a file's bytes. `trusts`: every trust that names the file.
    private static func content(of bytes: [UInt8], for trusts: [Trust]) -> String {
        var text = ""
        if trusts.contains(where: { if case .caFile = $0 { true } else { false } }) {
            text += CertificateBlocks.text(in: bytes)
        }
        if trusts.contains(where: { if case .knownHosts = $0 { true } else { false } }) {
            for entry in KnownHosts(parsing: bytes).entries {
                text += String(decoding: entry.line, as: UTF8.self) + "\n"
            }
        }
        return text
    }
}
