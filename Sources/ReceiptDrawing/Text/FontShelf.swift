import CPango
import DrawingMessages

/// The fonts that text is drawn with: those below the system's font folders, whatever the user's own settings say, so
/// that the same text looks the same everywhere. Bitmap and colour fonts are left out: they do not fit a print head's
/// dots.
final class FontShelf {
    let map: UnsafeMutablePointer<PangoFontMap>

    init() throws(DrawingRefusal) {
        guard let config = FcConfigCreate() else { throw DrawingRefusal(.drawing, "fontconfig could not be started") }
        defer { FcConfigDestroy(config) }
        guard FcConfigParseAndLoadFromMemory(config, Self.settings, 0) != 0, FcConfigBuildFonts(config) != 0,
            // Pango looks for a current one even where it has its own, and would read the system's settings.
            FcConfigSetCurrent(config) != 0, let map = cpango_font_map(config)
        else {
            throw DrawingRefusal(
                .drawing, "the system's fonts cannot be read; install them: apt-get install \(Self.packages)")
        }
        self.map = map
    }

    deinit { g_object_unref(map) }

    /// Debian's.
    static let packages = "fonts-noto-core fonts-noto-mono fonts-noto-cjk fonts-symbola"

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

    /// In order. Characters that none of these has are taken from any other.
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

/// Whose shapes Han characters have. It shows in a text's other characters; where there are only Han characters, they
/// are Chinese.
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
