/* A fake NVML with two GPUs; only the functions that Berth calls. FAKE_NVML names the versions it has. */
#include <string.h>
#include <unistd.h>

typedef unsigned long long u64;
static const u64 MIB = 1048576ULL;
static int cards[3] = {0, 1, 2};

#ifndef FORM
#define FORM 3
#endif
#ifndef COUNT_STATUS
#define COUNT_STATUS 0
#endif
#ifndef MEMORY_STATUS
#define MEMORY_STATUS 0
#endif

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int status) {
    return status == 999 ? "Unknown Error" : status == 15 ? "GPU is lost" : "Not Supported";
}
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 3; return COUNT_STATUS; }

/* The third GPU has fallen off the bus. */
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    *device = &cards[index];
    return index == 2 ? 15 : 0;
}

int nvmlDeviceGetUUID(int *device, char *text, unsigned length) {
    (void) length;
    strcpy(text, *device == 0 ? "GPU-aaaa" : "GPU-bbbb");
    return 0;
}

int nvmlDeviceGetName(int *device, char *text, unsigned length) {
    (void) device;
    (void) length;
    strcpy(text, "NVIDIA H200");
    return 0;
}

struct memory_v1 { u64 total, free, used; };
int nvmlDeviceGetMemoryInfo(int *device, struct memory_v1 *memory) {
    (void) device;
    memory->total = 143771 * MIB;
    memory->free = 139558 * MIB;
    memory->used = 4213 * MIB;
    return MEMORY_STATUS;
}

#if FORM >= 2
struct memory_v2 { unsigned version; u64 total, reserved, free, used; };
int nvmlDeviceGetMemoryInfo_v2(int *device, struct memory_v2 *memory) {
    (void) device;
    if (memory->version != (sizeof(struct memory_v2) | (2 << 24))) return 25;
    memory->total = 143771 * MIB;
    memory->reserved = 614 * MIB;
    memory->free = 139558 * MIB;
    memory->used = 3599 * MIB;
    return MEMORY_STATUS;
}
#endif

struct utilization { unsigned gpu, memory; };
int nvmlDeviceGetUtilizationRates(int *device, struct utilization *rates) {
    if (*device == 1) return 3;
    rates->gpu = 42;
    rates->memory = 7;
    return 0;
}

int nvmlDeviceGetTemperature(int *device, int sensor, unsigned *celsius) {
    (void) device;
    *celsius = sensor == 0 ? 35 : 99;
    return 0;
}

#if FORM >= 2
int nvmlDeviceGetMigMode(int *device, unsigned *current, unsigned *pending) {
    *current = *device == 1;
    *pending = 0;
    return 0;
}
#endif

struct process_v1 { unsigned pid; u64 memory; };
struct process_v2 { unsigned pid; u64 memory; unsigned gpu, compute; };

int nvmlDeviceGetComputeRunningProcesses(int *device, unsigned *count, struct process_v1 *list) {
    (void) device;
    *count = 1;
    list[0] = (struct process_v1) {41, 100 * MIB};
    return 0;
}

#if FORM >= 2
/* More than the first buffer holds, so that a second call is needed. */
static int list_v2(unsigned *count, struct process_v2 *list, unsigned want) {
    unsigned room = *count;
    *count = want;
    if (room < want) return 7;
    for (unsigned i = 0; i < want; i++) {
        list[i] = (struct process_v2) {1000 + i, i == 1 ? ~0ULL : 3590 * MIB, ~0U, ~0U};
    }
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v2(int *device, unsigned *count, struct process_v2 *list) {
    (void) device;
    return list_v2(count, list, 2);
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(int *device, unsigned *count, struct process_v2 *list) {
    (void) device;
    return list_v2(count, list, 3);
}
#endif

#if FORM == 3
int nvmlDeviceGetComputeRunningProcesses_v3(int *device, unsigned *count, struct process_v2 *list) {
    return list_v2(count, list, *device == 0 ? 2 : 100);
}
#elif FORM == 35
/* A driver whose version 3 has larger entries than specified. */
struct process_wide { unsigned pid; u64 memory; unsigned gpu, compute; u64 secret; };
int nvmlDeviceGetComputeRunningProcesses_v3(int *device, unsigned *count, struct process_wide *list) {
    (void) device;
    *count = 2;
    for (unsigned i = 0; i < 2; i++) list[i] = (struct process_wide) {7, MIB, ~0U, ~0U, 0};
    return 0;
}
#endif

#ifdef HEALTH
int nvmlDeviceGetTotalEccErrors(int *device, int type, int counter, u64 *count) {
    *count = type == 1 && counter == 0 ? 5 + *device : 99;
    return 0;
}
int nvmlDeviceGetRetiredPagesPendingStatus(int *device, unsigned *pending) {
    *pending = *device == 1;
    return *device == 1 ? 0 : 3;
}
int nvmlDeviceGetRemappedRows(
        int *device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failure) {
    *corrected = *uncorrected = 1;
    *pending = 0;
    *failure = *device == 1;
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(int *device, u64 *reasons) {
    *reasons = *device == 0 ? 0x41 : 0x1;
    return 0;
}
struct pci { char old[16]; unsigned domain, bus, device, id, subsystem; char text[32]; };
int nvmlDeviceGetPciInfo_v3(int *device, struct pci *info) {
    memset(info, 0, sizeof *info);
    info->bus = 6 + *device;
    info->device = 1;
    return 0;
}
struct field { unsigned id, scope; long long at, latency; unsigned type, status; unsigned value; };
int nvmlDeviceGetFieldValues(int *device, int count, struct field *field) {
    field->status = count == 1 && field->id == 230 ? 0 : 2;
    field->value = *device;
    return 0;
}
#endif

#ifdef EVENTS
/* One Xid of the second GPU, and then nothing. */
static int told;
static void *registered;
int nvmlEventSetCreate(void **set) { *set = &told; return 0; }
int nvmlEventSetFree(void *set) { (void) set; return 0; }
int nvmlDeviceRegisterEvents(int *device, u64 types, void *set) {
    if (types != 8 || set != &told) return 2;
    registered = device;
    return 0;
}
struct event { void *device; u64 type, data; unsigned gpu, compute; };
int nvmlEventSetWait_v2(void *set, struct event *event, unsigned millis) {
    if (set != &told) return 2;
    if (told++) { usleep(millis); return 10; }
    *event = (struct event) {registered, 8, EVENTS, ~0U, ~0U};
    return 0;
}
#endif
