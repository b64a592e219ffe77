package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

class CliTest {

    private static final String HELP =
            """
            Usage: berth [--home DIR | --system] COMMAND …

              submit        Submit a command, a script with #BERTH or #SBATCH lines, or a model task; prints the id
              ls            List running and waiting tasks, and the last 10 that ended
              show          Show all details of tasks
              why           Explain why a task waits, who is ahead of it, and what would let it start earlier
              logs          Print the logs of tasks or of the server
              cancel        Cancel tasks: end those that run, remove those that wait from the queue
              rm            Remove ended tasks with their logs and files
              resolve       Decide what became of a task that is lost or cannot be ended
              clone         Submit tasks again and print the new ids
              edit          Change tasks that have not started; `none` resets a value
              wait          Wait for tasks to end; exits with their exit code (130: cancelled)
              queue         Show the waiting tasks of each queue, or queue drafts
              launch        Start drafts now, past the queue, if their GPUs are free
              runs          Show the running command files with their lanes, or stop one
              scheduler     Start or stop the scheduler, or show its state
              gpus          Show the GPUs and their users; quarantine or recover a GPU
              nodes         Show the machines that run tasks, their GPUs and who uses them
              models        Show the models that workers keep loaded; add, remove, load or unload one
              learned       Show what earlier runs tell about run times and memory, or forget it
              usage         Show how much GPU time each user had, and how well it was used
              people        Show users with their shares, use of the last 24 hours and limits
              limit         Limit what a user, a group's members or all users may use (admins)
              share         Set the weight of a user or a group; `none` resets it (admins)
              reserve       Keep GPUs for a group or a user; for nobody nothing starts there (admins)
              reservations  List the reservations of GPUs
              unreserve     Remove a reservation (admins)
              alerts        Show the alerts, newest first
              audit         Show who did what, newest first
              receivers     Show the receivers of alerts, or send one a test message
              health        Check the health of the server and its parts; exits 1 on a problem
              config        Show the current configuration, or one key
              backup        Back up the database of the running server now
              cleanup       Show and remove leftover processes and records of ended tasks
              rule          Show the scheduling rules, or change one; `none` resets it
              login         Print a login link for a browser, valid once and for ten minutes
              token         Create, list and revoke tokens for programs that use the HTTP API
              manual        Write manual pages and the completion of bash, zsh and fish below a directory

            `berth COMMAND --help` shows more.
            """;

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void helpIsPrintedOnRequestAndWithoutArguments() {
        assertThat(fixture.run("--help")).isEqualTo(new Result(0, HELP, ""));
        assertThat(fixture.run("help")).isEqualTo(new Result(0, HELP, ""));
        assertThat(fixture.run()).isEqualTo(new Result(2, "", HELP));
    }

    static Stream<String> commands() {
        return HELP.lines()
                .filter(line -> line.startsWith("  "))
                .map(line -> line.strip().split(" ")[0]);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandHasHelpAndJson(String name) {
        Result result = fixture.run(name, "--help");
        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("Usage: berth " + name).contains("--home");
        // It only writes files.
        if (!name.equals("manual")) {
            assertThat(result.out()).contains("--json");
        }
        assertThat(fixture.run("help", name)).isEqualTo(result);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aBadOptionIsAnsweredWithTheUsage(String name) {
        Result result = fixture.run(name, "--xyzzy");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith("berth: unknown option --xyzzy\nUsage: berth " + name + " [OPTIONS]")
                .endsWith("`berth " + name + " --help` lists the options\n");
        assertThat(fixture.server().received()).isEmpty();
    }

    @Test
    void aMistypedWordGetsASuggestion() {
        assertThat(fixture.run("sbmit"))
                .isEqualTo(
                        new Result(
                                2,
                                "",
                                "berth: no command 'sbmit': did you mean 'submit'? (`berth --help`"
                                        + " lists commands)\n"));
        List<String> commands = List.of("stop", "rm", "ls");
        assertThat(CommandAdvice.of("top", commands)).contains("gpus").doesNotContain("stop");
        assertThat(CommandAdvice.of("tpo", commands)).doesNotContain("stop");
        assertThat(CommandAdvice.of("rn", commands)).doesNotContain("rm");
        assertThat(CommandAdvice.of("stopp", commands)).contains("did you mean 'stop'?");
        assertThat(fixture.run("\u001b[2J").err())
                .isEqualTo("berth: no command '\\e[2J' (`berth --help` lists commands)\n");
        assertThat(fixture.run("--hoem", "x").status()).isEqualTo(2);
        assertThat(fixture.run("--home").status()).isEqualTo(2);
        assertThat(fixture.run("help", "frobnicate").status()).isEqualTo(2);
    }

    @Test
    void theVersionIsReported() {
        assertThat(fixture.run("--version"))
                .isEqualTo(new Result(0, "berth " + CliVersion.CURRENT + "\n", ""));
    }

    /** Represents a command from another module. */
    private record Greet() implements CliCommand {
        static final CommandOption LOUD = CommandOption.flag("--loud", "shout");

        @Override
        public CommandSyntax syntax() {
            return new CommandSyntax("greet", "", "Greet", List.of(LOUD));
        }

        @Override
        public int run(ParsedOptions options, CallContext context) throws IOException {
            if (options.has(LOUD)) {
                throw new IOException("no voice\u0007");
            }
            context.out().println("hello from " + options.value(CommandOption.HOME));
            return 7;
        }
    }

    @Test
    void otherModulesBringCommandsOfTheirOwn() {
        List<CliCommand> more = List.of(new Greet());
        assertThat(fixture.run(more, "--home", "/x", "greet"))
                .isEqualTo(new Result(7, "hello from /x\n", ""));
        assertThat(fixture.run(more, "--help").out()).contains("  greet         Greet\n");
        assertThat(fixture.run(more, "greet", "--loud"))
                .isEqualTo(new Result(1, "", "berth: no voice\\u0007\n"));
        assertThat(fixture.run(more, "geret").err()).contains("did you mean 'greet'?");
    }

    @ParameterizedTest
    @CsvSource({
        "kill, berth cancel",
        "scancel, berth cancel",
        "retry, berth clone",
        "status, berth ls",
        "squeue, berth ls",
        "version, berth --version",
        "list, berth ls",
        "pause, berth scheduler stop",
        "resume, berth scheduler start",
        "sbatch, berth submit",
        "delete, berth rm",
        "nvidia-smi, berth gpus",
        "log, berth logs",
    })
    void theVerbsOfOtherToolsLeadToBerths(String typed, String verb) {
        Result result = fixture.run(typed, "7");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: no command '" + typed + "': ").contains(verb);
    }

    @Test
    void anotherVersionOfTheServerIsMentionedOnce() {
        fixture.server().version("0.2.0\u0007");
        fixture.server().on("GET /api/tasks/1", SampleTaskJson.detail(1).toString());
        fixture.server().on("GET /api/tasks/2", SampleTaskJson.detail(2).toString());
        Result result = fixture.run("show", "1", "2", "--json");
        assertThat(result.status()).isZero();
        assertThat(result.err())
                .isEqualTo(
                        "berth: the server is version 0.2.0\\u0007, this command is version"
                                + " "
                                + CliVersion.CURRENT
                                + "\n");
    }

    @Test
    void theSameVersionIsNotMentioned() {
        fixture.server().version(CliVersion.CURRENT);
        fixture.server().on("GET /api/scheduler", "{\"running\":true}");
        assertThat(fixture.run("scheduler", "status")).isEqualTo(new Result(0, "running\n", ""));
    }

    @Test
    void aRefusalIsPrintedWithItsFieldUnlessTheTextNamesIt() {
        fixture.server()
                .on(
                        "GET /api/tasks?limit=5",
                        fixture.server()
                                .json(422, "{\"detail\":\"must be less\",\"field\":\"limit\"}"));
        fixture.server()
                .on(
                        "GET /api/tasks?limit=6",
                        fixture.server()
                                .json(
                                        422,
                                        "{\"detail\":\"limit: too large\",\"field\":\"limit\"}"));
        assertThat(fixture.run("ls", "-n5"))
                .isEqualTo(new Result(1, "", "berth: must be less (limit)\n"));
        assertThat(fixture.run("ls", "-n6"))
                .isEqualTo(new Result(1, "", "berth: limit: too large\n"));
    }

    @Test
    void aHostileRefusalIsPrintedSafely() {
        fixture.server()
                .on(
                        "GET /api/tasks?limit=5",
                        fixture.server()
                                .json(400, "{\"detail\":\"a\\u001b]0;x\\u0007\\n\\u202eb\"}"));
        assertThat(fixture.run("ls", "-n5").err()).isEqualTo("berth: a\\e]0;x\\u0007\\n\\u202eb\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>Bad Gateway</html>", "", "[]", "{\"detail\":5}", "{\"x\":1}"})
    void aRefusalWithoutReasonIsSaidToBeOne(String body) {
        fixture.server().on("GET /api/tasks?limit=5", fixture.server().json(502, body));
        assertThat(fixture.run("ls", "-n5"))
                .isEqualTo(
                        new Result(1, "", "berth: the server answered 502 and gave no reason\n"));
    }

    @Test
    void anAnswerThatIsNotJsonIsReported() {
        fixture.server().on("GET /api/scheduler", "ok?");
        Result result = fixture.run("scheduler", "status");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "berth: the server at "
                                + fixture.home()
                                + " sent no JSON: no value at character 0\n");
    }

    @Test
    void anAnswerThatIsNotHttpIsReported() {
        fixture.server()
                .on("GET /api/scheduler", fixture.server().rawThenClose("SSH-2.0-OpenSSH_9\r\n"));
        Result result = fixture.run("scheduler", "status");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "berth: cannot read the answer of the server at "
                                + fixture.home()
                                + ": it does not speak HTTP\n");
    }
}
