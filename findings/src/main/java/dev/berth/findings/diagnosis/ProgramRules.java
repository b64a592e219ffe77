package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.ARGUMENTS;
import static dev.berth.findings.diagnosis.Cause.COMMAND_MISSING;
import static dev.berth.findings.diagnosis.Cause.FILE_MISSING;
import static dev.berth.findings.diagnosis.Cause.MODULE_MISSING;
import static dev.berth.findings.diagnosis.Cause.PACKAGES;
import static dev.berth.findings.diagnosis.Cause.PERMISSION;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;
import java.util.stream.Stream;

/** Failures of the program: missing packages, modules or files, wrong arguments. */
final class ProgramRules {

    static final List<CauseRule> ALL =
            Stream.of(packages(), modules(), files()).flatMap(List::stream).toList();

    private ProgramRules() {}

    private static List<CauseRule> packages() {
        return List.of(
                new LineRule(
                        PACKAGES,
                        ANYWHERE,
                        "^ERROR: No matching distribution found for (?<package>[\\w.\\[\\]-]+)"
                                + "|^ERROR: ResolutionImpossible|^(?:\\S*\\.)?ResolutionImpossible:"
                                + "|^(?:LibMamba)?UnsatisfiableError|^PackagesNotFoundError:"
                                + "|^ResolvePackageNotFound:"
                                + "|^ERROR: Failed building wheel for (?<package2>[\\w.-]+)"
                                + "|^ERROR: Failed to build installable wheels"
                                + "|^ERROR: Cannot install (?<package3>[\\w.\\[\\]=-]+)"),
                new LineRule(
                        PACKAGES,
                        EXCEPTION,
                        "^ImportError: cannot import name '(?<name>[^']+)' from '(?<from>[^']+)'"
                                + "|version `(?<symbol>[A-Z_]+[\\d.]+)' not found"
                                + "|undefined symbol: (?<missing>\\w+)"
                                + "|^(?:\\w++\\.)*+VersionConflict:"
                                + "|^(?:\\w++\\.)*+(?:DistributionNotFound|PackageNotFoundError):"
                                + "|^ImportError: (?<library>[\\w.+-]+\\.so[\\d.]*): cannot open"
                                + "|numpy\\.core\\.multiarray failed to import"
                                + "|numpy\\.dtype size changed"
                                + "|^AttributeError: module '(?<module>numpy|jax|torch|tensorflow"
                                + "|pandas|PIL\\.Image|collections)' has no attribute"
                                + "|^ImportError: .{0,200}?\\brequires .{0,200}? but (?:found|you"
                                + " have)"));
    }

    private static List<CauseRule> modules() {
        return List.of(
                new LineRule(
                        MODULE_MISSING,
                        EXCEPTION,
                        "^(?:ModuleNotFoundError|ImportError): No module named '?(?<module>[\\w.]+)"
                                + "|^ImportError: .{0,120}?\\brequires the (?<module2>[\\w.-]+)"
                                + " library but"),
                new LineRule(
                        MODULE_MISSING,
                        STATEMENT,
                        "^\\S*python[\\d.]*: No module named '?(?<module>[\\w.]+)|\\bfollowing"
                                + " error .{0,80}?No module named '(?<module2>[\\w.]+)'"));
    }

    private static List<CauseRule> files() {
        return List.of(
                new LineRule(
                        PERMISSION,
                        EXCEPTION,
                        "^PermissionError: (?:\\[Errno 1?3?\\] )?[^:]{0,80}(?::"
                                + " '(?<path>[^']+)')?"),
                new LineRule(
                                PERMISSION,
                                STATEMENT,
                                ": (?<path>[^:\\s]+): (?:Permission denied|cannot execute(?: binary"
                                        + " file)?(?:: Exec format error)?)$")
                        .withExit(126),
                new LineRule(
                        FILE_MISSING,
                        EXCEPTION,
                        "^(?:FileNotFoundError|NotADirectoryError|[\\w.]*NotFoundError)\\b.{0,400}?"
                                + "(?:No such file or directory|Not a directory|doesn't exist|does"
                                + " not exist|Couldn't find)[^'\"]{0,40}(?:['\"](?<path>[^'\"]+)"
                                + "['\"])?|^FileNotFoundError\\b"
                                + "|^OSError: (?<path2>\\S+) (?:is not a local folder|does not"
                                + " appear to have a file named)"),
                new LineRule(
                        FILE_MISSING,
                        STATEMENT,
                        "^\\S*python[\\d.]*: can't (?:open file|find '__main__' module in)"
                                + " '?(?<path>[^':]+)"),
                new LineRule(
                                FILE_MISSING,
                                STATEMENT,
                                "^\\S+: (?:line \\d+: )?(?<path>\\S*/\\S+): No such file or"
                                        + " directory$")
                        .withExit(127),
                new LineRule(
                                COMMAND_MISSING,
                                STATEMENT,
                                "(?:^|: )(?<command>[^\\s:]+): (?:command )?not found$"
                                        + "|env: [‘'](?<command2>[^’']+)[’']: No such file")
                        .withExit(127),
                new LineRule(
                                ARGUMENTS,
                                STATEMENT,
                                "^\\S+: error: (?<problem>.{1,200})|^Error: No such option: .*"
                                        + "|^\\S+: (?:unrecognized|invalid) option .*")
                        .withExit(2),
                new LineRule(
                                ARGUMENTS,
                                STATEMENT,
                                "^\\S+: error: (?<problem>(?:unrecognized arguments|the following"
                                        + " arguments are required|argument ).{1,200})")
                        .withExit(1),
                new LineRule(
                        ARGUMENTS,
                        EXCEPTION,
                        "^ValueError: Some specified arguments are not used"));
    }
}
