// An HTTP server that has nothing: every request is answered 404 as soon as its head is there, and its body is swallowed.
#include <stdlib.h>
#include <string.h>

#include "http.h"

static const char response[] = "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nnot found\n";

void refusal_reset(struct refusal *refusal) {
    g_byte_array_set_size(refusal->head, 0);
    refusal->body = 0;
    refusal->is_chunked = false;
}

// The value of a header, in a head that ends with NUL; NULL when it is not there.
static char *header(const char *head, const char *name) {
    g_auto(GStrv) lines = g_strsplit(head, "\r\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        char *colon = strchr(*line, ':');
        if (colon == NULL) continue;
        *colon = 0;
        if (g_ascii_strcasecmp(*line, name) == 0) return g_strdup(g_strstrip(colon + 1));
    }
    return NULL;
}

static void begin_body(struct refusal *refusal, const char *head) {
    g_autofree char *length = header(head, "Content-Length");
    g_autofree char *encoding = header(head, "Transfer-Encoding");
    refusal->is_chunked = encoding != NULL && strstr(encoding, "chunked") != NULL;
    refusal->body = length != NULL && !refusal->is_chunked ? strtoull(length, NULL, 10) : 0;
}

// A line of a chunked body: its length in hex. The line's end after each chunk's data is counted with the data; the last
// chunk is empty, and the empty line after it ends the body.
static void begin_chunk(struct refusal *refusal, const char *line) {
    uint64_t length = strtoull(line, NULL, 16);
    refusal->body = length + 2;
    if (length == 0) refusal->is_chunked = false;
}

void refusal_take(struct refusal *refusal, const uint8_t *bytes, size_t count, GByteArray *responses) {
    for (size_t i = 0; i < count;) {
        if (refusal->body > 0) {
            size_t step = MIN(refusal->body, count - i);
            refusal->body -= step;
            i += step;
            continue;
        }
        g_byte_array_append(refusal->head, bytes + i++, 1);
        const char *end = refusal->is_chunked ? "\r\n" : "\r\n\r\n";
        size_t length = refusal->head->len, end_length = strlen(end);
        if (length < end_length || memcmp(refusal->head->data + length - end_length, end, end_length) != 0) continue;
        g_byte_array_append(refusal->head, (const guint8 *)"", 1);
        const char *head = (const char *)refusal->head->data;
        if (refusal->is_chunked) {
            begin_chunk(refusal, head);
        } else {
            begin_body(refusal, head);
            g_byte_array_append(responses, (const guint8 *)response, sizeof response - 1);
        }
        g_byte_array_set_size(refusal->head, 0);
    }
}
