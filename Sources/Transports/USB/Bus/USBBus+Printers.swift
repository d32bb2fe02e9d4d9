import CLibUSB
import DevicePrinting
import PrintModel

extension USBBus {
    /// The printers that are plugged in, by port. Each is asked who it is once while it is plugged in.
    package func printers() async throws(USBOpenError) -> [USBPrinter] { try await found().map(\.printer) }

    /// A printer, with the device that it is.
    struct Found: Sendable {
        var device: DeviceReference
        var printer: USBPrinter
        /// It has not answered all, and may do so later.
        var isToBeContinued: Bool
    }

    /// The same, after a look that begins from now on. Ends soon when the task is cancelled.
    func found() async throws(USBOpenError) -> [Found] {
        let number = waiters.newNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: LookWaiters.Waiter) in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                waiters.add(continuation, number)
                if looking == nil { looking = Task { await self.lookWhileWanted() } }
            }
        } onCancel: {
            Task { await self.stopWaiting(number) }
        }
        return try result.get()
    }

    /// The next look asks a printer again who it is, once nothing of it is open here.
    func askAnew(_ printer: USBPrinter) {
        inspections = inspections.filter { device, _ in device.port != printer.port }
    }

    private func stopWaiting(_ number: Int) { waiters.remove(number)?.resume(returning: .failure(.cancelled)) }

    private func lookWhileWanted() async {
        while waiters.begin() {
            do throws(USBOpenError) {
                waiters.end(.success(try await look()))
            } catch {
                waiters.end(.failure(error))
            }
        }
        looking = nil
    }

    private func look() async throws(USBOpenError) -> [Found] {
        let context = try await context()
        let vendorPrinters = vendorPrinters
        let looked = await OwnThread.run { () -> Result<[(DeviceReference, DeviceLook)], USBOpenError> in
            do throws(USBOpenError) {
                return .success(try Self.look(in: context, vendorPrinters: vendorPrinters))
            } catch {
                return .failure(error)
            }
        }
        guard let looked else { throw .noThread }
        let seen = try looked.get()
        inspections = inspections.filter { device, _ in seen.contains { $0.0 == device } }
        // One that we have open is left alone.
        let known = inspections.filter { device, inspection in
            inspection.isCurrent(at: clock.now) || claims.contains { $0.device == device }
        }
        let fresh = await withTaskGroup(of: (DeviceReference, DeviceInspection?).self) { group in
            for (device, look) in seen where known[device] == nil {
                group.addTask { (device, await DeviceInspection.of(device, look)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var all = known
        for (device, inspection) in fresh {
            all[device] = inspection.made(at: clock.now, after: inspections[device])
            inspections[device] = all[device]
        }
        let devices = seen.compactMap { device, look in all[device].map { (device, printer(device, look, $0)) } }
        var printers = devices.map(\.1)
        printers.tellApart()
        let found = zip(devices, printers).map { device, printer in
            let isClaimed = claims.contains { $0.device == device.0 }
            return Found(
                device: device.0, printer: printer,
                isToBeContinued: !isClaimed && all[device.0]?.isToBeContinued == true)
        }
        return found.sorted { $0.printer.port < $1.printer.port }
    }

    /// Blocks.
    private static func look(
        in context: USBContext, vendorPrinters: Set<USBModel>
    ) throws(USBOpenError) -> [(DeviceReference, DeviceLook)] {
        var list: UnsafeMutablePointer<OpaquePointer?>?
        let count = libusb_get_device_list(context.pointer, &list)
        guard count >= 0, let list else {
            let code = LibUSBCode(Int32(clamping: count))
            throw USBOpenError(.failed, operation: "libusb_get_device_list", code: code.value, reason: code.words)
        }
        defer { libusb_free_device_list(list, 1) }
        return UnsafeBufferPointer(start: list, count: count).compactMap { pointer in
            guard let pointer else { return nil }
            let device = DeviceReference(pointer, in: context)
            return DeviceLook(device, vendorPrinters: vendorPrinters).map { (device, $0) }
        }
    }

    private func printer(_ device: DeviceReference, _ look: DeviceLook, _ inspection: DeviceInspection) -> USBPrinter {
        let port = device.port
        let interfaces = look.interfaces.map { interface in
            var interface = interface
            interface.deviceID = inspection.deviceIDs[interface.number]
            interface.owner = owner(of: interface.number, of: device, look)
            return interface
        }
        var printer = USBPrinter(
            vendor: look.kind.vendor, product: look.kind.product, port: port, address: device.address,
            manufacturer: inspection.manufacturer, productName: inspection.productName, identity: inspection.identity,
            interfaces: interfaces, isAccessible: inspection.isAccessible)
        switch inspection.identity {
        case nil: printer.warning = .noSerialNumber
        case .malformedSerial?: printer.warning = .malformedSerialNumber
        case .serial?, .port?: break
        }
        return printer
    }

    private func owner(of interface: Int, of device: DeviceReference, _ look: DeviceLook) -> USBPrinterInterface.Owner?
    {
        if claims.contains(DeviceClaim(device: device, interface: interface)) { return .thisProcess }
        switch SystemFiles.driver(of: device.port, configuration: look.configurationValue, interface: interface) {
        case nil: return nil
        case "usbfs"?: return .program
        case let driver?: return .kernel(driver)
        }
    }
}
