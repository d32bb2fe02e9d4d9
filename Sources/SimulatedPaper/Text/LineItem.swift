/// Something that stands on a line that wasn't printed yet.
struct LineItem {
    /// From the line's start.
    var x: Int
    var picture: Bitmap
    /// Rows of the picture below the baseline.
    var descent: Int

    var ascent: Int { picture.height - descent }
}
