import ArgumentParser
import KioskAPI

/// Where the daemon is.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's Unix socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp("The daemon's --state-dir, for its socket.", valueName: "dir"), completion: .directory)
    var stateDir: String?

    var location: SocketLocation { .forClient(socket: socket, stateDirectory: stateDir) }

    var client: KioskClient { KioskClient(socket: location) }
}
