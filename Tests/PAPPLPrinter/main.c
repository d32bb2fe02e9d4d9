// A printer on PAPPL, the printer framework that LPrint and most printer applications are built on. Its IPP server, its
// queue and its reading of raster files are PAPPL's; what it puts on paper are files in a folder:
//
//   pappl-printer PORT FOLDER DRIVER
//
// FOLDER/paper/run-R-job-N-page-P.pgm   a page of a raster document, as PAPPL gave it to the driver (PGM, 255 is white)
// FOLDER/paper/run-R-job-N.raw          a document in the printer's own language, application/vnd.test-commands
// FOLDER/hold                           while it is there, a job stops before its first row or byte, and says so
// FOLDER/reasons                        its words are the printer's state reasons (media-empty, cover-open, media-low)
//
// R is the process: PAPPL counts its jobs anew in each.
//
// DRIVER is "receipt", a roll of 80 mm with lengths up to a metre, or "label", sheets of 4 by 6 inches without a range.
#include <pappl/pappl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *folder;

// Both are read by whoever looks into the folder: what is there is whole.
static FILE *paper;
static char paper_name[1024];

static bool open_paper(const char *name) {
    snprintf(paper_name, sizeof(paper_name), "%s/paper/run-%d-%s", folder, (int)getpid(), name);
    char part[sizeof(paper_name) + 8];
    snprintf(part, sizeof(part), "%s.part", paper_name);
    return (paper = fopen(part, "w")) != NULL;
}

static bool close_paper(void) {
    char part[sizeof(paper_name) + 8];
    snprintf(part, sizeof(part), "%s.part", paper_name);
    bool is_written = fclose(paper) == 0;
    paper = NULL;
    return is_written && rename(part, paper_name) == 0;
}

static pappl_preason_t reasons(void) {
    static const struct {
        const char *word;
        pappl_preason_t reason;
    } known[] = {{"media-empty", PAPPL_PREASON_MEDIA_EMPTY},
                 {"media-low", PAPPL_PREASON_MEDIA_LOW},
                 {"cover-open", PAPPL_PREASON_COVER_OPEN}};
    char path[1024], words[1024];
    snprintf(path, sizeof(path), "%s/reasons", folder);
    FILE *file = fopen(path, "r");
    if (!file) return PAPPL_PREASON_NONE;
    words[fread(words, 1, sizeof(words) - 1, file)] = '\0';
    fclose(file);
    pappl_preason_t result = PAPPL_PREASON_NONE;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strstr(words, known[i].word)) result |= known[i].reason;
    }
    return result;
}

static bool update_status(pappl_printer_t *printer) {
    pappl_preason_t now = reasons();
    papplPrinterSetReasons(printer, now, PAPPL_PREASON_DEVICE_STATUS & ~now);
    return true;
}

// Waits as a driver does whose device takes no more data; false where the job was canceled meanwhile.
static bool wait_for_device(pappl_job_t *job) {
    char hold[1024];
    snprintf(hold, sizeof(hold), "%s/hold", folder);
    bool is_told = false;
    while (!papplJobIsCanceled(job)) {
        update_status(papplJobGetPrinter(job));
        bool is_stopped = reasons() & (PAPPL_PREASON_MEDIA_EMPTY | PAPPL_PREASON_COVER_OPEN);
        if (!is_stopped && access(hold, F_OK) != 0) return true;
        if (!is_told) fprintf(stderr, "the device of job %d waits\n", papplJobGetID(job));
        is_told = true;
        usleep(20000);
    }
    return false;
}

// MARK: The driver

static bool print_file(pappl_job_t *job, pappl_pr_options_t *options, pappl_device_t *device) {
    (void)options, (void)device;
    if (!wait_for_device(job)) return false;
    char name[64], bytes[65536];
    snprintf(name, sizeof(name), "job-%d.raw", papplJobGetID(job));
    FILE *document = fopen(papplJobGetFilename(job), "r");
    if (!document) return false;
    if (!open_paper(name)) {
        fclose(document);
        return false;
    }
    size_t count;
    while ((count = fread(bytes, 1, sizeof(bytes), document)) > 0) fwrite(bytes, 1, count, paper);
    fclose(document);
    papplJobSetImpressionsCompleted(job, 1);
    return close_paper();
}

static bool start_job(pappl_job_t *job, pappl_pr_options_t *options, pappl_device_t *device) {
    (void)options, (void)device;
    return wait_for_device(job);
}

static bool end_job(pappl_job_t *job, pappl_pr_options_t *options, pappl_device_t *device) {
    (void)job, (void)options, (void)device;
    return true;
}

static bool start_page(pappl_job_t *job, pappl_pr_options_t *options, pappl_device_t *device, unsigned page) {
    (void)device;
    if (!wait_for_device(job)) return false;
    char name[64];
    snprintf(name, sizeof(name), "job-%d-page-%u.pgm", papplJobGetID(job), page);
    if (!open_paper(name)) return false;
    fprintf(paper, "P5\n%u %u\n255\n", options->header.cupsWidth, options->header.cupsHeight);
    return true;
}

static bool write_line(pappl_job_t *job, pappl_pr_options_t *options, pappl_device_t *device, unsigned y,
                       const unsigned char *line) {
    (void)job, (void)device, (void)y;
    bool is_black = options->header.cupsColorSpace == CUPS_CSPACE_K;
    for (unsigned x = 0; x < options->header.cupsWidth; x++) putc(is_black ? 255 - line[x] : line[x], paper);
    return true;
}

static bool end_page(pappl_job_t *job, pappl_pr_options_t *options, pappl_device_t *device, unsigned page) {
    (void)job, (void)options, (void)device, (void)page;
    return close_paper();
}

static void identify(pappl_printer_t *printer, pappl_identify_actions_t actions, const char *message) {
    (void)printer;
    fprintf(stderr, "identify %u %s\n", (unsigned)actions, message ? message : "");
}

static void set_media(pappl_media_col_t *media, const char *name, int width, int length) {
    memset(media, 0, sizeof(*media));
    snprintf(media->size_name, sizeof(media->size_name), "%s", name);
    media->size_width = width;
    media->size_length = length;
    snprintf(media->source, sizeof(media->source), "main-roll");
    snprintf(media->type, sizeof(media->type), "continuous");
    media->tracking = PAPPL_MEDIA_TRACKING_CONTINUOUS;
}

static bool make_driver(pappl_system_t *system, const char *name, const char *uri, const char *device_id,
                        pappl_pr_driver_data_t *data, ipp_t **attributes, void *context) {
    (void)system, (void)uri, (void)device_id, (void)attributes, (void)context;
    bool is_receipt = !strcmp(name, "receipt");
    data->printfile_cb = print_file;
    data->rstartjob_cb = start_job;
    data->rendjob_cb = end_job;
    data->rstartpage_cb = start_page;
    data->rendpage_cb = end_page;
    data->rwriteline_cb = write_line;
    data->status_cb = update_status;
    data->identify_cb = identify;
    data->identify_default = PAPPL_IDENTIFY_ACTIONS_SOUND;
    data->identify_supported = PAPPL_IDENTIFY_ACTIONS_SOUND | PAPPL_IDENTIFY_ACTIONS_DISPLAY;
    data->format = "application/vnd.test-commands";
    snprintf(data->make_and_model, sizeof(data->make_and_model), "Test PAPPL %s", name);
    data->kind = is_receipt ? PAPPL_KIND_RECEIPT | PAPPL_KIND_ROLL : PAPPL_KIND_LABEL;
    data->ppm = 60;
    data->color_supported = PAPPL_COLOR_MODE_AUTO | PAPPL_COLOR_MODE_MONOCHROME;
    data->color_default = PAPPL_COLOR_MODE_MONOCHROME;
    data->raster_types = PAPPL_PWG_RASTER_TYPE_BLACK_8 | PAPPL_PWG_RASTER_TYPE_SGRAY_8;
    data->orient_default = IPP_ORIENT_NONE;
    data->quality_default = IPP_QUALITY_NORMAL;
    data->sides_supported = data->sides_default = PAPPL_SIDES_ONE_SIDED;
    data->num_resolution = 1;
    data->x_resolution[0] = data->y_resolution[0] = data->x_default = data->y_default = 203;
    data->num_source = 1;
    data->source[0] = "main-roll";
    data->num_type = 2;
    data->type[0] = "continuous";
    data->type[1] = "labels";
    data->tracking_supported = PAPPL_MEDIA_TRACKING_CONTINUOUS;
    if (is_receipt) {
        data->media[0] = "om_receipt-80_80x297mm";
        data->media[1] = "roll_max_80x1000mm";
        data->media[2] = "roll_min_48x10mm";
        data->num_media = 3;
        set_media(data->media_ready, data->media[0], 8000, 29700);
    } else {
        data->media[0] = "na_index-4x6_4x6in";
        data->num_media = 1;
        set_media(data->media_ready, data->media[0], 10160, 15240);
    }
    data->media_default = data->media_ready[0];
    return true;
}

int main(int argc, char *argv[]) {
    if (argc != 4) {
        fprintf(stderr, "usage: pappl-printer PORT FOLDER receipt|label\n");
        return 64;
    }
    folder = argv[2];
    char spool[1024];
    snprintf(spool, sizeof(spool), "%s/spool", folder);
    static pappl_pr_driver_t drivers[] = {{"receipt", "Test PAPPL receipt", NULL, NULL},
                                          {"label", "Test PAPPL label", NULL, NULL}};
    pappl_system_t *system = papplSystemCreate(PAPPL_SOPTIONS_NONE, "Test PAPPL", atoi(argv[1]), NULL, spool, "-",
                                               PAPPL_LOGLEVEL_DEBUG, NULL, false);
    if (!system) return 1;
    papplSystemSetHostName(system, "localhost");
    papplSystemAddListeners(system, "localhost");
    papplSystemSetPrinterDrivers(system, 2, drivers, NULL, NULL, make_driver, NULL);
    if (!papplPrinterCreate(system, 0, "Test", argv[3], "MFG:Test;MDL:PAPPL;CMD:PWGRaster,URF;", "file:///dev/null")) {
        return 1;
    }
    papplSystemRun(system);
    papplSystemDelete(system);
    return 0;
}
