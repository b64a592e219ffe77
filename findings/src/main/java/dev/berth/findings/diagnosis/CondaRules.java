package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.CONDA;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** An environment of conda or venv cannot be used. */
final class CondaRules {

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                                    CONDA,
                                    ANYWHERE,
                                    "^EnvironmentNameNotFound: Could not find conda environment:"
                                            + " (?<env>\\S+)",
                                    "^Could not find conda environment: (?<env2>\\S+)",
                                    "^EnvironmentLocationNotFound: Not a conda environment:"
                                            + " (?<path>\\S+)",
                                    "^CondaError: Run 'conda init'",
                                    "^CommandNotFoundError: Your shell has not been properly",
                                    "conda: error: argument COMMAND: invalid choice: 'activate'",
                                    "(?:^|: )(?:conda|mamba|micromamba|activate): (?:command )?not"
                                            + " found$",
                                    "(?:^|: |conda\\w{0,3}/bin/)activate: No such file or"
                                            + " directory$",
                                    "Cannot activate, prefix does not exist",
                                    "\\bconda\\.sh: No such file or directory$",
                                    "'micromamba' is running as a subprocess and can't modify",
                                    "^NoBaseEnvironmentError:|^NoWritableEnvsDirError:",
                                    "(?i)The given prefix does not exist: \"?(?<path2>[^\"\\s]+)")
                            .first(),
                    LineRule.of(
                            Cause.FILE_MISSING,
                            ANYWHERE,
                            "(?<path>\\S{1,200}/bin/activate): No such file or directory$"));

    private CondaRules() {}
}
