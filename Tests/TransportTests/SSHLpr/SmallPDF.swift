/// A PDF of empty pages.
enum SmallPDF {
    static func make(pages: Int) -> [UInt8] {
        let kids = (0..<pages).map { "\($0 + 3) 0 R" }.joined(separator: " ")
        var objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [\(kids)] /Count \(pages) >>"]
        objects += (0..<pages).map { _ in "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> >>" }
        var text = "%PDF-1.4\n"
        var table = "0000000000 65535 f \n"
        for (number, object) in objects.enumerated() {
            let offset = "\(text.utf8.count)"
            table += String(repeating: "0", count: 10 - offset.count) + "\(offset) 00000 n \n"
            text += "\(number + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text +=
            "xref\n0 \(objects.count + 1)\n\(table)trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Array(text.utf8)
    }
}
