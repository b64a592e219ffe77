/* A fake CUDA driver library that uses the memory of this process; only the functions that the GPU test calls. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long u64;

int cuInit(unsigned flags) {
    (void) flags;
#ifdef HANGS
    for (;;) pause();
#endif
    return 0;
}
/* Only the GPU named in the environment is visible. */
int cuDeviceGet(int *device, int ordinal) {
    const char *seen = getenv("CUDA_VISIBLE_DEVICES");
    *device = 7;
    return ordinal == 0 && seen && strcmp(seen, "GPU-1") == 0 ? 0 : 100;
}
int cuGetErrorString(int status, const char **text) {
    *text = status == 100 ? "no CUDA-capable device is detected" : "unspecified launch failure";
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = &cuInit;
    return device == 7 ? 0 : 101;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return device == 7 ? 0 : 101; }
int cuCtxSetCurrent(void *context) { return context == &cuInit ? 0 : 201; }
int cuMemAlloc_v2(u64 *place, size_t bytes) {
    *place = (u64) malloc(bytes);
    return 0;
}
int cuMemFree_v2(u64 place) {
    free((void *) place);
    return 0;
}
int cuMemsetD32_v2(u64 place, unsigned value, size_t count) {
#ifdef FAILS
    return 719;
#endif
    for (size_t i = 0; i < count; i++) ((unsigned *) place)[i] = value;
    return 0;
}
int cuMemcpyDtoH_v2(void *to, u64 from, size_t bytes) {
    memcpy(to, (void *) from, bytes);
#ifdef FORGETS
    ((unsigned char *) to)[bytes / 2] ^= 4;
#endif
    return 0;
}
