import Glibc
import KioskDevicePrinting
package import KioskPrintModel
package import Logging
import NIOCore
import NIOPosix

/// Opens IPP connections to USB printers: each uses one IPP over USB interface, which stays claimed until the printer
/// is released.
///
/// A connection that is closed between two exchanges leaves its interface open for the next connection. After one that
/// is closed during an exchange, the printer is reset, and the interface is released and claimed again: that selects
/// the alternate setting again, which also resets the device.
package actor IPPOverUSBDialer: PrinterDialer {
    package nonisolated let schemes: Set<PrinterURL.Scheme> = [.usb]
    private let bus: USBBus
    private let settings: @Sendable (PrinterIdentity) -> USBSettings
    private let trace: WireTrace
    private let logger: Logger
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    private var idle: [PrinterURL: [USBConnection]] = [:]
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    /// How often each printer was released. A dial that started before a release must not keep its interface.
    private var releases: [PrinterURL: Int] = [:]
    /// Interfaces with an aborted exchange, whose remaining data may still arrive.
    private var dirty: Set<Place> = []
    /// How many connections have ended so far, and the callers that wait for the next end.
    private var ends = 0
    private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    private var waiterCount = 0

    private struct Place: Hashable {
        var printer: PrinterURL
        var interface: Int
    }

    /// A connection that a client uses.
    private struct ClientConnection {
        var printer: PrinterURL
        var run: Task<Void, Never>
    }

    /// `settings` are those of a printer's profile.
    package init(
        _ bus: USBBus, settings: @escaping @Sendable (PrinterIdentity) -> USBSettings = { _ in USBSettings() },
        trace: WireTrace = WireTrace(), logger: Logger = Logger(label: "ipp-usb")
    ) {
        self.bus = bus
        self.settings = settings
        self.trace = trace
        self.logger = logger
    }

    package func dial(_ printer: PrinterTarget) async throws -> DialedConnection {
        let releasesBefore = releases[printer.url]
        let interface: USBConnection
        do throws(USBOpenError) {
            interface = try await openInterface(of: printer)
        } catch {
            deviceTrace(of: printer.url).tell("no interface is opened for IPP: \(error.operation): \(error.reason)")
            throw TransportError(error, printer: printer.url)
        }
        guard releases[printer.url] == releasesBefore else {
            await interface.close()
            throw TransportError(USBOpenError.dialCancelled, printer: printer.url)
        }
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            let code = errno
            keep(interface, printer.url)
            throw TransportError(
                .connectionLost, operation: "socketpair",
                message: "\(printer.url): this program has no socket left for it; see its limits",
                underlying: .errno(code))
        }
        let limit = interface.printer.choices(for: .ippOverUSB, interface: printer.url.usbInterface).count
        let dialed = DialedConnection(socket: sockets[0], limit: max(1, limit))
        let bridge = InterfaceBridge(
            pipe: interface, exchange: dialed.exchange, trace: deviceTrace(of: printer.url), logger: logger)
        deviceTrace(of: printer.url).tell("connected to IPP over USB interface \(interface.interface)")
        let run = Task { [far = sockets[1], group] in
            let end = await bridge.run(far, on: group)
            await ended(interface, of: printer.url, end)
        }
        connections[ObjectIdentifier(interface)] = ClientConnection(printer: printer.url, run: run)
        return dialed
    }

    /// Releases the printer's interfaces; connections that clients still use break.
    package func release(_ printer: PrinterURL) async {
        releases[printer, default: 0] += 1
        let open = connections.values.filter { $0.printer == printer }
        for connection in open { connection.run.cancel() }
        for connection in open { await connection.run.value }
        for interface in idle.removeValue(forKey: printer) ?? [] { await interface.close() }
    }

    package func releaseAll() async {
        for printer in Set(idle.keys).union(connections.values.map(\.printer)) { await release(printer) }
    }

    /// Opens an interface that no client uses. A client knows that it has closed a connection before this dialer does:
    /// so where all interfaces are in use, some of them by clients, this waits for one to become free.
    private func openInterface(of target: PrinterTarget) async throws(USBOpenError) -> USBConnection {
        let printer = target.url
        while true {
            while let interface = idle[printer]?.popLast() {
                if !interface.isBroken { return interface }
                await interface.close()
            }
            let endsBefore = ends
            do throws(USBOpenError) {
                let interface = try await bus.open(printer, for: .ippOverUSB, trace: deviceTrace(of: printer)) {
                    [settings] found in
                    // HTTP is bidirectional, and contains its own length.
                    var usb = settings(found.identity(profile: target.profile))
                    (usb.unidirectional, usb.zeroLengthPacket) = (false, false)
                    return usb
                }
                let place = Place(printer: printer, interface: interface.interface)
                guard dirty.remove(place) != nil else { return interface }
                deviceTrace(of: printer).tell("discard what is left of an aborted exchange")
                await Self.drain(interface)
                guard !Task.isCancelled else {
                    // Data may still arrive.
                    dirty.insert(place)
                    await interface.close()
                    throw .dialCancelled
                }
                return interface
            } catch {
                guard error.kind == .alreadyOpen,
                    ends != endsBefore || connections.values.contains(where: { $0.printer == printer })
                else { throw error }
                if ends == endsBefore { await waitForEnd() }
                guard !Task.isCancelled else { throw .dialCancelled }
            }
        }
    }

    /// Waits until a connection has ended, or the task is cancelled.
    private func waitForEnd() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        waiterCount += 1
        let number = waiterCount
        waiters[number] = continuation
        for await _ in stream {}
        waiters[number] = nil
    }

    private func noteEnd() {
        ends += 1
        for waiter in waiters.values { waiter.finish() }
    }

    /// Reads and drops data until the device sends no more.
    private static func drain(_ interface: USBConnection) async {
        let responses = interface.responses()
        for _ in 0..<maximumPauses {
            let isQuiet = await withTaskGroup { group in
                group.addTask {
                    for await _ in responses { return false }
                    return true
                }
                group.addTask { (try? await Task.sleep(for: .milliseconds(50))) != nil }
                defer { group.cancelAll() }
                return await group.next() ?? true
            }
            if isQuiet { return }
        }
    }

    private static let maximumPauses = 1000

    private func keep(_ interface: USBConnection, _ printer: PrinterURL) {
        idle[printer, default: []].append(interface)
    }

    private func deviceTrace(of printer: PrinterURL) -> DeviceTrace { DeviceTrace(trace, .usb, of: printer) }

    private func ended(_ interface: USBConnection, of printer: PrinterURL, _ end: InterfaceBridge.End) async {
        deviceTrace(of: printer).tell("the connection to interface \(interface.interface) ended \(end.summary)")
        defer {
            connections[ObjectIdentifier(interface)] = nil
            noteEnd()
        }
        switch end {
        case .betweenExchanges where !Task.isCancelled: return keep(interface, printer)
        case .betweenExchanges: break
        case .duringExchange:
            dirty.insert(Place(printer: printer, interface: interface.interface))
            logger.debug("an exchange was aborted; the interface is reset", metadata: ["printer": "\(printer)"])
            await Self.reset(interface)
        case .failed(let error):
            logger.debug("the interface failed: \(error.reason)", metadata: ["printer": "\(printer)"])
            guard error.kind != .disconnected else { break }
            dirty.insert(Place(printer: printer, interface: interface.interface))
            await Self.reset(interface)
        }
        await interface.close()
    }

    /// Resets the device, even where the printer was released and this task is cancelled.
    private static func reset(_ interface: USBConnection) async {
        await Task { try? await interface.restore(resetting: true) }.value
    }
}

extension USBOpenError {
    fileprivate static let dialCancelled = USBOpenError(.cancelled, operation: "dial", reason: "the dial was cancelled")
}
