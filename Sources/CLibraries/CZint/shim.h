#pragma once
#include <zint.h>

// Swift sees a two-dimensional array in a struct as a tuple of 28,800 bytes. One module: 1 is dark.
static inline int czint_module(const struct zint_symbol *symbol, int row, int column) {
    if (row < 0 || row >= symbol->rows || row >= 200 || column < 0 || column >= symbol->width || column >= 144 * 8) return 0;
    return symbol->encoded_data[row][column >> 3] >> (column & 7) & 1;
}

// A row's height in modules. Those of no height of their own share what the others leave.
static inline float czint_row_height(const struct zint_symbol *symbol, int row) {
    float rest = symbol->height;
    int count = 0;
    if (row < 0 || row >= symbol->rows || row >= 200) return 0;
    if (symbol->row_height[row] > 0) return symbol->row_height[row];
    for (int i = 0; i < symbol->rows && i < 200; i++) {
        rest -= symbol->row_height[i];
        if (symbol->row_height[i] <= 0) count++;
    }
    return rest > 0 ? rest / count : 0;
}

// Why it could not be encoded.
static inline const char *czint_error(const struct zint_symbol *symbol) { return symbol->errtxt; }
