import ArgumentParser
import FoundationEssentials
import Glibc
import KioskFleet

/// The option that names an authority's folder.
struct AuthorityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder of `kioskctl fleet authority create`.", valueName: "folder"),
        completion: .directory)
    var dir: String

    var folder: AuthorityFolder { AuthorityFolder(path: dir) }
}

/// The key of a kiosk, as an argument.
struct PublicKeyArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The public key that `kioskctl fleet join` shows at the kiosk.", valueName: "public-key"),
        transform: { text in
            do {
                return try NKey(text, of: .user)
            } catch {
                throw ValidationError("\(error)")
            }
        })
    var publicKey: NKey
}

/// The options that name a kiosk.
struct KioskNameOptions: ParsableArguments {
    @OptionGroup var site: SiteOptions

    @Option(
        help: ArgumentHelp("The kiosk's name among those of its site.", valueName: "name"), transform: Self.node)
    var node: NodeName?

    /// Reads a kiosk's name.
    @Sendable static func node(_ text: String) throws -> NodeName {
        do {
            return try NodeName(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// As they stand in a command line.
    var text: String { "--site \(site.site)" + (node.map { " --node \($0)" } ?? "") }
}

/// The time of this machine, which tokens have in seconds since 1970.
enum TokenTime {
    static var now: Int64 { Int64(time(nil)) }
    static let day: Int64 = 86_400

    /// RFC 3339, in UTC.
    static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
