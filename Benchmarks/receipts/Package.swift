// swift-tools-version: 6.2
import PackageDescription

// The rooms themselves through symbolic links, with the product's settings: what `package` reaches must be compiled in
// one package.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let memorySafe: [SwiftSetting] = house + [.strictMemorySafety()]

let package = Package(
    name: "kiosk-print-engine-receipt-benchmark",
    targets: [
        .target(name: "PrintModel", swiftSettings: memorySafe),
        .target(name: "Receipts", dependencies: ["PrintModel"], swiftSettings: memorySafe),
        .executableTarget(name: "ReceiptBenchmark", dependencies: ["Receipts"], swiftSettings: house),
    ]
)
