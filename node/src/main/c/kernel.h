/*
 * What every part of the shim needs: descriptors and limits, system calls, text. There is no C library: loading and
 * starting one costs more time than everything done here. System calls return a negated errno.
 */
#ifndef BERTH_KERNEL_H
#define BERTH_KERNEL_H

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include <linux/time_types.h>
#include <linux/wait.h>

typedef unsigned long size;

enum status {
    STATUS_ALL_GONE = 0,     /* the record is written, and no descendant is left: there can be none later */
    STATUS_RECORDED = 3,     /* the command has ended; other processes may be left */
    STATUS_NOT_STARTED = 74, /* a fault of the machine: the command has not begun */
    STATUS_GO_TAKEN = 75,    /* another process has the right to start */
};

enum descriptor {
    INPUT = 0,
    LOG = 1,
    ERRORS = 2,
    SCRIPT = 46,     /* command.sh, for the command's shell */
    END_REPORT = 47, /* where the command's shell writes its PATH at its end */
    RECORD = 48,     /* the exit record. If the spawner opened it, each write is on the disk when it returns */
    NODE = 49,       /* the connection of a spare to the node */
    RUN_SCRIPT = 255 /* run.sh, where bash keeps it too: recovery reads it there after its removal */
};

enum {
    OWNER_ONLY = 0600,
    RECORD_BYTES = 64,
    MAX_PATH_BYTES = 4096,
    MAX_STAT_BYTES = 1024,
    MAX_MESSAGE_BYTES = 65536,
    MAX_MARKER_BYTES = 256,
    MAX_PROCESSOR_BYTES = 1024, /* of a mask with one bit for each */
    MAX_CGROUP_BYTES = 2048,
    MAX_NUMBER_FILE_BYTES = 64,
    BOOT_ID_BYTES = 36,
    END_REPORT_BYTES = 65536,
    OUTPUT_BYTES = 524288, /* two banners with PATH, which the kernel limits to 131072 bytes */
    MAX_GROUPS = 65536,    /* NGROUPS_MAX of the kernel */
    CANNOT_EXECUTE = 126,
    NOT_FOUND = 127,
    SIGNAL_BASE = 128, /* as in bash, the code of a command that a signal ended */
    COMMON_ALLOCATION_BYTES = 65536,
    PAGE_BYTES = 4096,
    NANOS_PER_MILLI = 1000000,
    FAILPOINT_PAUSE_MILLIS = 5,
    LONGEST_COMMIT_MILLIS = 2000, /* if a thousand tasks end at once, the node takes a while */
    LONGEST_FORK_PAUSE_SECONDS = 8,
};

#if !defined(__x86_64__)
#error "only x86-64; the build uses bash alone on other architectures"
#endif

static long call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define CALL0(name) call(__NR_##name, 0, 0, 0, 0, 0, 0)
#define CALL1(name, a) call(__NR_##name, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(name, a, b) call(__NR_##name, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(name, a, b, c) call(__NR_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(name, a, b, c, d) call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define CALL5(name, a, b, c, d, e) call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define CALL6(name, a, b, c, d, e, f) \
    call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static __attribute__((noreturn)) void leave(int status) {
    for (;;) {
        CALL1(exit_group, status);
    }
}

static int open_file(const char *path, int flags) {
    return (int)CALL4(openat, AT_FDCWD, path, flags | O_CLOEXEC, OWNER_ONLY);
}

static int exists(const char *path) {
    return CALL3(faccessat, AT_FDCWD, path, 0) == 0;
}

static void pause_for(long seconds, long nanos) {
    struct __kernel_timespec time = {seconds, nanos};
    CALL2(nanosleep, &time, 0);
}

/* Alone in its pages, which a spare shares with the copy of its process that waits for the same attempt. */
#define ALONE_IN_PAGES __attribute__((aligned(PAGE_BYTES)))

/* The memory of an attempt; the first bytes cost no system call. */
static struct ALONE_IN_PAGES {
    size used;
    struct chunk {
        struct chunk *next;
        size bytes;
    } *more;
    char bytes[COMMON_ALLOCATION_BYTES] __attribute__((aligned(sizeof(long))));
} memory;

/* A chunk with room for these bytes behind it, which are zero; 0 if there is none. */
static struct chunk *new_chunk(size room) {
    size bytes = room + sizeof(struct chunk);
    long at = CALL6(mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0) {
        return 0;
    }
    struct chunk *chunk = (struct chunk *)at;
    *chunk = (struct chunk){0, bytes};
    return chunk;
}

/* Memory that is zero. */
static void *allocate(size bytes) {
    bytes = (bytes + sizeof(long) - 1) & ~(sizeof(long) - 1);
    if (bytes <= sizeof memory.bytes - memory.used) {
        memory.used += bytes;
        return memory.bytes + memory.used - bytes;
    }
    struct chunk *chunk = new_chunk(bytes);
    if (!chunk) {
        leave(STATUS_NOT_STARTED);
    }
    chunk->next = memory.more;
    memory.more = chunk;
    return chunk + 1;
}

/* The compiler calls these three itself. */
void *memcpy(void *to, const void *from, size bytes) {
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size bytes) {
    if (to <= from) {
        return memcpy(to, from, bytes);
    }
    while (bytes-- > 0) {
        ((char *)to)[bytes] = ((const char *)from)[bytes];
    }
    return to;
}

void *memset(void *to, int byte, size bytes) {
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
    return to;
}

static size length(const char *text) {
    size bytes = 0;
    while (text[bytes]) {
        bytes++;
    }
    return bytes;
}

static int starts_with(const char *text, const char *prefix) {
    while (*prefix) {
        if (*text++ != *prefix++) {
            return 0;
        }
    }
    return 1;
}

static size until(const char *text, char end) {
    size bytes = 0;
    while (text[bytes] && text[bytes] != end) {
        bytes++;
    }
    return bytes;
}

/* Reads a number and moves behind it. */
static unsigned long number(const char **at) {
    unsigned long value = 0;
    while (**at >= '0' && **at <= '9') {
        value = value * 10 + (unsigned long)(*(*at)++ - '0');
    }
    return value;
}

/* Text that is written in one system call. What does not fit is left out. */
struct text {
    size used;
    char bytes[OUTPUT_BYTES];
};

static void add_bytes(struct text *text, const char *bytes, size count) {
    size room = sizeof text->bytes - text->used;
    count = count < room ? count : room;
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
}

static void add(struct text *text, const char *more) {
    add_bytes(text, more, length(more));
}

static void add_number(struct text *text, unsigned long value) {
    char digits[20];
    size at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
    } while (value /= 10);
    add_bytes(text, digits + at, sizeof digits - at);
}

static void write_out(struct text *text, int descriptor) {
    size done = 0;
    while (done < text->used) {
        long written = CALL3(write, descriptor, text->bytes + done, text->used - done);
        if (written <= 0) {
            break; /* a full disk: the log lacks a banner */
        }
        done += (size)written;
    }
    text->used = 0;
}

static struct text output;

#endif
