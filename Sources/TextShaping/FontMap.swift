import CKioskPango
import Glibc

/// Why text cannot be drawn: a sentence without its full stop.
package struct TextShapingError: Error, CustomStringConvertible {
    /// The sentence.
    package var description: String
}

/// The fonts for text: those in the system's font folders, independent of the user's settings, so that the same text
/// looks the same everywhere. Bitmap and colour fonts are left out: they do not fit a print head's dots.
final class FontMap {
    let map: UnsafeMutablePointer<PangoFontMap>

    /// Silences GLib's log, once: GLib ends the process at the second call.
    private static let silenceLog: Void = cpango_be_silent()

    init() throws(TextShapingError) {
        Self.silenceLog
        guard let config = FcConfigCreate() else {
            throw TextShapingError(description: "fontconfig could not be started")
        }
        defer { FcConfigDestroy(config) }
        guard FcConfigParseAndLoadFromMemory(config, Self.settings, 0) != 0, FcConfigBuildFonts(config) != 0,
            // Pango uses the current configuration even where it has its own, and would read the system's settings.
            FcConfigSetCurrent(config) != 0, let map = cpango_font_map(config)
        else {
            throw TextShapingError(
                description: "the system's fonts cannot be read; install them: apt-get install \(Self.packages)")
        }
        self.map = map
    }

    deinit { g_object_unref(map) }

    /// Does what takes a thread of its own, without any fonts. (Pango initializes fontconfig in a thread with its first
    /// font map, but only where there is no configuration.)
    static func prepare() {
        Self.silenceLog
        guard let config = FcConfigCreate() else { return }
        defer { FcConfigDestroy(config) }
        guard FcConfigSetCurrent(config) != 0, let map = cpango_font_map(config) else { return }
        g_object_unref(map)
    }

    /// Debian's packages of the fonts.
    private static let packages = "fonts-noto-core fonts-noto-mono fonts-noto-cjk fonts-symbola"

    private static let settings = """
        <?xml version="1.0"?>
        <!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
        <fontconfig>
          <dir>/usr/share/fonts</dir>
          <dir>/usr/local/share/fonts</dir>
          <cachedir>/var/cache/fontconfig</cachedir>
          <selectfont><rejectfont>
            <pattern><patelt name="outline"><bool>false</bool></patelt></pattern>
            <pattern><patelt name="color"><bool>true</bool></patelt></pattern>
          </rejectfont></selectfont>
          <match target="font"><edit name="autohint" mode="assign"><bool>true</bool></edit></match>
        </fontconfig>
        """

    /// The font families in order of preference. Characters that none of them has are taken from any other font.
    static func families(_ language: TextLanguage) -> String {
        let han =
            switch language {
            case .chinese: "Noto Sans CJK SC"
            case .japanese: "Noto Sans CJK JP"
            case .korean: "Noto Sans CJK KR"
            }
        return
            "Noto Sans Mono,Noto Sans,\(han),Noto Sans Arabic,Noto Sans Hebrew,Noto Sans Thai,Noto Sans Devanagari,Symbola,Noto Sans Symbols2"
    }
}

/// The language that decides the shapes of Han characters. Kana and Hangul indicate it; text with Han characters only
/// is Chinese.
enum TextLanguage: String, CaseIterable {
    case chinese = "zh-cn"
    case japanese = "ja"
    case korean = "ko"

    init(of text: String) {
        self = .chinese
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x3041...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D: self = .japanese; return
            case 0x1100...0x11FF, 0x3131...0x318E, 0xAC00...0xD7A3: self = .korean; return
            default: continue
            }
        }
    }
}

// MARK: - Font lookup without threads

private typealias ThreadStart =
    @convention(c) (
        UnsafePointer<CChar>?, @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
        UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer?

/// Whether a thread of Pango, by its name, only asks fontconfig and takes no lock of Pango's.
private func mayRunAtOnce(_ name: UnsafePointer<CChar>?) -> Bool {
    name.map { ["[pango] FcFontSetMatch", "[pango] FcFontSetSort"].contains(String(cString: $0)) } ?? false
}

/// Replaces GLib's `g_thread_new` for Pango, which starts a thread for each query of fontconfig and waits for it. Here
/// the query runs at once, on the calling thread, so that a program that has given up threads can still draw. (Shared
/// libraries find an executable's symbols first. GLib's own calls do not go this way.)
@_cdecl("g_thread_new")
public func runAtOnce(
    _ name: UnsafePointer<CChar>?, _ function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    // Others, such as "[pango] FcInit" when the first font map is made, may wait for what this thread holds. RTLD_NEXT
    // is GLib's.
    if !mayRunAtOnce(name), let next = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "g_thread_new") {
        return unsafeBitCast(next, to: ThreadStart.self)(name, function, argument)
    }
    _ = function(argument)
    // Pango releases the thread that it believes to have started.
    return UnsafeMutableRawPointer(g_thread_ref(g_thread_self()))
}
