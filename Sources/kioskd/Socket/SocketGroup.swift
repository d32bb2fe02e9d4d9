import Glibc

/// A group by name or number, as an option names it.
func groupNumber(of text: String, option: String) throws(StartError) -> gid_t {
    if let number = gid_t(text) { return number }
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 64 * 1024)
    guard getgrnam_r(text, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
        throw StartError(.usage, "there is no group \"\(text)\"; make it with groupadd, or name another with \(option)")
    }
    return entry.gr_gid
}
