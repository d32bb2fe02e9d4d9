import KioskIPPCodec
import KioskPrintModel

/// The signs of a spooler: something that takes jobs for another device. What it calls a completed job has left its
/// queue; whether paper came out, it does not know.
enum PrintServer {
    static let requestedAttributes = ["printer-type", "device-uri", "printer-uri-supported"]

    static func isOne(_ attributes: IPPGroup) -> Bool {
        // CUPS's own attributes (RFC 8011 has neither): what kind of queue it is, and the device behind it.
        if attributes["printer-type"]?.integer != nil || attributes["device-uri"]?.string != nil { return true }
        if let model = attributes["printer-make-and-model"]?.string, models.contains(model) { return true }
        return attributes["printer-uri-supported"]?.strings.contains(where: isQueue) ?? false
    }

    /// CUPS's names for queues without a driver.
    private static let models: Set = ["Local Raw Printer", "Local System V Printer", "Local Printer Class"]

    /// Whether the URI is that of a queue: CUPS has `/printers/NAME` and `/classes/NAME`, and so have print servers for
    /// printers with a parallel or USB port; Windows has `/printers/NAME/.printer`.
    private static func isQueue(_ uri: String) -> Bool {
        guard let host = uri.firstRange(ofText: "://")?.upperBound, let slash = uri[host...].firstIndex(of: "/") else {
            return false
        }
        return uri[slash...].hasPrefix("/printers/") || uri[slash...].hasPrefix("/classes/")
    }
}
