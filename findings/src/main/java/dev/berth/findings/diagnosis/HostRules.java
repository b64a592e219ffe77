package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.DISK_FULL;
import static dev.berth.findings.diagnosis.Cause.HOST_OOM;
import static dev.berth.findings.diagnosis.Cause.PORT_IN_USE;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** The machine has no main memory, disk space or port left. */
final class HostRules {

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                                    HOST_OOM,
                                    ANYWHERE,
                                    "Out of memory: Kill(?:ed)? process \\d+"
                                            + " \\((?<program>[^)]{1,40})\\)",
                                    "Memory cgroup out of memory: Kill(?:ed)? process")
                            .first(),
                    LineRule.of(
                                    HOST_OOM,
                                    ANYWHERE,
                                    "Detected \\d+ oom.kill event|oom-kill:constraint=",
                                    "killed due to the node running low on memory",
                                    "low on resource: memory|\\bOOMKilled\\b",
                                    "[Ee]xceeded (?:job |step )?memory limit|: Out Of Memory$",
                                    "\\bTERM_MEMLIMIT\\b|PBS: job killed: \\w{0,3}mem\\b",
                                    "insufficient memory for the Java Runtime|gone over memory"
                                            + " limit",
                                    "\\b[Kk]illed by YARN for exceeding .{0,20}?memory")
                            .first(),
                    LineRule.of(
                                    HOST_OOM,
                                    ANYWHERE,
                                    "^\\s{2,16}Killed$",
                                    "(?:Killed signal terminated program)",
                                    "(?:internal compiler error: Killed)",
                                    "(?:terminated with signal 9 \\[Killed\\])",
                                    "(?:'(?:cicc|ptxas|cudafe\\+\\+)' died due to signal 9)",
                                    "(?:cc1(?:plus)?: out of memory)",
                                    "(?:virtual memory exhausted: Cannot allocate)")
                            .first()
                            .kind("compiler"),
                    LineRule.of(
                            HOST_OOM,
                            STATEMENT,
                            "DataLoader worker \\(pid(?:\\(s\\))? [\\d, ]+\\) is killed by signal:"
                                    + " (?:Killed|Bus error)",
                            "Insufficient shared memory \\(shm\\)",
                            "</torch_\\w{1,60}>.{0,40}?(?:No space left|Cannot allocate)",
                            "No space left on device: '/dev/shm/[^']{0,200}'",
                            "instance of '(?:std::)?bad_alloc'|^(?:[\\w.]*Error: )?std::bad_alloc",
                            "DefaultCPUAllocator: (?:can't allocate|not enough) memory",
                            "(?:\\[Errno 12\\]|mmap|fork|mremap|malloc)\\b.{0,120}?[Cc]annot"
                                    + " allocate memory",
                            "Cannot allocate memory(?: \\(12\\)|$)",
                            "^(?:[\\w.]{0,60}\\.)?(?:_Array|Arrow)?MemoryError\\b",
                            "java\\.lang\\.OutOfMemoryError|JavaScript heap out of memory",
                            "memory allocation of \\d{1,20} bytes failed",
                            "cannot allocate vector of size|LLVM ERROR: out of memory",
                            "^(?:LoadError: )?OutOfMemoryError\\(\\)"),
                    LineRule.of(
                            DISK_FULL,
                            STATEMENT,
                            "No space left on device(?:: '(?<path>[^']{1,200})')?",
                            "Disk quota exceeded(?:: '(?<path1>[^']{1,200})')?",
                            "database or disk is full|NoSpaceLeftError|\\bENOSPC\\b",
                            "[Nn]ot enough (?:free )?(?:disk )?space|[Nn]ot enough space on the"
                                    + " disk",
                            "file write failed: .{0,60}?space"),
                    LineRule.of(
                            DISK_FULL,
                            STATEMENT,
                            "PytorchStreamWriter failed writing file",
                            "inline_container\\.cc:\\d{1,6}\\] ?\\. unexpected pos"),
                    LineRule.of(
                            PORT_IN_USE,
                            STATEMENT,
                            "(?i)address already in use|\\bEADDRINUSE\\b",
                            "(?i)port (?<port>\\d{1,5})\\W{1,3}(?:it )?(?:is|was) (?:already )?"
                                    + "(?:in use|used|allocated)",
                            "(?i)(?:couldn't|could not|failed to|unable to)"
                                    + " bind\\b.{0,60}?\\b(?:port|socket|address)\\b",
                            "(?i)\\b(?:different|another) port\\b",
                            "(?i)cannot bind to port (?<port2>\\d{1,5})"));

    private HostRules() {}
}
