#pragma once

#include <cairo-pdf.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-fontmap.h>

// Casts and flags that are macros, which Swift does not see.

/// A font map of cairo's FreeType backend that takes its fonts from `config`; NULL without that backend.
static inline PangoFontMap *cpango_font_map(FcConfig *config) {
    PangoFontMap *map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    if (map == NULL) return NULL;
    pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(map), config);
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(map), 72);
    return map;
}

/// The character that a glyph stands for where no font has it; 0 where one has.
static inline uint32_t cpango_unknown(PangoGlyph glyph) {
    return glyph & PANGO_GLYPH_UNKNOWN_FLAG && glyph != PANGO_GLYPH_EMPTY ? glyph & ~PANGO_GLYPH_UNKNOWN_FLAG : 0;
}

/// A glyph that draws nothing.
static inline PangoGlyph cpango_empty(void) { return PANGO_GLYPH_EMPTY; }

static inline GLogWriterOutput cpango_drop(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
    (void)level, (void)fields, (void)count, (void)data;
    return G_LOG_WRITER_HANDLED;
}

/// Lets GLib say nothing: what it says may hold what is drawn.
static inline void cpango_be_silent(void) { g_log_set_writer_func(cpango_drop, NULL, NULL); }
