import Foundation
package import Glibc
import Synchronization

/// A pseudo-terminal, whose slave end stands for a serial port. Its slave end has a link in a folder of its own, like
/// the names that udev gives to adapters.
package final class PseudoTerminal: Sendable {
    /// The slave end: `/dev/pts/N`.
    package let device: String
    /// Another name of the slave end, which can be taken away.
    package let link: String
    private let folder: TemporaryFolder
    private let master: Mutex<Int32?>

    /// Opens one. With a folder, its link stands there, as `printer`: so it can follow on another one.
    package init(in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder("serial")
        // What glibc's posix_openpt, unlockpt and ptsname do (ioctl_tty(2): TIOCSPTLCK, TIOCGPTN).
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (unlocked, number) = (CInt(0), CInt(0))
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw TestSupportError.errno("/dev/ptmx", errno)
        }
        var mode = termios()
        tcgetattr(master, &mode)
        cfmakeraw(&mode)
        tcsetattr(master, TCSANOW, &mode)
        self.master = Mutex(master)
        device = "/dev/pts/\(number)"
        link = self.folder.appending("printer")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: device)
    }

    deinit { unplug() }

    /// Hangs up, as an adapter does that is pulled out: its link goes as well.
    package func unplug() {
        master.withLock { master in
            if let master { close(master) }
            master = nil
        }
        unlink(link)
    }

    /// The settings that the line has now.
    package var mode: termios {
        get throws {
            var mode = termios()
            guard master.withLock({ $0.map { tcgetattr($0, &mode) } }) == 0 else {
                throw TestSupportError.errno("tcgetattr", errno)
            }
            return mode
        }
    }

    /// What arrived; empty while that is nothing, nil once it is unplugged.
    package func read() -> [UInt8]? {
        var space = [UInt8](repeating: 0, count: 1024)
        guard let count = master.withLock({ master in master.map { Glibc.read($0, &space, space.count) } }) else {
            return nil
        }
        // EIO while nobody has the other end open.
        return count > 0 ? Array(space[..<count]) : []
    }

    /// Sends bytes to whoever has the slave end open.
    package func write(_ bytes: [UInt8]) {
        master.withLock { master in
            if let master { _ = Glibc.write(master, bytes, bytes.count) }
        }
    }
}

/// Debian's `socat`, as an adapter: it makes a serial port and joins it to a TCP port of this computer.
package enum Socat {
    /// Starts it. It ends where somebody closes the port; as an adapter would not, it is started again then.
    package static func serialPort(_ path: String, to port: Int) throws -> ChildProcess {
        let program = try InstalledProgram.path("socat", package: "socat")
        return try ChildProcess(
            "/bin/sh",
            ["-c", "while :; do '\(program)' 'PTY,rawer,wait-slave,link=\(path)' TCP4:127.0.0.1:\(port); done"])
    }
}
