#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <tiffio.h>
#include <unistd.h>

/// What libtiff reads from: a part of memory is none, since files may be large.
struct ctiff_file {
    int descriptor;
    uint64_t length, place;
};

static inline tmsize_t ctiff_read(thandle_t handle, void *bytes, tmsize_t count) {
    struct ctiff_file *file = handle;
    tmsize_t done = 0;
    while (done < count && file->place < file->length) {
        ssize_t part = pread(file->descriptor, (char *)bytes + done, (size_t)(count - done), (off_t)file->place);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        done += part;
        file->place += (uint64_t)part;
    }
    return done;
}

static inline tmsize_t ctiff_write(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle, (void)bytes, (void)count;
    return 0;
}

static inline toff_t ctiff_seek(thandle_t handle, toff_t offset, int whence) {
    struct ctiff_file *file = handle;
    if (whence == SEEK_CUR) offset += file->place;
    else if (whence == SEEK_END) offset += file->length;
    // Beyond the end nothing is read.
    file->place = offset < (UINT64_C(1) << 62) ? offset : file->length;
    return file->place;
}

static inline int ctiff_close(thandle_t handle) {
    (void)handle;
    return 0;
}

static inline toff_t ctiff_size(thandle_t handle) { return ((struct ctiff_file *)handle)->length; }

static inline int ctiff_drop(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)data, (void)module, (void)format, (void)arguments;
    return 1;
}

/// Opens a file for reading, without mapping it; NULL where it is no TIFF. What libtiff says of it is dropped, since it
/// may hold what stands in the file. `limit`: bytes of memory that one allocation may have.
static inline TIFF *ctiff_open(struct ctiff_file *file, tmsize_t limit) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, limit);
    TIFFOpenOptionsSetErrorHandlerExtR(options, ctiff_drop, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ctiff_drop, NULL);
    TIFF *tiff = TIFFClientOpenExt(
        "document", "rm", file, ctiff_read, ctiff_write, ctiff_seek, ctiff_close, ctiff_size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

/// A field of one number, or its default; 0 where there is neither.
static inline uint32_t ctiff_number(TIFF *tiff, uint32_t tag) {
    uint32_t number = 0;
    if (tag == TIFFTAG_IMAGEWIDTH || tag == TIFFTAG_IMAGELENGTH || tag == TIFFTAG_SUBFILETYPE || tag == TIFFTAG_ROWSPERSTRIP
        || tag == TIFFTAG_TILELENGTH) {
        return TIFFGetFieldDefaulted(tiff, tag, &number) ? number : 0;
    }
    uint16_t small = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &small) ? small : 0;
}

/// The pixels per unit across and down; 0 where they are not stated.
static inline float ctiff_resolution(TIFF *tiff, uint32_t tag) {
    float resolution = 0;
    return TIFFGetField(tiff, tag, &resolution) ? resolution : 0;
}

/// What draws a directory's rows in its own order, and its reader's state; NULL where libtiff cannot draw it.
static inline TIFFRGBAImage *ctiff_image(TIFF *tiff) {
    char reason[1024];
    TIFFRGBAImage *image = calloc(1, sizeof *image);
    if (image == NULL) return NULL;
    if (!TIFFRGBAImageOK(tiff, reason) || !TIFFRGBAImageBegin(image, tiff, 1, reason)) {
        free(image);
        return NULL;
    }
    image->req_orientation = image->orientation;
    return image;
}

/// Draws some rows from the one on.
static inline int ctiff_rows(TIFFRGBAImage *image, int first, uint32_t *pixels, uint32_t count) {
    image->row_offset = first;
    return TIFFRGBAImageGet(image, pixels, image->width, count);
}

static inline void ctiff_end(TIFFRGBAImage *image) {
    TIFFRGBAImageEnd(image);
    free(image);
}
