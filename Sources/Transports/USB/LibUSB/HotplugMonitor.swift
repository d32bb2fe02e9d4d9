import CKioskLibUSB

/// A libusb hotplug event.
enum HotplugEvent: Sendable {
    case arrived(BusAddress)
    case left(DeviceReference)
}

/// Receives libusb's hotplug events from its creation to `stop`, and provides them as a stream.
final class HotplugMonitor: Sendable {
    let events: AsyncStream<HotplugEvent>
    private let continuation: AsyncStream<HotplugEvent>.Continuation
    private let callback: libusb_hotplug_callback_handle
    private let listener: Unmanaged<Listener>
    private let context: USBContext

    /// Nil where libusb has no hotplug events: it was built without udev and netlink, or has no memory left.
    init?(_ context: USBContext) {
        guard libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG.rawValue) != 0 else { return nil }
        (events, continuation) = AsyncStream.makeStream()
        self.context = context
        listener = .passRetained(Listener(context: context, continuation: continuation))
        var callback: libusb_hotplug_callback_handle = 0
        let kinds = LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
        // The printer class is declared per interface, and libusb cannot filter by that.
        let code = libusb_hotplug_register_callback(
            context.pointer, Int32(kinds), 0, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
            LIBUSB_HOTPLUG_MATCH_ANY,
            { _, device, kind, listener in
                guard let device, let listener else { return 0 }
                Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().received(kind, device)
                return 0
            }, listener.toOpaque(), &callback)
        self.callback = callback
        guard code == 0 else {
            listener.release()
            return nil
        }
    }

    /// Ends the stream; called when the event thread has ended, so that no callback is running.
    func stop() {
        libusb_hotplug_deregister_callback(context.pointer, callback)
        listener.release()
        continuation.finish()
    }

    private final class Listener: Sendable {
        let context: USBContext
        let continuation: AsyncStream<HotplugEvent>.Continuation

        init(context: USBContext, continuation: AsyncStream<HotplugEvent>.Continuation) {
            (self.context, self.continuation) = (context, continuation)
        }

        /// Runs on the event thread.
        func received(_ kind: libusb_hotplug_event, _ device: OpaquePointer) {
            // Keeps the device alive, so that no other device gets its address in memory.
            let reference = DeviceReference(device, in: context)
            continuation.yield(
                kind == LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT ? .left(reference) : .arrived(reference.busAddress))
        }
    }
}
