/// The USB bus of this machine: finds printers, opens them, and says when one comes or goes.
///
/// libusb is started with the first call, and again with the next one when that failed. `shutDown` closes what is open.
package actor USBBus {
    /// Printers whose class is the vendor's own.
    let vendorPrinters: Set<USBDeviceKind>
    private var starting: Task<Result<USBContext, USBOpenError>, Never>?
    private var isShutDown = false
    /// What the devices that are plugged in have said of themselves.
    var inspections: [DeviceReference: DeviceInspection] = [:]
    var connections: [DeviceClaim: USBConnection] = [:]
    /// Claims that are being made, or given back.
    var claims: Set<DeviceClaim> = []

    package init(vendorPrinters: Set<USBDeviceKind> = []) { self.vendorPrinters = vendorPrinters }

    /// An interface of a device.
    struct DeviceClaim: Hashable, Sendable {
        var device: DeviceReference
        var interface: Int
    }

    func context() async throws(USBOpenError) -> USBContext {
        guard !isShutDown else { throw .shutDown }
        let attempt =
            starting
            ?? Task {
                let started = await OwnThread.run { () -> Result<USBContext, USBOpenError> in
                    do throws(USBOpenError) {
                        return .success(try USBContext.start())
                    } catch {
                        return .failure(error)
                    }
                }
                return started ?? .failure(.noThread)
            }
        starting = attempt
        let result = await attempt.value
        if case .failure = result, starting == attempt { starting = nil }
        guard !isShutDown else { throw .shutDown }
        return try result.get()
    }

    /// Closes every connection, and gives everything back. Nothing works afterwards.
    package func shutDown() async {
        guard !isShutDown else { return }
        isShutDown = true
        for connection in connections.values { await connection.close() }
        inspections = [:]
        guard case .success(let context)? = await starting?.value else { return }
        starting = nil
        if await OwnThread.run({ context.stop() }) == nil { context.stop() }
    }
}

extension USBOpenError {
    static let shutDown = USBOpenError(.unavailable, operation: "libusb_init", reason: "the USB bus was shut down")
}
