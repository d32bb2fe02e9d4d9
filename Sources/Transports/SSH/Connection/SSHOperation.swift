/// Something that goes on over a connection until it is over, step by step, as octets come and go. One that waits for
/// its turn, for octets or for room to send is asked again after every change.
protocol SSHOperation: AnyObject {
    /// What an error that ends the connection calls it.
    var name: String { get }
    var isOver: Bool { get }
    /// Goes on as far as it can; whether it got any further. Throws what ends the whole connection.
    func step(on connection: SSHHandler) throws(SSHError) -> Bool
    /// The connection ended, with this operation's name in the error.
    func connectionEnded(_ error: SSHError)
}
