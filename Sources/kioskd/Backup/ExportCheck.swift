import ArgumentParser
import Glibc
import KioskAPI
import KioskAPIMessages
import KioskBackup
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry

/// `kioskd --check FILE`: says whether exports can be imported, before anybody needs them.
enum ExportCheck {
    static func run(_ files: [String], passphraseFile: String?, profiles: ProfileLibrary?) throws {
        let passphrase = try passphraseFile.map { try self.passphrase(in: $0) }
        var isValid = true
        for file in files {
            do {
                print("\(file) is valid: \(try check(file, passphrase, profiles))")
            } catch {
                isValid = false
                let reason = (error as? FileError)?.message ?? "\(error)"
                print("\(file): \(reason.withoutControlCharacters)")
            }
        }
        guard isValid else { throw ExitCode(StartError.Code.registryInvalid.rawValue) }
    }

    /// What is in a file.
    private static func check(_ file: String, _ passphrase: Secret?, _ profiles: ProfileLibrary?) throws -> String {
        let bytes = try AtomicFile.read(file, limit: APILimits.maximumExport)
        let source = try ImportSource(bytes, passphrase: passphrase)
        _ = try Registry(printers: [], roles: [], profiles: profiles)
            .merging(printers: source.printers, roles: source.roles)
        let registry = "\(source.document.summary), of \(source.document.createdAt)"
        guard source.hasSecrets else { return "\(registry); without secrets" }
        guard let secrets = source.secrets else {
            return "\(registry); its secrets were not opened (--passphrase-file)"
        }
        return "\(registry); \(secrets.summary)"
    }

    /// The first line of a file; `-` is standard input.
    private static func passphrase(in file: String) throws -> Secret {
        guard let stream = fopen(file == "-" ? "/dev/stdin" : file, "re") else {
            throw StartError.system("cannot read the passphrase from", file, errno, next: "name its file")
        }
        defer { fclose(stream) }
        var status = stat()
        if fstat(fileno(stream), &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 != 0 {
            throw StartError(
                .usage,
                "\(file): every user of this machine can read the passphrase; change that with `chmod o= \(file)`")
        }
        var buffer = [CChar](repeating: 0, count: APILimits.passphraseLength.upperBound + 2)
        guard fgets(&buffer, CInt(buffer.count), stream) != nil else {
            throw StartError(.usage, "\(file) is empty; write the passphrase in its first line")
        }
        let line = buffer.prefix { $0 != 0 && $0 != 10 && $0 != 13 }.map { UInt8(bitPattern: $0) }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw StartError(
                .usage,
                "\(file): the passphrase is not text in UTF-8; make one that is with `openssl rand -base64 24 > \(file)`"
            )
        }
        return Secret(text)
    }
}
