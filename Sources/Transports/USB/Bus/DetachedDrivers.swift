import KioskAsyncPrimitives
import KioskDurableFiles
import KioskPrintModel
import Synchronization

/// The record, in a file, of the interfaces that this process has taken from kernel drivers.
///
/// The kernel driver gets an interface back when it is released. A process that is killed releases without that: the
/// next one reads here what it may give back.
package final class DetachedDrivers: Sendable {
    /// An interface that a kernel driver had.
    struct Entry: Hashable, Sendable {
        var port: USBPort
        /// The address at that attachment: after a replug, the kernel has bound its driver itself.
        var address: UInt8
        var model: USBModel
        var interface: Int
        /// The name of the kernel driver.
        var driver: String
    }

    private let path: String
    private let entries = Mutex<[Entry]>([])

    /// `path` need not exist.
    package init(path: String) { self.path = path }

    /// Far more than one bus can have.
    private static let maximumLength = 65_536

    /// The entries that an earlier process has left behind.
    func abandoned() async -> Result<[Entry], FileError> {
        await WorkerThread.run("usb-record") { [self] in
            do throws(FileError) {
                let bytes = try AtomicFile.read(path, limit: Self.maximumLength)
                let found = bytes.split(separator: UInt8(ascii: "\n")).compactMap {
                    Entry(String(decoding: $0, as: UTF8.self))
                }
                entries.withLock { $0 = found }
                return .success(found)
            } catch {
                return error.isNotFound ? .success([]) : .failure(error)
            }
        } ?? .success([])
    }

    /// Adds an interface before it is taken. Returns the failure of the write.
    func add(_ entry: Entry) async -> FileError? { await change { $0.append(entry) } }

    /// Removes an interface that has been given back or is gone. Returns the failure of the write.
    func remove(_ entry: Entry) async -> FileError? { await change { $0.removeAll { $0 == entry } } }

    private func change(_ update: @escaping @Sendable (inout [Entry]) -> Void) async -> FileError? {
        await WorkerThread.run("usb-record") { [self] () -> FileError? in
            // Held while it is written, so that the last change is the last write.
            entries.withLock { entries in
                update(&entries)
                let text = entries.map { "\($0.line)\n" }.joined()
                do throws(FileError) {
                    if text.isEmpty {
                        try Folder.remove(file: path)
                    } else {
                        try AtomicFile.replace(path, with: Array(text.utf8), permissions: 0o600)
                    }
                    return nil
                } catch {
                    return error
                }
            }
        } ?? nil
    }
}

extension DetachedDrivers.Entry {
    init(_ printer: USBPrinter, interface: Int, driver: String) {
        self.init(
            port: printer.port, address: printer.address,
            model: USBModel(vendor: printer.vendor, product: printer.product), interface: interface, driver: driver)
    }

    /// Nil for a line of another form.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 5, let port = USBPort(String(words[0])), let address = UInt8(words[1]),
            let model = USBModel(String(words[2])), let interface = UInt8(words[3])
        else { return nil }
        self.init(port: port, address: address, model: model, interface: Int(interface), driver: String(words[4]))
    }

    /// `1-2.4 7 04b8:0e15 0 usblp`
    var line: String { "\(port) \(address) \(model) \(interface) \(driver)" }

    /// Whether the printer is still the one whose interface was taken, and nobody has the interface.
    func isAbandoned(by printer: USBPrinter) -> Bool {
        printer.port == port && printer.address == address
            && USBModel(vendor: printer.vendor, product: printer.product) == model
            && printer.interfaces.contains { $0.number == interface && $0.owner == nil }
    }
}
