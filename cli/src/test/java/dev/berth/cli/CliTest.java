package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;
import dev.berth.cli.stage.TaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

class CliTest {

    private static final String HELP =
            """
            Usage: berth [--home DIR] COMMAND …

              submit     Submit a command, or a script that may hold #BERTH option lines; prints the id
              ls         List tasks: what runs and waits, and the last 10 that ended
              show       Show everything about tasks
              why        Say why a task waits and what each card has to do with it
              logs       Print what a task has written, or the server
              cancel     End tasks, or never start them
              clone      Submit tasks again and print the new ids
              edit       Change tasks that have not started; `none` takes a value back
              wait       Wait for tasks to end; exits with their exit code (130: cancelled)
              queue      Show what waits, by device; or put drafts in line
              launch     Start drafts now, past the queue, if their cards are free
              runs       Show the command files that run, lane by lane; or stop one
              scheduler  Let tasks start, hold them back, or say which it is
              gpus       Show the GPUs and who is on them; take one out, hand it back
              usage      Show who had how much of the GPUs, and how well it was used
              alerts     Show what somebody should know of, newest first
              receivers  Show who is told of what happens; or send one a test message
              health     Say whether all is well, part by part; exits 1 if not
              config     Show the configuration in force, or one key of it
              cleanup    Show what abnormal ends have left behind, and remove it
              rule       Show the rules of scheduling, or change one; `none` is the usual value
              login      Print a link that logs a browser in, once and within ten minutes
              token      Make, list and revoke tokens for programs that come by HTTP

            `berth COMMAND --help` tells more.
            """;

    @TempDir private Path root;
    private Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(root);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void helpIsGivenToWhoAsksAndToWhoSaysNothing() {
        assertThat(stage.run("--help")).isEqualTo(new Result(0, HELP, ""));
        assertThat(stage.run("help")).isEqualTo(new Result(0, HELP, ""));
        assertThat(stage.run()).isEqualTo(new Result(2, "", HELP));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "submit",
                "ls",
                "show",
                "why",
                "logs",
                "cancel",
                "clone",
                "edit",
                "wait",
                "queue",
                "launch",
                "runs",
                "scheduler",
                "gpus",
                "usage",
                "alerts",
                "receivers",
                "health",
                "config",
                "cleanup",
                "rule",
                "login",
                "token"
            })
    void everyCommandHasHelpAndJson(String name) {
        Result result = stage.run(name, "--help");
        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("Usage: berth " + name).contains("--json", "--home");
        assertThat(stage.run("help", name)).isEqualTo(result);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "submit",
                "ls",
                "show",
                "why",
                "logs",
                "cancel",
                "clone",
                "edit",
                "wait",
                "queue",
                "launch",
                "runs",
                "scheduler",
                "gpus",
                "usage",
                "alerts",
                "receivers",
                "health",
                "config",
                "cleanup",
                "rule",
                "login",
                "token"
            })
    void aBadOptionIsAnsweredWithTheUsage(String name) {
        Result result = stage.run(name, "--frob");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith("berth: unknown option --frob\nUsage: berth " + name + " [OPTIONS]")
                .endsWith("`berth " + name + " --help` lists the options\n");
        assertThat(stage.server().seen()).isEmpty();
    }

    @Test
    void aSlipIsPointedOut() {
        assertThat(stage.run("sbmit"))
                .isEqualTo(
                        new Result(
                                2,
                                "",
                                "berth: no command 'sbmit': did you mean 'submit'? (`berth --help`"
                                        + " lists commands)\n"));
        assertThat(stage.run("\u001b[2J").err())
                .isEqualTo("berth: no command '\\e[2J' (`berth --help` lists commands)\n");
        assertThat(stage.run("--hoem", "x").status()).isEqualTo(2);
        assertThat(stage.run("--home").status()).isEqualTo(2);
        assertThat(stage.run("help", "frobnicate").status()).isEqualTo(2);
    }

    @Test
    void theVersionIsSaid() {
        assertThat(stage.run("--version")).isEqualTo(new Result(0, "berth 0.1.0\n", ""));
    }

    /** Stands for a command that another module brings. */
    private record Greet() implements Command {
        static final Option LOUD = Option.flag("--loud", "shout");

        @Override
        public Syntax syntax() {
            return new Syntax("greet", "", "Greet", List.of(LOUD));
        }

        @Override
        public int run(Options given, Surroundings around) throws IOException {
            if (given.has(LOUD)) {
                throw new IOException("no voice\u0007");
            }
            around.out().println("hello from " + given.value(Option.HOME));
            return 7;
        }
    }

    @Test
    void otherModulesBringCommandsOfTheirOwn() {
        List<Command> more = List.of(new Greet());
        assertThat(stage.run(more, "--home", "/x", "greet"))
                .isEqualTo(new Result(7, "hello from /x\n", ""));
        assertThat(stage.run(more, "--help").out()).contains("  greet      Greet\n");
        assertThat(stage.run(more, "greet", "--loud"))
                .isEqualTo(new Result(1, "", "berth: no voice\\u0007\n"));
        assertThat(stage.run(more, "geret").err()).contains("did you mean 'greet'?");
    }

    @Test
    void anotherVersionOfTheServerIsMentionedOnce() {
        stage.server().version("0.2.0\u0007");
        stage.server().on("GET /api/tasks/1", TaskJson.detail(1).toString());
        stage.server().on("GET /api/tasks/2", TaskJson.detail(2).toString());
        Result result = stage.run("show", "1", "2", "--json");
        assertThat(result.status()).isZero();
        assertThat(result.err())
                .isEqualTo(
                        "berth: the server is version 0.2.0\\u0007, this command is version"
                                + " 0.1.0\n");
    }

    @Test
    void theSameVersionIsNotMentioned() {
        stage.server().version("0.1.0");
        stage.server().on("GET /api/scheduler", "{\"running\":true}");
        assertThat(stage.run("scheduler", "status")).isEqualTo(new Result(0, "running\n", ""));
    }

    @Test
    void aRefusalIsPrintedWithItsFieldUnlessTheTextNamesIt() {
        stage.server()
                .on(
                        "GET /api/tasks?limit=5",
                        stage.server()
                                .json(422, "{\"detail\":\"must be less\",\"field\":\"limit\"}"));
        stage.server()
                .on(
                        "GET /api/tasks?limit=6",
                        stage.server()
                                .json(
                                        422,
                                        "{\"detail\":\"limit: too large\",\"field\":\"limit\"}"));
        assertThat(stage.run("ls", "-n5"))
                .isEqualTo(new Result(1, "", "berth: must be less (limit)\n"));
        assertThat(stage.run("ls", "-n6"))
                .isEqualTo(new Result(1, "", "berth: limit: too large\n"));
    }

    @Test
    void aHostileRefusalIsPrintedHarmlessly() {
        stage.server()
                .on(
                        "GET /api/tasks?limit=5",
                        stage.server()
                                .json(400, "{\"detail\":\"a\\u001b]0;x\\u0007\\n\\u202eb\"}"));
        assertThat(stage.run("ls", "-n5").err()).isEqualTo("berth: a\\e]0;x\\u0007\\n\\u202eb\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>Bad Gateway</html>", "", "[]", "{\"detail\":5}", "{\"x\":1}"})
    void aRefusalWithoutReasonIsSaidToBeOne(String body) {
        stage.server().on("GET /api/tasks?limit=5", stage.server().json(502, body));
        assertThat(stage.run("ls", "-n5"))
                .isEqualTo(
                        new Result(1, "", "berth: the server answered 502 and did not say why\n"));
    }

    @Test
    void anAnswerThatIsNotJsonIsSaid() {
        stage.server().on("GET /api/scheduler", "ok?");
        Result result = stage.run("scheduler", "status");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "berth: the server at "
                                + stage.home()
                                + " sent no JSON: no value at character 0\n");
    }

    @Test
    void anAnswerThatIsNotHttpIsSaid() {
        stage.server()
                .on("GET /api/scheduler", stage.server().rawThenClose("SSH-2.0-OpenSSH_9\r\n"));
        Result result = stage.run("scheduler", "status");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "berth: cannot read the answer of the server at "
                                + stage.home()
                                + ": it does not speak HTTP\n");
    }
}
