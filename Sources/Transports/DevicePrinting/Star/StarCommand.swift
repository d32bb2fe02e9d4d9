/// Star line mode commands that ask, clear and begin anew (Star, "STAR Line Mode Command Specifications" §3).
package enum StarCommand {
    /// `ESC ACK SOH`: the automatic status now, in real time. Not to be sent again before its answer has come, nor
    /// while the printer sends status by itself.
    package static let requestStatus: [UInt8] = [0x1B, 0x06, 0x01]
    /// `ESC RS a 1`: send the status on every change, and when an ETB has been carried out. It is carried out in its
    /// turn; no specification says that it is answered at once.
    package static let enableAutomaticStatus: [UInt8] = [0x1B, 0x1E, 0x61, 0x01]
    /// `ETB`: when what stands before it has been printed, count one up and send the status where that goes by itself.
    package static let countUp: [UInt8] = [0x17]
    /// `CAN`, "cancel print data and initialize commands": throw away receive and line buffer, and begin with the
    /// settings anew. It is carried out on reception (so says the manual of Samsung's SRP-275, which speaks this
    /// language too; in Star's own that page was not at hand), and sets the ETB counter to 0.
    package static let cancel: [UInt8] = [0x18]
    /// `ESC @`: every setting anew, after printing what the line buffer holds.
    package static let initialise: [UInt8] = [0x1B, 0x40]
    /// `ESC * r B`: leave raster mode.
    package static let quitRaster: [UInt8] = [0x1B, 0x2A, 0x72, 0x42]
    /// `ESC d 3`: feed to the cutter's position and cut, leaving a point.
    package static let feedAndCut: [UInt8] = [0x1B, 0x64, 0x03]
    /// `ESC a 6`: six lines, so that what was printed clears the tear bar.
    package static let feed: [UInt8] = [0x1B, 0x61, 0x06]
}
