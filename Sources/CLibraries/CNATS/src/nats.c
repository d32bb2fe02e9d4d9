// Copyright 2015-2024 The NATS Authors
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
// http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#include "natsp.h"
#if defined(NATS_HAS_STREAMING)
#include "stan/stanp.h"
#endif

#include "mem.h"
#include "glib/glib.h"
#include "sub.h"
#include "conn.h"
#include "msg.h"

#if defined(_WIN32) && _WIN32
#ifndef NATS_STATIC
BOOL WINAPI DllMain(HINSTANCE hinstDLL, // DLL module handle
     DWORD fdwReason,                   // reason called
     LPVOID lpvReserved)                // reserved
{
    switch (fdwReason)
    {
        // For applications linking dynamically NATS library,
        // release thread-local memory for user-created threads.
        // For portable applications, the user should manually call
        // nats_ReleaseThreadMemory() before the thread returns so
        // that no memory is leaked regardless if they link statically
        // or dynamically. It is safe to call nats_ReleaseThreadMemory()
        // twice for the same threads.
        case DLL_THREAD_DETACH:
        {
            nats_ReleaseThreadMemory();
            break;
        }
        default:
            break;
    }

    return TRUE;
    UNREFERENCED_PARAMETER(hinstDLL);
    UNREFERENCED_PARAMETER(lpvReserved);
}
#endif
#endif

static void _overwriteInt64(const char *envVar, int64_t *val)
{
    char *str = getenv(envVar);

    if (str != NULL)
    {
        int64_t num = (int64_t) atoll(str);
        if (num > 0)
            *val = num;
    }
}

static void _overwriteInt(const char *envVar, int *val)
{
    char *str = getenv(envVar);
    if (str != NULL)
    {
        int num = atoi(str);
        if (num > 0)
            *val = num;
    }
}

static void _overwriteBool(const char *envVar, bool *val)
{
    char *str = getenv(envVar);
    // Any value means enabled. User should "unset" the environment variable to disable.
    if (str != NULL)
        *val = true;
}

static void _overrideWithEnv(natsClientConfig *config)
{
    _overwriteInt64("NATS_DEFAULT_LIB_WRITE_DEADLINE", &config->DefaultWriteDeadline);
    _overwriteBool("NATS_DEFAULT_TO_LIB_MSG_DELIVERY", &config->DefaultToThreadPool);
    _overwriteInt("NATS_DEFAULT_LIB_MSG_DELIVERY_POOL_SIZE", &config->ThreadPoolMax);
}

natsStatus
nats_Open(int64_t lockSpinCount)
{
    natsClientConfig config = {
        .LockSpinCount = lockSpinCount,
        .DefaultToThreadPool = false,
        .ThreadPoolMax = 1,
        .DefaultRepliesToThreadPool = false,
        .ReplyThreadPoolMax = 0,
    };
    _overrideWithEnv(&config);

    return nats_openLib(&config);
}

natsStatus
nats_OpenWithConfig(natsClientConfig *config)
{
    if (config == NULL)
        return nats_Open(-1);

    return nats_openLib(config);
}

natsStatus
natsInbox_Create(natsInbox **newInbox)
{
    natsStatus  s;
    char        *inbox = NULL;
    const int   size   = NATS_DEFAULT_INBOX_PRE_LEN + NUID_BUFFER_LEN + 1;

    s = nats_Open(-1);
    if (s != NATS_OK)
        return s;

    inbox = NATS_MALLOC(size);
    if (inbox == NULL)
        return nats_setDefaultError(NATS_NO_MEMORY);

    memcpy(inbox, NATS_DEFAULT_INBOX_PRE, NATS_DEFAULT_INBOX_PRE_LEN);
    s = natsNUID_Next(inbox + NATS_DEFAULT_INBOX_PRE_LEN, NUID_BUFFER_LEN + 1);
    if (s == NATS_OK)
    {
        inbox[size-1] = '\0';
        *newInbox = (natsInbox*) inbox;
    }
    else
        NATS_FREE(inbox);
    return NATS_UPDATE_ERR_STACK(s);
}

void
natsInbox_Destroy(natsInbox *inbox)
{
    if (inbox == NULL)
        return;

    NATS_FREE(inbox);
}

void
nats_Close(void)
{
    nats_closeLib(false, true);
}

natsStatus
nats_CloseAndWait(int64_t timeout)
{
    return nats_closeLib(true, timeout);
}

const char*
nats_GetVersion(void)
{
    return LIB_NATS_VERSION_STRING;
}

uint32_t
nats_GetVersionNumber(void)
{
    return LIB_NATS_VERSION_NUMBER;
}

static void
_versionGetString(char *buffer, size_t bufLen, uint32_t verNumber)
{
    snprintf(buffer, bufLen, "%u.%u.%u",
             ((verNumber >> 16) & 0xF),
             ((verNumber >> 8) & 0xF),
             (verNumber & 0xF));
}

bool
nats_CheckCompatibilityImpl(uint32_t headerReqVerNumber, uint32_t headerVerNumber,
                            const char *headerVerString)
{
    if ((headerVerNumber < LIB_NATS_VERSION_REQUIRED_NUMBER)
        || (headerReqVerNumber > LIB_NATS_VERSION_NUMBER))
    {
        char reqVerString[10];
        char libReqVerString[10];

        _versionGetString(reqVerString, sizeof(reqVerString), headerReqVerNumber);
        _versionGetString(libReqVerString, sizeof(libReqVerString), NATS_VERSION_REQUIRED_NUMBER);

        printf("Incompatible versions:\n" \
               "Header : %s (requires %s)\n" \
               "Library: %s (requires %s)\n",
               headerVerString, reqVerString,
               NATS_VERSION_STRING, libReqVerString);
        exit(1);
    }

    return true;
}

natsStatus
nats_SetMessageDeliveryPoolSize(int max)
{
    natsStatus          s = NATS_OK;

    // Ensure the library is loaded
    s = nats_Open(-1);
    if (s != NATS_OK)
        return s;

    s = nats_setMessageDispatcherPoolCap(max);
    return NATS_UPDATE_ERR_STACK(s);
}

void
natsHeader_Destroy(natsHeader *nh)
{
    natsStrHashIter iter;
    natsStrHash     *h;
    void            *p = NULL;

    if (nh == NULL)
        return;

    h = (natsStrHash*) nh;
    natsStrHashIter_Init(&iter, h);
    for (;natsStrHashIter_Next(&iter, NULL, &p);)
    {
        natsHeaderValue *v = (natsHeaderValue *)p;
        natsHeaderValue_free(v, true);
    }
    natsStrHash_Destroy(h);
}

natsStatus
natsHeader_New(natsHeader **new_header)
{
    natsStatus s;

    if (new_header == NULL)
        return nats_setDefaultError(NATS_INVALID_ARG);

    s = natsStrHash_Create((natsStrHash**) new_header, 4);
    return NATS_UPDATE_ERR_STACK(s);
}

natsStatus
natsHeader_Set(natsHeader *nh, const char *key, const char *value)
{
    natsStatus      s  = NATS_OK;
    natsHeaderValue *v = NULL;
    natsStrHash     *h = NULL;

    // Value can be empty, but not NULL.
    if ((nh == NULL) || nats_IsStringEmpty(key) || (value == NULL))
        return nats_setDefaultError(NATS_INVALID_ARG);

    h = (natsStrHash*) nh;
    s = natsHeaderValue_create(&v, value, true);
    if (s == NATS_OK)
    {
        void *p = NULL;

        s = natsStrHash_Set(h, (char*) key, true, (void*) v, &p);
        if (s != NATS_OK)
            natsHeaderValue_free(v, false);
        else if (p != NULL)
        {
            natsHeaderValue *old = (natsHeaderValue*) p;
            natsHeaderValue_free(old, true);
        }
    }
    return NATS_UPDATE_ERR_STACK(s);
}

natsStatus
natsHeader_Add(natsHeader *nh, const char *key, const char *value)
{
    natsStatus      s;
    natsHeaderValue *v = NULL;
    natsStrHash     *h = NULL;

    // Value can be empty, but not NULL.
    if ((nh == NULL) || nats_IsStringEmpty(key) || (value == NULL))
        return nats_setDefaultError(NATS_INVALID_ARG);

    h = (natsStrHash*) nh;
    s = natsHeaderValue_create(&v, value, true);
    if (s == NATS_OK)
    {
        natsHeaderValue *cur = natsStrHash_Get(h, (char*) key);
        if (cur != NULL)
        {
            for (; cur->next != NULL; )
                cur = cur->next;

            cur->next = v;
        }
        else
            s = natsStrHash_Set(h, (char*) key, true, (void*) v, NULL);
    }
    return NATS_UPDATE_ERR_STACK(s);
}

natsStatus
natsHeader_Get(natsHeader *nh, const char *key, const char **value)
{
    natsHeaderValue *v = NULL;
    natsStrHash     *h = NULL;

    if ((nh == NULL) || nats_IsStringEmpty(key) || (value == NULL))
        return nats_setDefaultError(NATS_INVALID_ARG);

    *value  = NULL;
    h       = (natsStrHash*) nh;

    if (natsStrHash_Count(h) == 0)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    v = natsStrHash_Get(h, (char*) key);
    if (v == NULL)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    *value = (const char*) v->value;
    return NATS_OK;
}

natsStatus
natsHeader_Values(natsHeader *nh, const char *key, const char* **values, int *count)
{
    natsStatus      s       = NATS_OK;
    int             c       = 0;
    natsHeaderValue *cur    = NULL;
    const char*     *strs   = NULL;
    natsHeaderValue *v      = NULL;
    natsStrHash     *h      = NULL;

    if ((nh == NULL) || nats_IsStringEmpty(key) || (values == NULL) || (count == NULL))
        return nats_setDefaultError(NATS_INVALID_ARG);

    *values = NULL;
    *count  = 0;
    h       = (natsStrHash*) nh;

    if (natsStrHash_Count(h) == 0)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    v = natsStrHash_Get(h, (char*) key);
    if (v == NULL)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    for (cur=v; cur != NULL; cur = cur->next)
        c++;

    strs = NATS_CALLOC(c, sizeof(char*));
    if (strs == NULL)
        s = nats_setDefaultError(NATS_NO_MEMORY);
    else
    {
        int i = 0;

        for (cur=v; cur != NULL; cur = cur->next)
            strs[i++] = (const char*) cur->value;

        *values = strs;
        *count  = c;
    }
    return NATS_UPDATE_ERR_STACK(s);
}

natsStatus
natsHeader_Keys(natsHeader *nh, const char* **keys, int *count)
{
    natsStatus  s     = NATS_OK;
    const char* *strs = NULL;
    int         c     = 0;
    natsStrHash *h    = NULL;

    if ((nh == NULL) || (keys == NULL) || (count == NULL))
        return nats_setDefaultError(NATS_INVALID_ARG);

    *keys  = NULL;
    *count = 0;
    h      = (natsStrHash*) nh;

    if ((c = natsStrHash_Count(h)) == 0)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    strs = NATS_CALLOC(c, sizeof(char*));
    if (strs == NULL)
        s = nats_setDefaultError(NATS_NO_MEMORY);
    else
    {
        natsStrHashIter iter;
        char            *hk = NULL;
        int             i;

        natsStrHashIter_Init(&iter, h);
        for (i=0; natsStrHashIter_Next(&iter, &hk, NULL); i++)
        {
            strs[i] = (const char*) hk;
        }
        natsStrHashIter_Done(&iter);

        *keys  = strs;
        *count = c;
    }
    return NATS_UPDATE_ERR_STACK(s);
}

int
natsHeader_KeysCount(natsHeader *nh)
{
    if (nh == NULL)
        return 0;

    return natsStrHash_Count((natsStrHash*) nh);
}

natsStatus
natsHeader_Delete(natsHeader *nh, const char *key)
{
    natsHeaderValue *v = NULL;
    natsStrHash     *h = NULL;

    if ((nh == NULL) || nats_IsStringEmpty(key))
        return nats_setDefaultError(NATS_INVALID_ARG);

    h = (natsStrHash*) nh;
    if (natsStrHash_Count(h) == 0)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    v = natsStrHash_Remove(h, (char*) key);
    if (v == NULL)
        return NATS_NOT_FOUND; // normal error, so don't update error stack

    natsHeaderValue_free(v, true);
    return NATS_OK;
}
