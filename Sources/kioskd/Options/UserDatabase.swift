import Glibc
import KioskDrawingService
import KioskHelperProcesses

/// The user that `--draw-user` names, by name or number, with that user's own group.
func drawingUser(named text: String) throws(StartError) -> HelperProcess.User {
    let option = "--draw-user"
    guard geteuid() == 0 else {
        throw StartError(
            .noPermission, "only root can run kiosk-draw as \"\(text)\"; start kioskd as root, or leave \(option) out")
    }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 64 * 1024)
    let failure =
        uid_t(text).map { getpwuid_r($0, &entry, &buffer, buffer.count, &found) }
        ?? getpwnam_r(text, &entry, &buffer, buffer.count, &found)
    guard failure == 0, found != nil else {
        throw StartError(
            .usage, "there is no user \"\(text)\"; make it with useradd --system, or name another with \(option)")
    }
    guard entry.pw_uid != 0, entry.pw_gid != 0 else {
        throw StartError(.usage, "\"\(text)\" is root or has root's group; name a user without rights with \(option)")
    }
    return HelperProcess.User(id: entry.pw_uid, group: entry.pw_gid)
}

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
