import Foundation

/// A CUPS of its own (`cupsd`) with one raw queue, `receipt`: a print server with subscriptions, and one that demands
/// TLS (426, RFC 2817).
package final class CupsServer: Sendable {
    package struct Options: Sendable {
        /// What its queue prints to, as a device URI; nil keeps each job and gives it to `printScript`.
        package var device: String?
        /// Demands TLS from whoever is not on loopback; CUPS exempts loopback itself. Needs `outsideAddress`.
        package var demandsTLS = false
        /// What it proves itself with; nil lets it sign a certificate of its own.
        package var certificate: TestCertificate?

        package init() {}
    }

    package let port: Int
    /// What its queue is told to do with jobs, unless it has another device.
    package let printScript: PrintScript
    private let folder: TemporaryFolder
    private let running = RunningChild()

    /// Starts it, makes its queue, and returns once it takes jobs.
    package init(_ options: Options = Options()) async throws {
        folder = try TemporaryFolder("cups")
        // Its filters, which run as another user, get at the spool folder.
        guard chmod(folder.path, 0o755) == 0 else { throw TestSupportError.errno("chmod", errno) }
        for name in ["etc/ppd", "etc/ssl", "spool/tmp", "cache", "state", "log", "bin/backend", "kept"] {
            try FileManager.default.createDirectory(atPath: folder.appending(name), withIntermediateDirectories: true)
        }
        printScript = try PrintScript(folder.appending("print-script"))
        port = try freePort()
        try makeBackend()
        try configure(options)
        try await start()
        let lpadmin = try InstalledProgram.path("lpadmin", package: "cups-client")
        let made = try await ChildProcess.run(
            lpadmin,
            ["-h", "127.0.0.1:\(port)", "-p", "receipt", "-E", "-v", options.device ?? "script:/", "-m", "raw"])
        guard made.end.isSuccess else { throw TestSupportError("lpadmin failed: \(made.standardError)\(log)") }
    }

    /// A server that demands TLS of clients at this address, its certificate, and the authority that issued it.
    package static func demandingTLS(
        at address: String
    ) async throws -> (server: CupsServer, certificate: TestCertificate, authority: TestAuthority) {
        let authority = try await TestAuthority()
        let certificate = try await authority.issue(.init("localhost", names: ["localhost", address]))
        var options = Options()
        options.demandsTLS = true
        options.certificate = certificate
        return (try await CupsServer(options), certificate, authority)
    }

    package var uri: String { uri(scheme: "ipp", at: "localhost") }
    package var secureURI: String { uri(scheme: "ipps", at: "localhost") }

    /// The queue as it is seen at another address of this machine.
    package func uri(scheme: String, at host: String) -> String { "\(scheme)://\(host):\(port)/printers/receipt" }

    /// An IPv4 address of this machine that is not loopback; nil where it has no network.
    package static let outsideAddress: String? = {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap({ $0?.pointee }) {
            guard let address = entry.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else { continue }
            guard entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0 else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return nil
    }()

    /// Runs one of CUPS's programs that change queues: `cupsdisable`, `lpadmin`.
    package func administer(_ program: String, _ arguments: [String]) async throws {
        let path = try InstalledProgram.path(program, package: "cups-client")
        let done = try await ChildProcess.run(path, ["-h", "127.0.0.1:\(port)"] + arguments)
        guard done.end.isSuccess else { throw TestSupportError("\(program) failed: \(done.standardError)\(log)") }
    }

    /// What a job was called, and who printed it, as the queue's backend was told.
    package func titleAndOwner(ofJob number: Int) throws -> [String] {
        Array(try words(ofJob: number).prefix(2))
    }

    /// How many copies of a job its backend was told to make, and the job's options: name, `=`, value each.
    package func copiesAndOptions(ofJob number: Int) throws -> (copies: String, options: [String]) {
        let words = try words(ofJob: number)
        guard words.count == 4 else { throw TestSupportError("job \(number) has other words: \(words)") }
        return (words[2], words[3].split(separator: " ").map(String.init))
    }

    private func words(ofJob number: Int) throws -> [String] {
        String(decoding: try folder.read("kept/\(number).words"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Where it keeps documents until they are printed.
    package var spoolFolder: String { folder.appending("spool") }

    /// What it noted of errors and changes.
    package var log: String { text(of: "log/error_log") }
    /// One line for each request, in the common log format with operation and IPP status.
    package var accessLog: String { text(of: "log/access_log") }

    /// What the queue printed, oldest job first.
    package func keptFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending("kept"))
            .compactMap { Int($0) }.sorted().map { folder.appending("kept/\($0)") }
    }

    /// Whether no job waits or prints.
    package func isIdle() async throws -> Bool {
        let lpstat = try InstalledProgram.path("lpstat", package: "cups-client")
        let jobs = try await ChildProcess.run(lpstat, ["-h", "127.0.0.1:\(port)", "-o"])
        guard jobs.end.isSuccess else { throw TestSupportError("lpstat failed: \(jobs.standardError)") }
        return jobs.standardOutput.isEmpty
    }

    private func text(of name: String) -> String {
        (try? folder.read(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Starts it again on the same port.
    package func start() async throws {
        let program = try InstalledProgram.path("cupsd", package: "cups-daemon")
        let child = try ChildProcess(
            program, ["-f", "-c", folder.appending("etc/cupsd.conf"), "-s", folder.appending("etc/cups-files.conf")])
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    /// Ends it; its connections break, and its port refuses until `start()`.
    package func stop() async throws {
        guard let child = running.child else { return }
        child.kill()
        try await child.wait()
        running.child = nil
    }

    /// Beside CUPS's own programs a backend that keeps jobs. (Its `file:` devices drop raw ones, and call them
    /// completed.)
    private func makeBackend() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/cups") where name != "backend" {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending("bin/\(name)"), withDestinationPath: "/usr/lib/cups/\(name)")
        }
        for name in ["ipp", "ipps", "http", "https", "socket"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending("bin/backend/\(name)"), withDestinationPath: "/usr/lib/cups/backend/\(name)")
        }
        // Readable by its owner alone: cupsd then runs it as the user that it is itself.
        try writeProgram(
            """
            #!/bin/sh
            if [ $# = 0 ]; then exit 0; fi
            printf '%s\\n' "$3" "$2" "$4" "$5" >'\(folder.path)/kept/'"$1.words"
            cat ${6:+"$6"} >'\(folder.path)/kept/part' && mv '\(folder.path)/kept/part' '\(folder.path)/kept/'"$1" || exit 1
            exec '\(printScript.path)' '\(folder.path)/kept/'"$1"

            """, to: folder.appending("bin/backend/script"), mode: 0o700)
    }

    private func configure(_ options: Options) throws {
        var listen = "Listen 127.0.0.1:\(port)"
        if options.demandsTLS {
            guard let address = Self.outsideAddress else {
                throw TestSupportError(
                    "this machine has no address but loopback, and cupsd demands TLS from nobody there")
            }
            listen += "\nListen \(address):\(port)"
        }
        if let certificate = options.certificate {
            // It looks for files named after the host that is asked for, and after ServerName where that is an address.
            try folder.write(try readFile(certificate.chain), to: "etc/ssl/localhost.crt")
            try folder.writePrivately(try readFile(certificate.key), to: "etc/ssl/localhost.key")
        }
        try folder.write(
            """
            \(listen)
            ServerName localhost
            ServerAlias *
            Browsing Off
            DefaultAuthType None
            WebInterface No
            LogLevel info
            AccessLogLevel all
            <Location />
              Order allow,deny
              Allow all
              \(options.demandsTLS ? "Encryption Required" : "")
            </Location>
            <Policy default>
              JobPrivateAccess all
              JobPrivateValues none
              SubscriptionPrivateAccess all
              SubscriptionPrivateValues none
              <Limit All>
                Order deny,allow
              </Limit>
            </Policy>

            """, to: "etc/cupsd.conf")
        try folder.write(
            """
            ServerRoot \(folder.appending("etc"))
            ServerBin \(folder.appending("bin"))
            ServerKeychain \(folder.appending("etc/ssl"))
            CreateSelfSignedCerts \(options.certificate == nil ? "yes" : "no")
            RequestRoot \(folder.appending("spool"))
            CacheDir \(folder.appending("cache"))
            StateDir \(folder.appending("state"))
            TempDir \(folder.appending("spool/tmp"))
            AccessLog \(folder.appending("log/access_log"))
            ErrorLog \(folder.appending("log/error_log"))
            Printcap \(folder.appending("printcap"))
            PageLog \(folder.appending("log/page_log"))

            """, to: "etc/cups-files.conf")
    }
}
