package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.process.Proc;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Variables that change how bash works do not change the shim. */
@ParameterizedClass
@EnumSource(names = {"NATIVE", "BASH"})
class ShimVariablesTest {

    /** All that bash reads and that may be set. */
    private static final List<String> NAMES =
            List.of(
                    "BASH_COMPAT",
                    "BASH_ENV",
                    "BASH_EXECUTION_STRING",
                    "BASH_LOADABLES_PATH",
                    "BASH_REMATCH",
                    "BASH_XTRACEFD",
                    "CDPATH",
                    "CHILD_MAX",
                    "COLUMNS",
                    "COMPREPLY",
                    "ENV",
                    "EXECIGNORE",
                    "FIGNORE",
                    "FUNCNEST",
                    "GLOBIGNORE",
                    "HISTFILE",
                    "HISTSIZE",
                    "HOME",
                    "IFS",
                    "INSIDE_EMACS",
                    "LANG",
                    "LC_ALL",
                    "LINES",
                    "MAILCHECK",
                    "MAPFILE",
                    "OLDPWD",
                    "OPTARG",
                    "OPTERR",
                    "OPTIND",
                    "POSIXLY_CORRECT",
                    "PROMPT_COMMAND",
                    "PS4",
                    "PWD",
                    "READLINE_LINE",
                    "REPLY",
                    "SHELL",
                    "SHLVL",
                    "TERM",
                    "TIMEFORMAT",
                    "TMOUT",
                    "TMPDIR",
                    "TZ",
                    "auto_resume",
                    "histchars");

    private static final List<String> VALUES =
            List.of("", "0", "1", "2", "46", "47", "48", "-1", "/nowhere", "*", "a[0", "$(exit 9)");

    /** An account of this test alone. */
    private static final int OWNER =
            1_800_000_000 + (int) (ProcessHandle.current().pid() % 100_000);

    private static final String COMMAND = "f() { echo inner; }; echo out; exit 7";

    @Parameter ShimChoice choice;
    @TempDir Path root;
    private ShimFixture shims;

    @BeforeEach
    void open() throws IOException {
        shims = new ShimFixture(root, choice);
    }

    @AfterEach
    void close() throws IOException {
        if (shims != null) {
            shims.close();
        }
    }

    @Test
    void variablesOfTheTaskDoNotChangeTheShim() throws Exception {
        var wrong = new ArrayList<String>();
        for (var value : VALUES) {
            var order = shims.with(shims.order(COMMAND), all(value));
            check(shims.run(order), value, wrong);
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void variablesOfTheServerDoNotChangeTheShim() throws Exception {
        var wrong = new ArrayList<String>();
        for (var value : VALUES) {
            check(shims.runInherited(shims.order(COMMAND), all(value)), value, wrong);
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void variablesOfTheTaskDoNotChangeTheShimOfItsOwner() throws Exception {
        assumeTrue(Proc.userIdOfThisProcess() == 0, "only root can run tasks as their owners");
        var wrong = new ArrayList<String>();
        for (var value : VALUES) {
            var order = shims.with(shims.order(COMMAND), all(value));
            check(shims.runOwned(shims.ownedBy(OWNER, order), List.of()), value, wrong);
        }
        assertThat(wrong).isEmpty();
    }

    private static Map<String, String> all(String value) {
        return NAMES.stream().collect(Collectors.toMap(name -> name, _ -> value));
    }

    private static void check(ShimFixture.EndedShim ended, String variable, List<String> wrong)
            throws IOException {
        var record = ExitRecord.read(ended.directory());
        if (!(record instanceof ExitRecord.Code code) || code.code() != 7) {
            wrong.add(variable + " -> " + record + " " + ended.log());
        } else if (!ended.log().contains("\nout\n")
                || !ended.log().contains("===== Command Script Exit =====")) {
            wrong.add(variable + " -> " + ended.log());
        }
    }
}
