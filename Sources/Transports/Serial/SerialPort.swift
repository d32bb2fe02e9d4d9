import Glibc
import KioskPrintModel

/// An open serial port, which no other program can open meanwhile. Its calls may block for as long as a driver needs,
/// so it belongs to a thread of its own.
struct SerialPort: ~Copyable {
    /// For poll(2).
    let descriptor: CInt

    /// Opens a port and sets its line.
    ///
    /// Opening raises DTR and RTS (Linux always does that); closing leaves them as they are. The port keeps its
    /// settings when it is closed.
    static func open(
        _ path: String, _ settings: SerialSettings, _ calls: BlockingCalls = BlockingCalls()
    ) throws(SerialPortError) -> SerialPort {
        // Opening something else could have an effect.
        var status = stat()
        if stat(path, &status) == 0, !isSerialPort(status) { throw SerialPortError(.notSerial, "stat") }
        // Without waiting for a carrier, and never as this process's controlling terminal.
        let descriptor = calls.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .opening(path, errno) }
        var port = SerialPort(descriptor: descriptor, calls: calls)
        try port.claim()
        try port.apply(settings)
        if settings.flowControl == .dataSetReady, port.isDataSetReady == nil {
            throw SerialPortError(.noDataSetReady, "TIOCMGET", errno)
        }
        // What the printer said to nobody.
        tcflush(descriptor, TCIFLUSH)
        return port
    }

    /// Whether this is a terminal's device, and none that leads to a person: a screen, or whatever terminal the process
    /// has (Linux's devices.txt).
    private static func isSerialPort(_ status: stat) -> Bool {
        guard status.st_mode & S_IFMT == S_IFCHR else { return false }
        // As makedev(3) puts them together.
        let device = status.st_rdev
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & 0xFFFFF00
        switch major {
        // The screens; /dev/tty, /dev/console and /dev/ptmx.
        case 4 where minor < 64, 5: return false
        // The slave ends of pseudo-terminals, which sysfs does not have.
        case 136...143: return true
        default: break
        }
        guard access("/sys/dev/char", F_OK) == 0 else { return true }
        guard let subsystem = realpath("/sys/dev/char/\(major):\(minor)/subsystem", nil) else { return false }
        defer { free(subsystem) }
        return String(cString: subsystem).hasSuffix("/tty")
    }

    private let calls: BlockingCalls
    /// Whether it is this program's alone, by flock(2) and TIOCEXCL.
    private var isClaimed = false

    private init(descriptor: CInt, calls: BlockingCalls) { (self.descriptor, self.calls) = (descriptor, calls) }

    deinit {
        // Where another program has it, the exclusivity is that program's.
        if isClaimed { _ = ioctl(descriptor, UInt(TIOCNXCL)) }
        calls.close(descriptor)
    }

    private mutating func claim() throws(SerialPortError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            throw SerialPortError(code == EWOULDBLOCK ? .busy : .failed, "flock", code)
        }
        guard isatty(descriptor) == 1 else { throw SerialPortError(.notSerial, "tcgetattr", errno) }
        // The lock is heeded by programs that lock as well, this by all but root.
        _ = ioctl(descriptor, UInt(TIOCEXCL))
        isClaimed = true
    }

    private func apply(_ settings: SerialSettings) throws(SerialPortError) {
        var wanted = termios()
        guard tcgetattr(descriptor, &wanted) == 0 else { throw SerialPortError(.failed, "tcgetattr", errno) }
        cfmakeraw(&wanted)
        wanted.c_cflag &= ~tcflag_t(CSIZE | PARENB | PARODD | CSTOPB | HUPCL) & ~CRTSCTS
        // Many cables have no wire for the carrier.
        wanted.c_cflag |= tcflag_t(CREAD | CLOCAL | (settings.dataBits == 7 ? CS7 : CS8))
        if settings.parity != .none { wanted.c_cflag |= tcflag_t(PARENB) }
        if settings.parity == .odd { wanted.c_cflag |= tcflag_t(PARODD) }
        if settings.stopBits == 2 { wanted.c_cflag |= tcflag_t(CSTOPB) }
        switch settings.flowControl {
        case .soft: wanted.c_iflag |= tcflag_t(IXON | IXOFF)
        case .hard: wanted.c_cflag |= CRTSCTS
        case .none, .dataSetReady: break
        }
        guard let speed = Self.speeds[settings.baud] else { throw SerialPortError(.unsupportedSettings, "cfsetspeed") }
        cfsetspeed(&wanted, speed_t(speed))
        guard tcsetattr(descriptor, TCSANOW, &wanted) == 0 else {
            let code = errno
            throw SerialPortError(code == EINVAL ? .unsupportedSettings : .failed, "tcsetattr", code)
        }
        // It succeeds where the driver took any of the settings (tcsetattr(3)).
        var taken = termios()
        let frame = tcflag_t(CSIZE | PARENB | PARODD | CSTOPB)
        guard tcgetattr(descriptor, &taken) == 0 else { throw SerialPortError(.failed, "tcgetattr", errno) }
        guard cfgetospeed(&taken) == speed_t(speed), taken.c_cflag & frame == wanted.c_cflag & frame else {
            throw SerialPortError(.unsupportedSettings, "tcsetattr")
        }
    }

    private static let speeds = [
        1200: B1200, 1800: B1800, 2400: B2400, 4800: B4800, 9600: B9600, 19200: B19200, 38400: B38400,
        57600: B57600, 115_200: B115200, 230_400: B230400, 460_800: B460800, 500_000: B500000, 576_000: B576000,
        921_600: B921600, 1_000_000: B1000000, 1_152_000: B1152000, 1_500_000: B1500000, 2_000_000: B2000000,
        2_500_000: B2500000, 3_000_000: B3000000, 3_500_000: B3500000, 4_000_000: B4000000,
    ]

    /// Whether the printer has room, by its DTR; nil where the port has no such wire.
    var isDataSetReady: Bool? {
        var lines: CInt = 0
        guard ioctl(descriptor, UInt(TIOCMGET), &lines) == 0 else { return nil }
        return lines & TIOCM_DSR != 0
    }

    /// The bytes that the kernel holds and the driver has not sent; 0 where the driver does not say.
    var unsent: Int {
        var count: CInt = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Drops what the kernel holds and the driver has not sent.
    func discardUnsent() { tcflush(descriptor, TCOFLUSH) }

    /// Writes as many of these bytes as the kernel has room for, and returns their number.
    func write(_ bytes: ArraySlice<UInt8>) throws(SerialPortError) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count < 0 else { return count }
        let code = errno
        guard code == EAGAIN || code == EINTR else { throw .lost("write", code) }
        return 0
    }

    /// Reads what has arrived; empty where that is nothing.
    func read() throws(SerialPortError) -> [UInt8] {
        var failure: CInt?
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.receiveChunk) { space, count in
            let received = Glibc.read(descriptor, space.baseAddress, space.count)
            if received < 0 { failure = errno }
            // VMIN is 1: the end of input is a line that was hung up (termios(3)).
            if received == 0 { failure = EIO }
            count = max(0, received)
        }
        if let failure, failure != EAGAIN, failure != EINTR { throw .lost("read", failure) }
        return bytes
    }

    /// Status reports have a few bytes.
    static let receiveChunk = 1024
}

/// The system calls in which a driver may keep a thread for long: opening, and closing while it waits for a printer
/// without room.
struct BlockingCalls: Sendable {
    var open: @Sendable (_ path: String, _ flags: CInt) -> CInt = { Glibc.open($0, $1) }
    var close: @Sendable (_ descriptor: CInt) -> Void = { _ = Glibc.close($0) }
}

/// Why a serial port cannot be used.
struct SerialPortError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// There is no such device.
        case notFound
        /// This process may not open it; the group that may, where it has one.
        case accessDenied(group: String?)
        /// The device cgroup of this process's service does not allow it.
        case forbidden
        case busy
        /// Its driver has not finished an earlier call of this program.
        case blocked
        /// It is something else than a serial port.
        case notSerial
        case unsupportedSettings
        case noDataSetReady
        /// Unplugged or switched off.
        case disconnected
        case cancelled
        case failed
    }

    var kind: Kind
    /// The failed system call.
    var operation: String
    /// Its errno(3); 0 where none failed.
    var code: CInt

    init(_ kind: Kind, _ operation: String, _ code: CInt = 0) {
        (self.kind, self.operation, self.code) = (kind, operation, code)
    }

    /// The kernel's words for the code.
    var reason: String { strerror(code).map { String(cString: $0) } ?? "errno \(code)" }

    fileprivate static func opening(_ path: String, _ code: CInt) -> SerialPortError {
        let kind: Kind =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EACCES: .accessDenied(group: groupName(of: path))
            case EPERM: .forbidden
            case EBUSY: .busy
            case ENXIO, ENODEV, EIO: .disconnected
            default: .failed
            }
        return SerialPortError(kind, "open", code)
    }

    fileprivate static func lost(_ operation: String, _ code: CInt) -> SerialPortError {
        SerialPortError([EIO, ENXIO, ENODEV].contains(code) ? .disconnected : .failed, operation, code)
    }

    /// The name of the group that owns a device and may open it.
    private static func groupName(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_gid != 0, status.st_mode & 0o060 == 0o060 else { return nil }
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { space in
            guard getgrgid_r(status.st_gid, &entry, space.baseAddress!, space.count, &found) == 0, found != nil,
                let name = entry.gr_name
            else { return nil }
            return String(cString: name)
        }
    }
}
