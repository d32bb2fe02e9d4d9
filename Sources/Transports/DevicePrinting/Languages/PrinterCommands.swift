/// ESC/POS commands that query, clear and reset (Epson, "ESC/POS command reference").
package enum EscPosCommand {
    /// `GS a`: send the status now and on every change of drawer, online, errors and paper (bits 0 to 3). The printer
    /// executes it in its turn, so not while it is offline.
    package static let enableAutomaticStatus: [UInt8] = [0x1D, 0x61, 0x0F]
    package static let disableAutomaticStatus: [UInt8] = [0x1D, 0x61, 0x00]

    /// `GS r 1`: the paper sensor's status, sent in its turn: when everything before it is processed, though not yet
    /// printed.
    package static let requestStatus: [UInt8] = [0x1D, 0x72, 0x01]

    /// `GS ( H` function 48: the printer sends the id back when everything before it is printed. Four characters from
    /// 20h to 7Eh.
    package static func requestProcessID(_ id: String) -> [UInt8] {
        precondition(id.utf8.count == 4 && id.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "four visible characters")
        return [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + Array(id.utf8)
    }

    /// `DLE ENQ 2`: recover from an error and discard receive and print buffer. It has no effect except after a
    /// recoverable error, such as the cutter's.
    package static let recoverAndClear: [UInt8] = [0x10, 0x05, 0x02]
    /// `DLE DC4` function 8: stop the command in execution, discard receive and print buffer, and respond.
    package static let clearBuffers: [UInt8] = [0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08]

    /// `ESC @`: discards the print buffer and every setting; the receive buffer stays.
    package static let initialise: [UInt8] = [0x1B, 0x40]
    /// `GS V 66 0`: feed to the cutter's position and make a partial cut.
    package static let feedAndCut: [UInt8] = [0x1D, 0x56, 0x42, 0x00]
    /// `ESC d 6`: feed six lines, so that the printed paper clears the tear bar.
    package static let feed: [UInt8] = [0x1B, 0x64, 0x06]
}

/// Star line mode commands that query, clear and reset (Star, "STAR Line Mode Command Specifications" §3).
package enum StarCommand {
    /// `ESC ACK SOH`: the automatic status now, in real time. Not to be sent again before its response has arrived, nor
    /// while the printer sends status automatically.
    package static let requestStatus: [UInt8] = [0x1B, 0x06, 0x01]
    /// `ESC RS a 1`: send the status on every change, and when an ETB is executed. The printer executes it in its turn;
    /// no specification says that it responds at once.
    package static let enableAutomaticStatus: [UInt8] = [0x1B, 0x1E, 0x61, 0x01]
    /// `ETB`: when everything before it is printed, increment the counter, and send the status if automatic status is
    /// on.
    package static let incrementCounter: [UInt8] = [0x17]
    /// `CAN`, "cancel print data and initialize commands": discard receive and line buffer, and reset the settings. The
    /// printer executes it on reception and sets the ETB counter to 0 (according to the manual of Samsung's SRP-275,
    /// which also speaks this language; Star's own page was not at hand).
    package static let cancel: [UInt8] = [0x18]
    /// `ESC @`: reset every setting, after printing the line buffer.
    package static let initialise: [UInt8] = [0x1B, 0x40]
    /// `ESC * r B`: leave raster mode.
    package static let quitRaster: [UInt8] = [0x1B, 0x2A, 0x72, 0x42]
    /// `ESC d 3`: feed to the cutter's position and make a partial cut.
    package static let feedAndCut: [UInt8] = [0x1B, 0x64, 0x03]
    /// `ESC a 6`: feed six lines, so that the printed paper clears the tear bar.
    package static let feed: [UInt8] = [0x1B, 0x61, 0x06]
}
