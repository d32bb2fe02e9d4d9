import CPango
import Glibc

private typealias Begin =
    @convention(c) (
        UnsafePointer<CChar>?, @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
        UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer?

/// The names of Pango's threads that only ask fontconfig, and take no lock of Pango's.
private func mayRunAtOnce(_ name: UnsafePointer<CChar>?) -> Bool {
    name.map { ["[pango] FcFontSetMatch", "[pango] FcFontSetSort"].contains(String(cString: $0)) } ?? false
}

/// Replaces GLib's function of that name for Pango, which asks fontconfig for fonts on a new thread each time, and then
/// waits for it. Here the work is done at once, on the calling thread, so that a program that has given up threads can
/// still draw. (Shared libraries find an executable's symbols first. GLib's own calls do not go this way.)
@_cdecl("g_thread_new")
public func runAtOnce(
    _ name: UnsafePointer<CChar>?, _ function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    // Others, such as "[pango] FcInit" when the first font map is made, may wait for what this thread holds. RTLD_NEXT
    // is GLib's.
    if !mayRunAtOnce(name), let next = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "g_thread_new") {
        return unsafeBitCast(next, to: Begin.self)(name, function, argument)
    }
    _ = function(argument)
    // Pango gives back the thread that it believes to have begun.
    return UnsafeMutableRawPointer(g_thread_ref(g_thread_self()))
}
