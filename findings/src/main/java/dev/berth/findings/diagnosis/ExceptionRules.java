package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.TRACEBACK;
import static dev.berth.findings.diagnosis.CauseRule.Where.AT_THE_END;
import static dev.berth.findings.diagnosis.CauseRule.Where.FOLLOWING;
import static dev.berth.findings.diagnosis.CauseRule.Where.LOGGED;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** Exceptions that no other rule knows. */
final class ExceptionRules {

    private static final String NAME = "^(?<exception>(?:[A-Za-z_]\\w*+\\.)*+\\w++)(?:\\(|:|$)";

    static final List<CauseRule> RAISED =
            List.of(
                    LineRule.of(
                                    TRACEBACK,
                                    CauseRule.Where.RAISED,
                                    "^(?<exception>OSError|IOError|RuntimeError)\\b.{0,300}?[Tt]oo"
                                            + " many open files")
                            .kind("open_files"),
                    LineRule.of(TRACEBACK, CauseRule.Where.RAISED, NAME));

    static final List<CauseRule> OTHER =
            List.of(
                    LineRule.of(TRACEBACK, FOLLOWING, "^\\S"),
                    LineRule.of(TRACEBACK, LOGGED, NAME),
                    LineRule.of(
                                    TRACEBACK,
                                    STATEMENT,
                                    "^Exception in thread \"[^\"]{0,80}\""
                                            + " (?<exception>[\\w.$]{1,120})",
                                    "^thread '[^']{0,60}' (?:\\(\\d+\\) )?panicked at ",
                                    "^panic: |^Fortran runtime error: |^forrtl: severe \\(")
                            .first());

    /** A rank ended all others, and said no more than that. */
    static final List<CauseRule> ABORTED_RANK =
            List.of(
                    LineRule.of(
                            TRACEBACK,
                            AT_THE_END,
                            "^MPI_ABORT was invoked on rank|^application called MPI_Abort"));

    /** What any other program says last. */
    static final List<CauseRule> ERROR_LINE = List.of(new CauseRule.ErrorLineRule(TRACEBACK));

    private ExceptionRules() {}
}
