// ICU's data, empty, for kioskd.
//
// Linked statically, full Foundation brings ICU's tables of languages, calendars and time zones: 34 MB, more than all else
// of the daemon. Full Foundation comes with GRDB and Yams, and nothing that the daemon does with them reads these tables.
// The linker takes the symbol from here, and so leaves the archive's member with the tables out. This is what ICU calls
// "stub data" (icu4c/source/stubdata): a common data file with an empty table of contents. What ICU has as code (properties
// of characters, upper and lower case, regular expressions) works without data.
//
// Hidden, so that a program which loads Foundation as a shared library keeps that one's own data.
#include <stdint.h>

// udata.h, UDataInfo; ucmndata.h, DataHeader and "ToCP" format 1.
struct empty_common_data {
    uint16_t header_size;
    uint8_t magic1, magic2;
    uint16_t info_size, info_reserved;
    uint8_t is_big_endian, charset_family, size_of_uchar, reserved_byte;
    uint8_t data_format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t count, reserved;
    uint32_t no_entry[4];
};
_Static_assert(sizeof(struct empty_common_data) == 32 + 8 + 16, "the header has 32 bytes, and the entries follow");

#define EMPTY_DATA(version)                                                                           \
    __attribute__((visibility("hidden"), aligned(16))) const struct empty_common_data                 \
        icudt##version##_dat = {                                                                      \
            .header_size = 32, .magic1 = 0xda, .magic2 = 0x27, .info_size = 20,                       \
            .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, .size_of_uchar = 2,              \
            .data_format = {'T', 'o', 'C', 'P'}, .format_version = {1}}

// The symbol has ICU's version, which follows from the toolchain's.
EMPTY_DATA(74);
EMPTY_DATA(75);
EMPTY_DATA(76);
EMPTY_DATA(77);
EMPTY_DATA(78);
