import ArgumentParser
import FoundationEssentials
import Glibc
import KioskAPI
import KioskAsyncPrimitives
import KioskEngine
import KioskPrinterRegistry
import KioskServiceManager
import Logging

/// The daemon's command line.
@main
struct Kioskd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kioskd",
        abstract: "The print kiosk daemon: programs print to a role, it finds the printer.",
        discussion: """
            EXAMPLES
              kioskd                              as a service: /run, /var/lib, /etc
              kioskd --state-dir /tmp/kiosk       everything below one directory
              kioskd --socket-group tills         members of "tills" may print
              kioskd --shared-queue               they see and cancel each other's jobs too
              kioskd --admin-group shop           members of "shop" may also change printers,
                                                  if they may connect; else root alone
              kioskd --check --registry new.yaml  is this registry valid, and are the
                                                  credentials that it names usable? with
                                                  --tls-certificate: is that too?
              kioskd --check kiosk-7.export       can this export be imported? with
                                                  --passphrase-file: its secrets too?
              kioskd --check-profiles till.yaml   is this profile valid?
              kioskd --doctor                     what is wrong with this installation?

            SIGNALS
              SIGHUP           reads the registry again
              SIGTERM, SIGINT  end the daemon within about two seconds; what was
                               waiting prints after the next start

            EXIT STATUS
               0  ended when asked to
              64  wrong usage
              70  an internal error
              73  a file or folder could not be made
              75  another daemon has the socket or the state directory
              77  no permission
              78  the registry or a profile is not valid
            """,
        version: Version.text
    )

    @OptionGroup var options: DaemonOptions

    /// On the main thread, before any other has a heap of its own.
    @MainActor static func main() async {
        ProcessSetup.shareHeap()
        await main(nil)
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let (lines, form) = LogQueue.forProcess(options.logFormat) { environment[$0] }
        defer { lines.flush() }
        var logger = Logger(label: "kioskd") { LineLogHandler(label: $0, form: form, queue: lines) }
        logger.logLevel = options.logLevel
        do {
            if options.checkProfiles { return try ProfileCheck.run(options) }
            if options.check, !options.files.isEmpty {
                return try ExportCheck.run(
                    options.files, passphraseFile: options.passphraseFile, profiles: Profiles.load(options.profiles))
            }
            let paths = try DaemonPaths(
                options: options, environment: { environment[$0] },
                // Whoever asks: the doctor is about the installed service.
                isRoot: options.doctor || geteuid() == 0,
                workingFolder: FileManager.default.currentDirectoryPath)
            if options.doctor { return try await Doctor.run(options, paths) }
            if options.check {
                try await RegistryCheck.run(paths, options.network, profiles: Profiles.load(options.profiles))
            } else {
                let sockets = try PassedSockets { environment[$0] }
                let supervision = Supervision(logger: logger) { environment[$0] }
                try await run(paths, sockets, supervision, logger, restart: SelfRestart { environment[$0] }, lines)
            }
        } catch let error as StartError {
            logger.critical("\(error)")
            throw ExitCode(error.code.rawValue)
        } catch let exit as ExitCode {
            throw exit
        } catch {
            logger.critical("kioskd ends: \(error)")
            throw ExitCode(StartError.Code.failed.rawValue)
        }
    }

    private func run(
        _ paths: DaemonPaths, _ sockets: PassedSockets, _ supervision: Supervision, _ logger: Logger,
        restart: SelfRestart, _ lines: LogQueue
    ) async throws {
        let stop = StopSignals()
        let start = ContinuousClock.now
        do {
            try await KioskDaemon(
                options: options, paths: paths, sockets: sockets, supervision: supervision, logger: logger,
                restartDelayAfterDamage: restart.pause
            ).run(until: stop)
        } catch let error as EngineError where error.code == .storageDamaged {
            await supervision.recovering()
            // Where it did not even come to run.
            try? await Task.sleep(for: restart.pause - start.duration(to: .now))
            logger.notice("kioskd starts anew, to recover the queue")
            lines.flush()
            switch restart.perform(unless: stop, keeping: sockets.all) {
            case .stopped: logger.notice("stopped")
            case .refused(let reason): throw StartError(.failed, "kioskd cannot start anew: \(reason); start it again")
            }
        }
    }
}

/// The version that `--version` and the API's description tell.
enum Version {
    static let text = "0.1.0"
}
