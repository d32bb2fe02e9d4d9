package import KioskPrintModel

extension Availability {
    /// The state as a picture and a word.
    package func badge(_ texts: Texts) -> HTML {
        "<span class=\"badge \(tone)\">\(icon.html)\(word(texts))</span>"
    }

    /// The state in the reader's language.
    package func word(_ texts: Texts) -> String {
        texts.member(state.rawValue, of: "availability") ?? state.rawValue
    }

    private var tone: HTML {
        switch state {
        case .ready: "good"
        case .busy: "busy"
        case .attention: "warn"
        case .stopped, .unreachable: "bad"
        case .unknown: "none"
        }
    }

    private var icon: Icon {
        switch state {
        case .ready: .ready
        case .busy: .busy
        case .attention: .attention
        case .stopped: .stopped
        case .unreachable: .unreachable
        case .unknown: .unknown
        }
    }
}

extension Timestamp {
    /// The time, which the script writes in the reader's way; `ago`: as the time that has passed since.
    package func html(ago: Bool = false) -> HTML {
        let text = description
        return
            "<time datetime=\"\(text)\"\(flag: "data-ago", ago)>\(text.prefix(16).replacing("T", with: " ")) UTC</time>"
    }
}
