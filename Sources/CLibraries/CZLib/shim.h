#pragma once
#include <zlib.h>

// deflateInit2 is a macro. windowBits above 15 ask for gzip's header and trailer (RFC 1952).
static inline int czlib_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// Negative windowBits ask for neither header nor trailer: IPP's "deflate" is RFC 1951 alone (RFC 8011 section 5.4.32).
static inline int czlib_deflate_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

// inflateInit2 is a macro, too. Negative windowBits take a stream without header and trailer (RFC 1951).
static inline int czlib_inflate_init(z_stream *stream) {
    return inflateInit2(stream, -15);
}

// Nothing but gzip is taken.
static inline int czlib_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}
