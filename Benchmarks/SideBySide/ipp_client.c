// A till's IPP client that keeps its connection: prints receipts to an IPP printer, directly or through CUPS.
//
//   ipp_client URI FORMAT FILE
//
// It reads orders from standard input and replies to each with one line; times are CLOCK_MONOTONIC nanoseconds.
//
//   print LABEL        sends FILE with LABEL in the place of its first ######       → "BEGUN ANSWERED JOB-ID BUSY-ANSWERS"
//   many FIRST COUNT   the same for COUNT receipts, one after the other              → "BEGUN ANSWERED LAST-JOB-ID BUSY-ANSWERS"
//   watch JOB-ID       asks every 2 ms until the job is completed                    → "KNOWN"
//
// "busy" (0x0507) is what a one-job-at-a-time printer responds with while it prints; it is asked again after 0.2 ms.
#include <cups/cups.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *uri, *format;
static char resource[1024];
static http_t *connection;
static char *document;
static size_t document_length;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void give_up(const char *what) {
    fprintf(stderr, "ipp_client: %s: %s\n", what, cupsLastErrorString());
    exit(1);
}

static void read_document(const char *path) {
    FILE *file = fopen(path, "rb");
    document = malloc(1 << 20);
    if (!file || !document || (document_length = fread(document, 1, 1 << 20, file)) == 0) give_up(path);
    fclose(file);
}

static ipp_t *new_request(ipp_op_t operation) {
    ipp_t *request = ippNewRequest(operation);
    ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_URI, "printer-uri", NULL, uri);
    return request;
}

// Sends one receipt; the printer's job-id, and how often it was busy before.
static int print_one(const char *label, int *busy) {
    for (;;) {
        ipp_t *request = new_request(IPP_OP_PRINT_JOB);
        ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_NAME, "requesting-user-name", NULL, "till");
        ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_NAME, "job-name", NULL, label);
        ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_MIMETYPE, "document-format", NULL, format);
        http_status_t status = cupsSendRequest(connection, request, resource, ippLength(request) + document_length);
        if (status == HTTP_STATUS_CONTINUE) status = cupsWriteRequestData(connection, document, document_length);
        ipp_t *response = status == HTTP_STATUS_CONTINUE ? cupsGetResponse(connection, resource) : NULL;
        ippDelete(request);
        if (!response) {
            // The other side closed the connection that was kept: what a till does is to connect anew.
            if (httpReconnect2(connection, 5000, NULL)) give_up("connect");
            continue;
        }
        ipp_status_t code = ippGetStatusCode(response);
        int job = ippGetInteger(ippFindAttribute(response, "job-id", IPP_TAG_INTEGER), 0);
        ippDelete(response);
        if (code == IPP_STATUS_ERROR_BUSY) {
            ++*busy;
            usleep(200);
        } else if (code > IPP_STATUS_OK_CONFLICTING || job == 0) {
            fprintf(stderr, "ipp_client: Print-Job: %s\n", ippErrorString(code));
            exit(1);
        } else {
            return job;
        }
    }
}

static void print_many(int first, int count) {
    int busy = 0, job = 0;
    char *place = memmem(document, document_length, "######", 6);
    if (!place) give_up("the document has no ###### for its label");
    long long begun = now();
    for (int number = first; number < first + count; ++number) {
        char label[16];
        snprintf(label, sizeof label, "%06d", number % 1000000);
        memcpy(place, label, 6);
        job = print_one(label, &busy);
    }
    long long responded = now();
    memcpy(place, "######", 6);
    printf("%lld %lld %d %d\n", begun, responded, job, busy);
}

static void watch(int job) {
    static const char *const wanted[] = {"job-state"};
    for (;;) {
        ipp_t *request = new_request(IPP_OP_GET_JOB_ATTRIBUTES);
        ippAddInteger(request, IPP_TAG_OPERATION, IPP_TAG_INTEGER, "job-id", job);
        ippAddStrings(request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "requested-attributes", 1, NULL, wanted);
        ipp_t *response = cupsDoRequest(connection, request, resource);
        if (!response) give_up("Get-Job-Attributes");
        int state = ippGetInteger(ippFindAttribute(response, "job-state", IPP_TAG_ENUM), 0);
        ippDelete(response);
        if (state == IPP_JSTATE_COMPLETED) break;
        if (state > IPP_JSTATE_STOPPED) give_up("the job ended without being printed");
        usleep(2000);
    }
    printf("%lld\n", now());
}

int main(int count, char **arguments) {
    char scheme[32], user[64], host[256], line[128];
    int port, first, number;
    if (count != 4) {
        fprintf(stderr, "usage: ipp_client URI FORMAT FILE\n");
        return 64;
    }
    uri = arguments[1];
    format = arguments[2];
    read_document(arguments[3]);
    if (httpSeparateURI(HTTP_URI_CODING_ALL, uri, scheme, sizeof scheme, user, sizeof user, host, sizeof host, &port, resource,
                        sizeof resource) < HTTP_URI_STATUS_OK)
        give_up(uri);
    connection = httpConnect2(host, port, NULL, AF_INET, HTTP_ENCRYPTION_NEVER, 1, 5000, NULL);
    if (!connection) give_up("connect");
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "print %d", &first) == 1) print_many(first, 1);
        else if (sscanf(line, "many %d %d", &first, &number) == 2) print_many(first, number);
        else if (sscanf(line, "watch %d", &number) == 1) watch(number);
        else give_up("unknown order");
        fflush(stdout);
    }
    return 0;
}
