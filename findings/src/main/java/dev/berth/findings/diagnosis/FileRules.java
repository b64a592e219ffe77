package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.COMMAND_MISSING;
import static dev.berth.findings.diagnosis.Cause.FILE_MISSING;
import static dev.berth.findings.diagnosis.Cause.PERMISSION;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.LAST_ERROR;
import static dev.berth.findings.diagnosis.CauseRule.Where.LAUNCHED;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** Files and commands that are missing or not accessible. */
final class FileRules {

    /** A missing file is no failure for commands that remove or search files. */
    private static final String COMMAND =
            "^(?:line \\d{1,6}:"
                + " {1,2})?(?!(?:rm|rmdir|unlink|find|grep|which|type|kill|pkill|ls|cat|stat|readlink|du):"
                + " )\\S+: ";

    private static final String LIBRARY =
            "(?<library>[\\w.+-]{1,80}\\.so(?:\\.\\d{1,4}){0,4}): cannot open shared object";

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                            COMMAND_MISSING,
                            LAUNCHED,
                            "^(?:FileNotFoundError|OSError): \\[Errno 2\\] [^:]{1,80}"
                                    + "(?:: ['\"](?<command>[^'\"/]{1,80})['\"]){0,2}$",
                            "\\[Errno 2\\] [^:]{1,80}: ['\"](?<command2>[^'\"/]{1,80})['\"]$"),
                    LineRule.of(
                            PERMISSION,
                            EXCEPTION,
                            "^(?:PermissionError|OSError|IOError): (?:\\[Errno 13\\]"
                                    + " )[^:]{0,80}(?:: '(?<path>[^']+)')?",
                            "^PermissionError\\b(?:.{0,200}?'(?<path2>/[^']+)')?",
                            "^OSError: \\[Errno 30\\] Read-only file system(?::"
                                    + " '(?<path3>[^']+)')?"),
                    LineRule.of(
                                    PERMISSION,
                                    STATEMENT,
                                    ": (?<path>[^:\\s]+): (?:Permission denied|cannot execute(?:"
                                            + " binary file)?(?:: Exec format error)?)$")
                            .withExit(126),
                    LineRule.of(
                                    FILE_MISSING,
                                    STATEMENT,
                                    "error while loading shared libraries:"
                                            + " (?<library>[^\\s:]{1,80})")
                            .kind("library"),
                    LineRule.of(FILE_MISSING, EXCEPTION, LIBRARY).kind("library"),
                    LineRule.of(FILE_MISSING, CauseRule.Where.AT_THE_END, LIBRARY).kind("library"),
                    LineRule.of(
                            FILE_MISSING,
                            EXCEPTION,
                            "^(?:OSError|IOError|RuntimeError|[\\w.]*Exception)\\b.{0,400}?No such"
                                + " file or directory(?:[^'\"]{0,20}['\"](?<path1>[^'\"]+)['\"])?",
                            "^(?:FileNotFoundError|NotADirectoryError|[\\w.]*NotFoundError)\\b.{0,400}?(?:No"
                                + " such file or directory|Not a directory|doesn't exist|does not"
                                + " exist|Couldn't find)[^'\"]{0,40}(?:['\"](?<path>[^'\"]+)"
                                + "['\"])?",
                            "^(?:[\\w.]{0,60}\\.)?FileNotFoundError\\b",
                            "^(?:[\\w.]{0,60}\\.)?(?:EntryNotFoundError|NoSuchFileException)\\b",
                            "^OSError: (?<path2>\\S+) (?:is not a local folder|does not"
                                    + " appear to have a file named)",
                            "^OSError: (?:Can't load|Unable to load) .{0,60}? (?:for|from)"
                                    + " '(?<path3>[^']+)'",
                            "^OSError: Error no file named ",
                            "Failed to find any matching files for (?<path4>\\S+)"),
                    LineRule.of(
                            FILE_MISSING,
                            STATEMENT,
                            "^\\S*python[\\d.]*: can't (?:open file|find '__main__' module in)"
                                    + " '?(?<path>[^':]+)",
                            "^(?:ERROR: )?Could not open requirements file:"
                                    + " .{0,60}?'(?<path2>[^']+)'",
                            "^Error: Unable to access jarfile (?<path3>\\S+)",
                            "^Fortran runtime error: .{0,40}?'(?<path5>[^']{1,200})': No such file",
                            "^forrtl: .{0,40}?file not found, unit \\d{1,6}, file (?<path6>\\S+)",
                            "^\\s{0,4}cannot open file '(?<path7>[^']{1,200})': No such file",
                            "bad interpreter: No such file or directory",
                            "^fatal: repository '(?<path4>[^']{1,200})' (?:not found|does not"
                                    + " exist)"),
                    LineRule.of(
                                    FILE_MISSING,
                                    CauseRule.Where.AT_THE_END,
                                    "^(?:(?:FATAL |Fatal |fatal )?(?:ERROR|Error|error):?"
                                            + " {1,4})?(?:[Cc]annot|[Cc]an't|[Cc]ould"
                                            + " not|[Cc]ouldn't|[Uu]nable to|[Ff]ailed to)"
                                            + " (?:open|find|read)(?: the)?(?: \\w{1,20})? file:?"
                                            + " {1,4}['\"]?(?<path>[^'\"\\s()]{1,200})")
                            .first(),
                    LineRule.of(
                            FILE_MISSING,
                            ANYWHERE,
                            "^\\s{0,8}[Ff]ile ['\"](?<path>[^'\"]{1,200})['\"] does not exist"
                                    + "(?: or is not accessible)?\\.?$"),
                    LineRule.of(
                            COMMAND_MISSING,
                            STATEMENT,
                            "\\bexecve\\(\\): (?<command>[^\\s:]{1,120}): No such file",
                            "\\bexecvp error on file (?<command2>\\S{1,120}) \\(No such file"),
                    LineRule.of(
                            PERMISSION,
                            STATEMENT,
                            "\\bexecve\\(\\): (?<path>[^\\s:]{1,120}): Permission denied",
                            "permission denied while trying to connect to the Docker daemon",
                            "Failed to create user namespace|[Uu]ser namespaces? (?:is |are"
                                    + " )?disabled",
                            "^(?:ERROR: )?Could not install packages due to an .{0,60}?\\[Errno"
                                    + " 13\\] Permission denied(?:: '(?<path1>[^']{1,200})')?"),
                    LineRule.of(
                                    COMMAND_MISSING,
                                    STATEMENT,
                                    "(?:^|: )(?<command>[^\\s:]+): (?:command )?not found$",
                                    "env: [‘'](?<command2>[^’']+)[’']: No such file",
                                    "exec: \"?(?<command3>[^\\s\":]+)\"?: executable file not"
                                            + " found",
                                    "^Command '(?<command4>[^']{1,60})' not found, but")
                            .withExit(127),
                    LineRule.of(
                                    FILE_MISSING,
                                    STATEMENT,
                                    "^\\S+: (?:line \\d+: )?(?<path>\\S*/\\S+): No such file or"
                                            + " directory$")
                            .withExit(127));

    /** Such messages are often harmless: only the last lines of a failed command count. */
    static final List<CauseRule> AT_THE_END =
            List.of(
                    LineRule.of(
                            COMMAND_MISSING,
                            CauseRule.Where.AT_THE_END,
                            "^\\S+: (?:line \\d+: )?(?<command>[^\\s:]+): command not found$",
                            "^\\S*sh: (?:line )?\\d+: (?<command3>[^\\s:]+): not found$",
                            "^Executable: (?<command4>\\S{1,120})$",
                            "^make: (?<command2>[^\\s:]+): (?:No such file or directory|Command not"
                                    + " found)$"),
                    LineRule.of(
                            PERMISSION,
                            CauseRule.Where.AT_THE_END,
                            COMMAND
                                    + ".{0,200}?(?<path>/?[^\\s:'‘]+)[’']?: (?:Permission denied"
                                    + "|Read-only file system|Operation not permitted)$"),
                    LineRule.of(
                            PERMISSION,
                            LAST_ERROR,
                            ": (?:[Pp]ermission denied|Read-only file system|Operation not"
                                    + " permitted)$"),
                    LineRule.of(
                            FILE_MISSING,
                            LAST_ERROR,
                            "(?<path>[^\\s:'‘]{1,200})[’']?: [Nn]o such file or directory$"),
                    LineRule.of(
                            FILE_MISSING,
                            CauseRule.Where.AT_THE_END,
                            COMMAND
                                    + ".{0,300}?(?<path>/?[^\\s:'‘]+)[’']?: [Nn]o such file or"
                                    + " directory$",
                            "^(?<path3>[\\w+-]*[./][\\w./+-]{1,200}): No such file or directory$",
                            "^g?make(?:\\[\\d{1,2}\\])?: \\*\\*\\* No rule to make target"
                                    + " [`'](?<path2>[^']{1,80})'"));

    private FileRules() {}
}
