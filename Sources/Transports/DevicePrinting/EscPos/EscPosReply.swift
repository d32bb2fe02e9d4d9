/// One thing that an ESC/POS printer said on its back-channel.
package enum EscPosReply: Hashable, Sendable {
    /// Sent by itself on a change, once `GS a` asked for it; or at once in answer to it.
    case automaticStatus(EscPosAutomaticStatus)
    /// The answer to a `DLE EOT n`. It does not say which n it answers.
    case realTimeStatus(UInt8)
    /// The answer to a `GS r n`, or a one-byte answer to `GS I n`: they cannot be told apart.
    case status(UInt8)
    /// The answer to `GS ( H` function 48: what stood before the id with this text has been printed.
    case processID(String)
    /// The answer to `DLE DC4` function 8: the printer has thrown away all that it had not printed.
    case cleared
    /// Another block, such as the text that `GS I` asks for: its header and what stands between header and NUL.
    case block(header: UInt8, content: [UInt8])
    /// Bytes that are none of these.
    case garbage(count: Int)
}
