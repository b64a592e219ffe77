package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.TRACEBACK;
import static dev.berth.findings.diagnosis.CauseRule.Where.AT_THE_END;
import static dev.berth.findings.diagnosis.CauseRule.Where.FOLLOWING;
import static dev.berth.findings.diagnosis.CauseRule.Where.LAST_ERROR;
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
                            .first(),
                    LineRule.of(
                            TRACEBACK, STATEMENT, "^Error in [\\w.$:%]{1,80}\\(.{0,200}?\\) ?: "),
                    LineRule.of(TRACEBACK, AT_THE_END, "^Error in .{1,200}? ?: ?|^LoadError: "));

    /** The last words of a native program, with the place in its source. */
    static final List<CauseRule> LAST_WORDS =
            List.of(
                    LineRule.of(
                            TRACEBACK,
                            LAST_ERROR,
                            "^\\S.{0,250}? \\((?:[\\w.+-]{1,60}/){0,8}[\\w.+-]{1,60}"
                                    + "\\.(?:c|cc|cpp|cxx|cu|f|f90|F90|h|hpp):\\d{1,6}\\)$"));

    /** What any other program says last. */
    static final List<CauseRule> ERROR_LINE = List.of(new CauseRule.ErrorLineRule(TRACEBACK));

    private ExceptionRules() {}
}
