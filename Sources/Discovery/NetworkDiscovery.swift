package import KioskPrintModel
package import NIOCore

/// Looks for printers on the network when it is asked to, for a limited time: DNS-SD through Avahi's daemon, and one
/// broadcast in each of three makers' protocols. Connects to nothing, saves nothing, and tries no addresses out.
package struct NetworkDiscovery: Sendable {
    private let group: any EventLoopGroup
    private let ports: Ports
    private let destinations: @Sendable () -> [String]
    private let browsesDNSSD: Bool

    /// The ports that queries go to.
    package struct Ports: Hashable, Sendable {
        package var enpc = ENPC.port
        package var starSDP = StarSDP.port
        package var zebra = ZebraDiscovery.port

        package init() {}
    }

    /// What a search tells.
    package enum Event: Sendable {
        /// A printer that is new, or of which more is known.
        case printer(NetworkPrinter)
        /// A printer that was told of and is the same as another, whose number stays.
        case joined(number: Int)
        /// Why a part of the network was not looked at, and what to do.
        case note(String)
    }

    /// Sends to the interfaces' broadcast addresses, where `destinations` names no others.
    package init(
        group: any EventLoopGroup, ports: Ports = Ports(), destinations: (@Sendable () -> [String])? = nil,
        browsesDNSSD: Bool = true
    ) {
        (self.group, self.ports, self.browsesDNSSD) = (group, ports, browsesDNSSD)
        self.destinations = destinations ?? DatagramSearch.broadcastAddresses
    }

    private enum Input: Sendable {
        case finding(NetworkFinding)
        case note(String)
        case tick
    }

    /// The findings that wait to be merged at most.
    private static let maximumQueue = 4096
    private static let tickInterval = Duration.milliseconds(100)

    /// Looks for `time`, and reports each printer as it is found. With `scheme`, only ways with such URLs count.
    package func run(
        for time: Duration, scheme: PrinterURL.Scheme? = nil, report: (Event) async -> Void
    ) async {
        let (inputs, queue) = AsyncStream.makeStream(
            of: Input.self, bufferingPolicy: .bufferingOldest(Self.maximumQueue))
        let start = ContinuousClock.now
        let browser = AvahiBrowser()
        defer { browser.stop() }
        if browsesDNSSD {
            browser.start { event in
                switch event {
                case .service(let service): if let finding = service.finding { queue.yield(.finding(finding)) }
                case .failed(let reason): queue.yield(.note(reason))
                }
            }
        }
        let searches = searches()
        await withTaskGroup(of: Void.self) { tasks in
            for search in searches {
                tasks.addTask {
                    do {
                        try await search.run(on: group) { queue.yield(.finding($0)) }
                    } catch {
                        queue.yield(.note("no datagram can be sent (\(error)); printers that answer one are not found"))
                    }
                }
            }
            tasks.addTask {
                while .now - start < time, (try? await Task.sleep(for: Self.tickInterval)) != nil { queue.yield(.tick) }
                queue.finish()
            }
            var printers = NetworkPrinters()
            var notes: Set<String> = []
            for await input in inputs {
                switch input {
                case .finding(let finding) where scheme == nil || finding.url.scheme == scheme:
                    printers.add(finding, at: .now - start)
                case .finding, .tick: break
                case .note(let note): if notes.insert(note).inserted { await report(.note(note)) }
                }
                for number in printers.takeJoined() { await report(.joined(number: number)) }
                for printer in printers.settled(at: .now - start) { await report(.printer(printer)) }
            }
            tasks.cancelAll()
            if !Task.isCancelled {
                for printer in printers.rest() { await report(.printer(printer)) }
            }
        }
    }

    private func searches() -> [DatagramSearch] {
        let hosts = destinations()
        func addresses(_ port: Int) -> [SocketAddress] {
            hosts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
        }
        return [
            DatagramSearch(query: ENPC.query, destinations: addresses(ports.enpc), finding: ENPC.finding),
            DatagramSearch(query: StarSDP.query, destinations: addresses(ports.starSDP), finding: StarSDP.finding),
            DatagramSearch(
                query: ZebraDiscovery.query, destinations: addresses(ports.zebra), finding: ZebraDiscovery.finding),
        ]
    }
}
