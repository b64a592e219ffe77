package dev.berth.findings.diagnosis;

import java.util.List;
import java.util.stream.Stream;

/**
 * All rules, root causes before their consequences: one rank out of GPU memory ends the others with
 * NCCL errors and the launcher with an exception, and a missing environment ends in a missing
 * module. The first rule that matches decides.
 */
final class CauseRules {

    static final List<CauseRule> ALL =
            Stream.of(
                            SchedulerRules.LIMITS,
                            GpuRules.HARDWARE,
                            GpuRules.MEMORY,
                            HostRules.ALL,
                            GpuRules.USE,
                            CondaRules.ALL,
                            AccessRules.ALL,
                            NetworkRules.ALL,
                            PackageRules.MODULES_OF_BUILD,
                            BuildRules.ALL,
                            PackageRules.MODULES,
                            PackageRules.VERSIONS,
                            FileRules.ALL,
                            ArgumentRules.ALL,
                            ExceptionRules.RAISED,
                            PackageRules.PRINTED_MODULES,
                            CrashRules.KILLED,
                            CrashRules.CRASHED,
                            NcclRules.ALL,
                            CrashRules.KILLED_AFTERWARDS,
                            CrashRules.ABORTED,
                            SchedulerRules.SIGNALLED,
                            ExceptionRules.OTHER,
                            FileRules.AT_THE_END,
                            CrashRules.CRASH_CODES,
                            ExceptionRules.ERROR_LINE,
                            BuildRules.SUMMARY,
                            SchedulerRules.ENDED,
                            ArgumentRules.USAGE,
                            ExceptionRules.ABORTED_RANK,
                            CrashRules.EXIT_CODES)
                    .flatMap(List::stream)
                    .toList();

    private CauseRules() {}
}
