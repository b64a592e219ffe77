package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.SCHEDULER;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.FOLLOWING;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** Slurm, PBS, LSF, Grid Engine, HTCondor or Kubernetes ended the command. */
final class SchedulerRules {

    /** Time limits, preemption and failed nodes: what the program prints then follows from it. */
    static final List<CauseRule> LIMITS =
            List.of(
                    LineRule.of(
                                    SCHEDULER,
                                    ANYWHERE,
                                    "^\\s{0,8}Message:\\s{1,20}(?<reason>\\S.{0,120}?(?:exceed|low"
                                            + " on resource|deadline|evict|preempt).{0,120})")
                            .first(),
                    LineRule.of(
                                    SCHEDULER,
                                    ANYWHERE,
                                    "^(?:\\S{1,60}: )?slurmstepd\\S{0,80}: .{0,120}?CANCELLED"
                                            + " .{0,120}?DUE TO (?<reason>[A-Z ]{3,40}[A-Z])",
                                    "PBS: job killed: (?<reason2>walltime|ncpus|cput)\\b",
                                    "\\bTERM_(?<reason3>RUNLIMIT|CPULIMIT|PREEMPT|DEADLINE)\\b",
                                    "\\b(?:Pod|pod)"
                                            + " .{0,100}?\\b(?<reason4>[Ee]victed|[Pp]reempted)\\b",
                                    "^\\s{0,8}(?:Warning|Normal)\\s{1,12}(?<reason10>Evicted|Preempted)\\b",
                                    "\\bReason:\\s{1,20}(?<reason5>Evicted|DeadlineExceeded|Preempted)\\b",
                                    "(?<reason6>[Pp]od was rejected|The node was low on resource)",
                                    "Job was active longer than specified (?<reason7>deadline)",
                                    "exceeded (?:hard|soft) (?<reason8>wallclock) time",
                                    "^Job (?:was )?(?<reason9>evicted|preempted)\\b")
                            .first());

    /** Somebody outside ended the launcher, so no process of its own has failed. */
    static final List<CauseRule> SIGNALLED =
            List.of(
                    LineRule.of(
                            SCHEDULER,
                            FOLLOWING,
                            "SignalException: Process \\d{1,9} got signal: 15"));

    /** Also printed after one process of the job failed, so everything else goes first. */
    static final List<CauseRule> ENDED =
            List.of(
                    LineRule.of(
                                    SCHEDULER,
                                    ANYWHERE,
                                    "^(?:\\S{1,60}: )?slurmstepd\\S{0,80}: (?:error: )?\\*\\*\\*"
                                            + " (?:JOB|STEP) \\S{1,60} .{0,100}?CANCELLED",
                                    "srun: (?:Force Terminated|error: Job step aborted)",
                                    "\\bTERM_(?:OWNER|ADMIN|FORCE_ADMIN|UNKNOWN)\\b",
                                    "qdel: job \\S{1,40} deleted",
                                    ": line \\d+:\\s+\\d+ (?:User defined signal|CPU time limit)",
                                    "^srun: error: \\S{1,80}: tasks? [\\d,-]+: (?:User defined"
                                            + " signal|CPU time limit)")
                            .first());

    private SchedulerRules() {}
}
