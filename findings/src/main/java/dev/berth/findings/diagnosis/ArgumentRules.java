package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.ARGUMENTS;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** A program rejects its command line: argparse, click, absl, hydra, getopt, clap. */
final class ArgumentRules {

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                                    ARGUMENTS,
                                    STATEMENT,
                                    "^(?!srun|slurmstepd|collect2|\\S*(?:ld|gcc|g\\+\\+|clang|nvcc):)\\S+:"
                                        + " error: (?<problem>.{1,200})",
                                    "^\\S+: (?:unrecognized|invalid|unknown) option .*",
                                    "^error: (?<problem2>(?:unexpected|invalid|the following)"
                                            + " .{1,200})")
                            .withExit(2),
                    LineRule.of(
                                    ARGUMENTS,
                                    STATEMENT,
                                    "^\\S.{0,80}?: error: (?<problem>(?:unrecognized arguments|the"
                                        + " following arguments are required|argument |ambiguous"
                                        + " option).{1,200})",
                                    "^(?:Error: |\\W{1,4})(?<problem1>(?:No such"
                                            + " (?:option|command)|Missing"
                                            + " (?:option|argument|parameter)|Invalid value for|Got"
                                            + " unexpected extra argument|Option \\S+"
                                            + " requires)\\b.{0,160}?)\\s{0,40}\\W?$",
                                    "^\\S{1,120}: (?:[Ee]rror: )?(?:unrecognized|unknown) option"
                                            + " .*",
                                    "^\\S{1,60}: invalid option -- .*",
                                    "^(?:sbatch|srun|salloc): (?:error|fatal):"
                                            + " (?<problem9>(?:[Ii]nvalid|Batch job submission"
                                            + " failed|Unable to (?:allocate resources|create"
                                            + " step)).{1,160})",
                                    "^(?<problem10>There are not enough slots available in the"
                                            + " system)\\b",
                                    "^(?:Error:"
                                        + " )?(?<problem11>.{0,60}?\\b(?:option|argument|flag)(?:s|\\(s\\))?"
                                        + " (?:was |were )?not expected: .{1,160})",
                                    "^(?:FATAL )?Flags parsing error:(?<problem8>.{0,160})",
                                    "^\\W{0,4}(?<problem2>Unknown command line flag '.{1,160})",
                                    "^(?<problem3>Could not override '[^']{1,120}')",
                                    "^(?<problem4>Key '[^']{1,80}' is not in struct)",
                                    "^(?<problem5>In '[^']{1,120}': Could not find '[^']{1,120}')",
                                    "^(?<problem6>Could not consume arg: \\S{1,120})",
                                    "^error: (?<problem7>unexpected argument '.{1,160})")
                            .first(),
                    LineRule.of(
                            ARGUMENTS,
                            EXCEPTION,
                            "^ValueError: Some specified arguments are not used",
                            "^(?:\\w++\\.)*+(?:UnrecognizedFlagError|IllegalFlagValueError)\\b",
                            "^(?:\\w++\\.)*+MissingMandatoryValue\\b"));

    /** Scripts print how they are used, and nothing else, if their arguments are wrong. */
    static final List<CauseRule> USAGE =
            List.of(LineRule.of(ARGUMENTS, CauseRule.Where.AT_THE_END, "^Usage: \\S").first());

    private ArgumentRules() {}
}
