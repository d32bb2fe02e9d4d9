#pragma once

#include <png.h>
#include <string.h>

// Formats of libpng's simplified interface are macros with casts, which Swift does not see.

/// An image to read or write with.
static inline png_image cpng_image(void) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    return image;
}

/// Linear light of 16 bits and its alpha, by which it is multiplied.
static inline png_uint_32 cpng_light_format(void) { return PNG_FORMAT_LINEAR_Y_ALPHA; }

/// Samples of 16 bits are in sRGB's coding, as those of 8 bits.
static inline png_uint_32 cpng_tones_of_16_bits(void) { return PNG_IMAGE_FLAG_16BIT_sRGB; }

/// A byte for each pixel, which is a place in a colour map.
static inline png_uint_32 cpng_map_format(void) { return PNG_FORMAT_RGB_COLORMAP; }

/// What went wrong.
static inline const char *cpng_message(const png_image *image) { return image->message; }
