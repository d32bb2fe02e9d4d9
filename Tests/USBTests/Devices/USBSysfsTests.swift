import Foundation
import KioskTestSupport
import Testing

@testable import KioskUSB

@Suite("The kernel's list of USB devices")
struct USBSysfsTests {
    private func folder(_ entries: [String: String?]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, number) in entries {
            try FileManager.default.createDirectory(
                atPath: folder.appending(name), withIntermediateDirectories: false)
            if let number { try folder.write(number, to: "\(name)/devnum") }
        }
        return folder
    }

    @Test func `holds devices and root hubs by bus and number, and no interfaces`() throws {
        let folder = try folder([
            "usb1": "1\n", "1-2": "5\n", "1-2.4": "127\n", "1-2:1.0": "9\n", "usb12": "1\n", "12-1": "3\n",
        ])
        let expected = [(1, 1), (1, 5), (1, 127), (12, 1), (12, 3)].map { BusAddress(bus: $0, device: $1) }
        #expect(USBSysfs(folder: folder.path).addresses() == Set(expected))
    }

    @Test func `leaves out what is half there, and what makes no sense`() throws {
        let folder = try folder(["1-1": nil, "1-2": "", "1-3": "nine\n", "1-4": "300\n", "300-1": "1\n", "x": "1\n"])
        #expect(USBSysfs(folder: folder.path).addresses() == [])
    }

    @Test func `is unknown where it cannot be read`() throws {
        #expect(USBSysfs(folder: "/nowhere/at/all").addresses() == nil)
    }
}
