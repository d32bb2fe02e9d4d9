/// ESC/POS commands that ask, clear and begin anew (Epson, "ESC/POS command reference").
package enum EscPosCommand {
    /// `GS a`: send the status now and on every change of drawer, online, errors and paper (bits 0 to 3). It is carried
    /// out in its turn, so not while the printer is offline.
    package static let enableAutomaticStatus: [UInt8] = [0x1D, 0x61, 0x0F]
    package static let disableAutomaticStatus: [UInt8] = [0x1D, 0x61, 0x00]

    /// `GS r 1`: the paper sensor's status, answered in its turn: when all before it has been worked through, though
    /// not yet printed.
    package static let requestStatus: [UInt8] = [0x1D, 0x72, 0x01]

    /// `GS ( H` function 48: the id comes back when what stands before it has been printed. Four characters from 20h to
    /// 7Eh.
    package static func requestProcessID(_ id: String) -> [UInt8] {
        precondition(id.utf8.count == 4 && id.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "four visible characters")
        return [0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30] + Array(id.utf8)
    }

    /// `DLE ENQ 2`: recover from an error, throwing away receive and print buffer. Without effect except after an error
    /// that one can recover from, such as the cutter's.
    package static let recoverAndClear: [UInt8] = [0x10, 0x05, 0x02]
    /// `DLE DC4` function 8: stop the command that is being carried out, throw away receive and print buffer, and
    /// answer.
    package static let clearBuffers: [UInt8] = [0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08]

    /// `ESC @`: throws away the print buffer and every setting; the receive buffer stays.
    package static let initialise: [UInt8] = [0x1B, 0x40]
    /// `GS V 66 0`: feed to the cutter's position and cut, leaving a point.
    package static let feedAndCut: [UInt8] = [0x1D, 0x56, 0x42, 0x00]
    /// `ESC d 6`: six lines, so that what was printed clears the tear bar.
    package static let feed: [UInt8] = [0x1B, 0x64, 0x06]
}
