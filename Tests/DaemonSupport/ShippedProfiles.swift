/// The profiles of this package.
package enum ShippedProfiles {
    package static let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/profiles"
}
