import ArgumentParser
import Glibc
import KioskAPI
import KioskDurableFiles
import KioskFleet
import KioskPrintModel

/// The options of a kiosk that mirrors jobs with another.
struct PartnerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Mirror jobs with the kiosk at this URL, https://kiosk-2:8631, which names this one as its own partner (default: none).",
            valueName: "url"))
    var partner: String?

    @Option(
        help: ArgumentHelp(
            "Show the partner the access token in this file, which nobody else may read; made there by kioskctl tokens add NAME --scope standby.",
            valueName: "path"))
    var partnerToken: String?

    @Option(
        help: ArgumentHelp(
            "Trust the partner with this key, as its kioskctl server tells it (default: the system's CAs decide).",
            valueName: "sha256:hex"),
        transform: {
            guard let fingerprint = Fingerprint($0) else {
                throw ValidationError("it is not a fingerprint; write sha256: and 64 hexadecimal digits")
            }
            return fingerprint
        })
    var partnerFingerprint: Fingerprint?

    @Option(
        help: ArgumentHelp(
            "The kiosk's name for its partner (default: --fleet-node, else this machine's name).", valueName: "name"),
        transform: { try NodeName($0) })
    var node: NodeName?

    func validate() throws {
        guard let partner else {
            guard partnerToken == nil, partnerFingerprint == nil, node == nil else {
                throw ValidationError("--partner-token, --partner-fingerprint and --node are for --partner; name it")
            }
            return
        }
        guard partnerToken != nil else {
            throw ValidationError("--partner needs --partner-token; name the file with its access token")
        }
        do {
            _ = try RemoteHost(partner, fingerprint: partnerFingerprint)
        } catch {
            throw ValidationError("--partner: \(error)")
        }
    }

    /// The partner, and this kiosk's name for it; nil where there is none. `fleetNode`: the kiosk's name in its fleet.
    func partner(fleetNode: NodeName?) throws(StartError) -> PartnerSettings? {
        guard let partner, let partnerToken else { return nil }
        guard node == nil || fleetNode == nil || node == fleetNode else {
            throw StartError(.usage, "--node and --fleet-node are two names of one kiosk; write one of them")
        }
        let node = if let known = node ?? fleetNode { known } else { try NodeName.ofMachine(option: "--node") }
        do {
            let token = Secret(try Self.token(in: partnerToken))
            return PartnerSettings(
                node: node, host: try RemoteHost(partner, fingerprint: partnerFingerprint, token: token))
        } catch let error as FileError {
            throw StartError(.noPermission, "--partner-token: \(error.message)")
        } catch {
            throw StartError(.usage, "--partner: \(error)")
        }
    }

    /// Bytes of a file with a token.
    private static let maximumToken = 4096

    /// The first line of a file that its owner alone can read.
    private static func token(in path: String) throws -> String {
        let bytes = try AtomicFile.read(path, limit: maximumToken) { status throws(FileError) in
            guard status.st_mode & 0o077 == 0 else {
                let mode = String(status.st_mode & 0o7777, radix: 8)
                throw FileError(
                    operation: "read", path: path, errno: EACCES,
                    message:
                        "cannot use \(path): users other than its owner can read or change it (mode 0\(mode)); run: chmod 600 \(path)"
                )
            }
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
}

/// The other kiosk of a pair, and this one's name for it.
struct PartnerSettings: Sendable {
    let node: NodeName
    let host: RemoteHost
}

extension NodeName {
    /// The first label of this machine's name: a machine keeps it when it gets another domain. `option` names a kiosk
    /// whose machine has none that is a kiosk's name.
    static func ofMachine(option: String) throws(StartError) -> NodeName {
        let host = MachineNames.current().names.first ?? ""
        guard let node = try? NodeName(String(host.prefix { $0 != "." })) else {
            throw StartError(.usage, "this machine's name \"\(host)\" is no kiosk's name; name one with \(option)")
        }
        return node
    }
}
