#pragma once

// PDFium is loaded at run time: Debian has no package of it, and only the program that draws pages is to have it in its
// memory. These are declarations of our own of that part of its C API that is used (fpdfview.h, fpdf_edit.h,
// fpdf_annot.h, fpdf_formfill.h, fpdf_flatten.h, fpdf_transformpage.h); it has been stable for a decade.

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct cpdfium_document_t *cpdfium_document;
typedef struct cpdfium_page_t *cpdfium_page;
typedef struct cpdfium_bitmap_t *cpdfium_bitmap;
typedef struct cpdfium_object_t *cpdfium_object;
typedef struct cpdfium_annotation_t *cpdfium_annotation;
typedef struct cpdfium_form_t *cpdfium_form;

/// FS_SIZEF.
struct cpdfium_size { float width, height; };
/// FS_MATRIX.
struct cpdfium_matrix { float a, b, c, d, e, f; };
/// FS_RECTF. `top` is the smaller number for bitmaps, and the larger one for pages.
struct cpdfium_rectangle { float left, top, right, bottom; };

/// FPDF_FILEACCESS: `read` returns 0 where not all bytes could be read.
struct cpdfium_file {
    unsigned long length;
    int (*read)(void *context, unsigned long position, unsigned char *bytes, unsigned long count);
    void *context;
};

/// FPDF_FORMFILLINFO of version 2, without any callback: forms are drawn, not filled in. Longer than the library's own.
struct cpdfium_form_environment {
    int version;
    void *callbacks[64];
};

/// FPDF_LIBRARY_CONFIG of version 2.
struct cpdfium_configuration {
    int version;
    const char **font_folders;
    void *isolate;
    unsigned embedder_slot;
};

// fpdfview.h: FPDF_ERR_*, FPDFBitmap_*, the flags of rendering. fpdf_edit.h: FPDF_PAGEOBJ_*. fpdf_annot.h: FPDF_ANNOT_*.
// fpdf_formfill.h: FORMTYPE_*. fpdfview.h: FPDF_DUPLEXTYPE.
enum { CPDFIUM_ERROR_FILE = 2, CPDFIUM_ERROR_FORMAT, CPDFIUM_ERROR_PASSWORD, CPDFIUM_ERROR_SECURITY, CPDFIUM_ERROR_PAGE };
enum { CPDFIUM_GRAY = 1, CPDFIUM_BGR };
enum {
    CPDFIUM_ANNOTATIONS = 0x01, CPDFIUM_RGB_ORDER = 0x10, CPDFIUM_PRINTING = 0x800,
    CPDFIUM_NO_SMOOTH_TEXT = 0x1000, CPDFIUM_NO_SMOOTH_PATH = 0x4000
};
enum { CPDFIUM_TEXT = 1, CPDFIUM_PATH, CPDFIUM_IMAGE, CPDFIUM_SHADING, CPDFIUM_FORM };
enum { CPDFIUM_ANNOTATION_LINK = 2, CPDFIUM_ANNOTATION_POPUP = 16 };
enum { CPDFIUM_FORMS_NONE = 0, CPDFIUM_FORMS_ACRO, CPDFIUM_FORMS_XFA_FULL, CPDFIUM_FORMS_XFA_FOREGROUND };
enum { CPDFIUM_DUPLEX_UNDEFINED = 0, CPDFIUM_SIMPLEX, CPDFIUM_DUPLEX_SHORT_EDGE, CPDFIUM_DUPLEX_LONG_EDGE };
enum { CPDFIUM_FLATTEN_FAILED = 0, CPDFIUM_FLATTENED, CPDFIUM_NOTHING_TO_FLATTEN };
enum { CPDFIUM_FLATTEN_FOR_PRINTING = 1 };

/// The functions of the library that are used, each under its own name.
struct cpdfium_library {
    void (*FPDF_InitLibraryWithConfig)(const struct cpdfium_configuration *);
    unsigned long (*FPDF_GetLastError)(void);
    cpdfium_document (*FPDF_LoadCustomDocument)(struct cpdfium_file *, const char *password);
    cpdfium_document (*FPDF_LoadMemDocument64)(const void *bytes, size_t count, const char *password);
    void (*FPDF_CloseDocument)(cpdfium_document);
    int (*FPDF_GetPageCount)(cpdfium_document);
    int (*FPDF_GetPageSizeByIndexF)(cpdfium_document, int index, struct cpdfium_size *);
    int (*FPDF_GetFormType)(cpdfium_document);
    int (*FPDF_VIEWERREF_GetPrintScaling)(cpdfium_document);
    int (*FPDF_VIEWERREF_GetNumCopies)(cpdfium_document);
    int (*FPDF_VIEWERREF_GetDuplex)(cpdfium_document);
    cpdfium_page (*FPDF_LoadPage)(cpdfium_document, int index);
    void (*FPDF_ClosePage)(cpdfium_page);
    int (*FPDF_GetPageBoundingBox)(cpdfium_page, struct cpdfium_rectangle *);
    int (*FPDFPage_GetRotation)(cpdfium_page);
    int (*FPDFPage_Flatten)(cpdfium_page, int usage);
    int (*FPDFPage_CountObjects)(cpdfium_page);
    cpdfium_object (*FPDFPage_GetObject)(cpdfium_page, int index);
    int (*FPDFPageObj_GetType)(cpdfium_object);
    int (*FPDFPageObj_GetBounds)(cpdfium_object, float *left, float *bottom, float *right, float *top);
    int (*FPDFPageObj_GetMatrix)(cpdfium_object, struct cpdfium_matrix *);
    int (*FPDFPageObj_GetFillColor)(cpdfium_object, unsigned *, unsigned *, unsigned *, unsigned *);
    int (*FPDFFormObj_CountObjects)(cpdfium_object);
    cpdfium_object (*FPDFFormObj_GetObject)(cpdfium_object, unsigned long index);
    int (*FPDFImageObj_GetImagePixelSize)(cpdfium_object, unsigned *width, unsigned *height);
    int (*FPDFPage_GetAnnotCount)(cpdfium_page);
    cpdfium_annotation (*FPDFPage_GetAnnot)(cpdfium_page, int index);
    int (*FPDFAnnot_GetSubtype)(cpdfium_annotation);
    void (*FPDFPage_CloseAnnot)(cpdfium_annotation);
    cpdfium_form (*FPDFDOC_InitFormFillEnvironment)(cpdfium_document, struct cpdfium_form_environment *);
    void (*FPDFDOC_ExitFormFillEnvironment)(cpdfium_form);
    void (*FORM_OnAfterLoadPage)(cpdfium_page, cpdfium_form);
    void (*FORM_OnBeforeClosePage)(cpdfium_page, cpdfium_form);
    cpdfium_bitmap (*FPDFBitmap_CreateEx)(int width, int height, int format, void *bytes, int stride);
    void (*FPDFBitmap_Destroy)(cpdfium_bitmap);
    void (*FPDF_RenderPageBitmapWithMatrix)(
        cpdfium_bitmap, cpdfium_page, const struct cpdfium_matrix *, const struct cpdfium_rectangle *, int flags);
};

/// Loads the library from this path for good. Returns NULL, or why it cannot be used.
static inline const char *cpdfium_load(const char *path, struct cpdfium_library *library) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return dlerror();
#define CPDFIUM_FIND(name) \
    if ((library->name = (__typeof__(library->name))dlsym(handle, #name)) == NULL) return "it has no function " #name
    CPDFIUM_FIND(FPDF_InitLibraryWithConfig);
    CPDFIUM_FIND(FPDF_GetLastError);
    CPDFIUM_FIND(FPDF_LoadCustomDocument);
    CPDFIUM_FIND(FPDF_LoadMemDocument64);
    CPDFIUM_FIND(FPDF_CloseDocument);
    CPDFIUM_FIND(FPDF_GetPageCount);
    CPDFIUM_FIND(FPDF_GetPageSizeByIndexF);
    CPDFIUM_FIND(FPDF_GetFormType);
    CPDFIUM_FIND(FPDF_VIEWERREF_GetPrintScaling);
    CPDFIUM_FIND(FPDF_VIEWERREF_GetNumCopies);
    CPDFIUM_FIND(FPDF_VIEWERREF_GetDuplex);
    CPDFIUM_FIND(FPDF_LoadPage);
    CPDFIUM_FIND(FPDF_ClosePage);
    CPDFIUM_FIND(FPDF_GetPageBoundingBox);
    CPDFIUM_FIND(FPDFPage_GetRotation);
    CPDFIUM_FIND(FPDFPage_Flatten);
    CPDFIUM_FIND(FPDFPage_CountObjects);
    CPDFIUM_FIND(FPDFPage_GetObject);
    CPDFIUM_FIND(FPDFPageObj_GetType);
    CPDFIUM_FIND(FPDFPageObj_GetBounds);
    CPDFIUM_FIND(FPDFPageObj_GetMatrix);
    CPDFIUM_FIND(FPDFPageObj_GetFillColor);
    CPDFIUM_FIND(FPDFFormObj_CountObjects);
    CPDFIUM_FIND(FPDFFormObj_GetObject);
    CPDFIUM_FIND(FPDFImageObj_GetImagePixelSize);
    CPDFIUM_FIND(FPDFPage_GetAnnotCount);
    CPDFIUM_FIND(FPDFPage_GetAnnot);
    CPDFIUM_FIND(FPDFAnnot_GetSubtype);
    CPDFIUM_FIND(FPDFPage_CloseAnnot);
    CPDFIUM_FIND(FPDFDOC_InitFormFillEnvironment);
    CPDFIUM_FIND(FPDFDOC_ExitFormFillEnvironment);
    CPDFIUM_FIND(FORM_OnAfterLoadPage);
    CPDFIUM_FIND(FORM_OnBeforeClosePage);
    CPDFIUM_FIND(FPDFBitmap_CreateEx);
    CPDFIUM_FIND(FPDFBitmap_Destroy);
    CPDFIUM_FIND(FPDF_RenderPageBitmapWithMatrix);
#undef CPDFIUM_FIND
    return NULL;
}

/// What a document is read from: bytes in memory, then a part of a file, then bytes in memory. The first and the last may
/// be empty.
struct cpdfium_source {
    const unsigned char *prefix, *suffix;
    unsigned long prefix_length, suffix_length;
    int descriptor;
    unsigned long file_length;
};

static inline int cpdfium_read_file(int descriptor, unsigned long position, unsigned char *bytes, unsigned long count) {
    while (count > 0) {
        ssize_t part = pread(descriptor, bytes, count, (off_t)position);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return 0;
        bytes += part;
        position += (unsigned long)part;
        count -= (unsigned long)part;
    }
    return 1;
}

/// Reads all these bytes of a source (`context`); 0 where they are not all there.
static inline int cpdfium_read(void *context, unsigned long position, unsigned char *bytes, unsigned long count) {
    const struct cpdfium_source *source = context;
    const unsigned long lengths[] = {source->prefix_length, source->file_length, source->suffix_length};
    for (int part = 0; part < 3 && count > 0; ++part) {
        if (position >= lengths[part]) {
            position -= lengths[part];
            continue;
        }
        unsigned long length = lengths[part] - position;
        if (length > count) length = count;
        if (part == 0) memcpy(bytes, source->prefix + position, length);
        else if (part == 2) memcpy(bytes, source->suffix + position, length);
        else if (!cpdfium_read_file(source->descriptor, position, bytes, length)) return 0;
        bytes += length;
        count -= length;
        position = 0;
    }
    return count == 0;
}

/// The length of a regular file in `*length`. Returns 0 or an errno value.
static inline int cpdfium_file_length(int descriptor, unsigned long *length) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return EINVAL;
    *length = (unsigned long)status.st_size;
    return 0;
}
