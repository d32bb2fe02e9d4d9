import CLibSSH2

/// libssh2 itself: initialised once, by whoever comes first, and never given back.
enum SSHLibrary {
    /// What `libssh2_init` returned; 0 is good.
    static let initialised: Int32 = libssh2_init(0)

    /// A channel's exit status while none came: no exit status of POSIX, which has 8 bits.
    static let noExitStatus = Int32.min + 0x5A5A
}
