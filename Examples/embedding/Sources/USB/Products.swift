import Glibc

/// The product names of the devices on the USB bus, as the kernel lists them; empty on a machine without USB.
public func products(in folder: String = "/sys/bus/usb/devices") -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var products: [String] = []
    while let entry = readdir(listing) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let product = firstLine(of: "\(folder)/\(name)/product") { products.append(product) }
    }
    return products.sorted()
}

private func firstLine(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
