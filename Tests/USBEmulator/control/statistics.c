#include "../bus/attachment.h"
#include "../bus/bus.h"
#include "../bus/claims.h"
#include "../http/http.h"
#include "../printer/printer.h"
#include "commands.h"

static void describe_device(const struct device *device, GString *answer) {
    const struct attachment *attachment = device->attachment;
    g_string_append_printf(answer, " plugged=%d port=%s address=%u opens=%u plugs=%u resets=%u", attachment != NULL, device->port,
        attachment != NULL ? attachment->number : 0, device->opens, device->plugs, device->resets);
}

static void describe_printer(const struct printer *printer, GString *answer) {
    g_string_append_printf(answer,
        " processed=%" G_GUINT64_FORMAT " printed=%" G_GUINT64_FORMAT " waiting=%u lost=%" G_GUINT64_FORMAT
        " cuts=%u drawer-kicks=%u initialisations=%u unread=%u",
        printer->processed, printer->printed, printer->buffer->len, printer->lost, printer->cuts, printer->drawer_kicks,
        printer->initialisations, printer->answers->len);
    g_string_append(answer, " pauses=");
    for (unsigned i = 0; i < printer->pauses->len; i++) {
        const struct pause *pause = &g_array_index(printer->pauses, struct pause, i);
        g_string_append_printf(answer, "%s%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT, i > 0 ? "," : "", pause->position, pause->microseconds);
    }
    for (int condition = 0; condition < CONDITION_COUNT; condition++) {
        if (printer->conditions.on[condition]) g_string_append_printf(answer, " %s=1", condition_name(condition));
    }
}

void statistics_describe(struct interface *interface, GString *answer) {
    struct device *device = interface->device;
    unsigned pending = device->attachment != NULL ? device->attachment->pending.length + device->attachment->held.length : 0;
    claims_forget_closed(device, peer_is_connected);
    const char *driver = claim_driver(interface);
    describe_device(device, answer);
    g_string_append_printf(answer,
        " alternate=%u driver=%s claims=%u releases=%u pending=%u taken=%" G_GUINT64_FORMAT " given=%" G_GUINT64_FORMAT
        " transfers=%u refused=%u zero-packets=%" G_GUINT64_FORMAT
        " soft-resets=%u clear-halts=%u alternate-settings=%u out-halted=%d in-halted=%d http-connections=%u",
        interface->alternate, driver != NULL ? driver : "none", interface->claims, interface->releases, pending, interface->taken,
        interface->given, interface->transfers.count, interface->refused, interface->zero_packets, interface->soft_resets, interface->clear_halts,
        interface->alternate_settings, interface->out_is_halted, interface->in_is_halted, interface->http->connections);
    describe_printer(interface->printer, answer);
}

void statistics_list_bus(GString *answer) {
    for (unsigned i = 0; i < bus.devices->len; i++) {
        const struct device *device = g_ptr_array_index(bus.devices, i);
        g_string_append_printf(answer, " %u=%04x:%04x@%s", i, device->vendor, device->product,
            device->attachment != NULL ? device->port : "unplugged");
    }
}
