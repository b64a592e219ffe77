package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.command.task.LsCommand;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class ServerAddressesTest {

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

    private StubServer serveIn(String home) throws Exception {
        Path dir = Files.createDirectories(root.resolve(home));
        return answering(new StubServer(dir.resolve("berth.sock")), home);
    }

    /** Identifies the responding server by its reply, which the client prints unchanged. */
    private static StubServer answering(StubServer server, String name) {
        server.version(name);
        return server.on("GET /api/queue?limit=100", name);
    }

    private String whoAnswers(String... words) {
        return fixture.run(words).out().strip();
    }

    @Test
    void theOptionComesBeforeAllElse() throws Exception {
        fixture.env().put("BERTH_SOCKET", fixture.home().resolve("berth.sock").toString());
        answering(fixture.server(), "socket");
        try (StubServer _ = serveIn("option")) {
            assertThat(whoAnswers("queue", "--json", "--home", root.resolve("option").toString()))
                    .isEqualTo("option");
            assertThat(whoAnswers("--home", "../option", "queue", "--json")).isEqualTo("option");
            assertThat(whoAnswers("queue", "--json")).isEqualTo("socket");
        }
    }

    @Test
    void theSocketComesBeforeTheHomeThatIsNamed() throws Exception {
        answering(fixture.server(), "home");
        assertThat(whoAnswers("queue", "--json")).isEqualTo("home");
        try (StubServer _ = serveIn("other")) {
            fixture.env().put("BERTH_SOCKET", root.resolve("other/berth.sock").toString());
            assertThat(whoAnswers("queue", "--json")).isEqualTo("other");
        }
    }

    @Test
    void theUsersOwnHomeIsUsedWhenNothingIsNamed() throws Exception {
        fixture.env().remove("BERTH_HOME");
        try (StubServer _ = serveIn(".berth")) {
            assertThat(whoAnswers("queue", "--json")).isEqualTo(".berth");
        }
        assertThat(
                        ServerAddresses.candidates(
                                ParsedOptions.parse(new LsCommand().syntax(), List.of()),
                                fixture.context(System.out, System.err)))
                .containsExactly(
                        new ServerAddress.HomeDirectory(root.resolve(".berth")),
                        new ServerAddress.SocketFile(Path.of("/run/berth/berth.sock")));
    }

    private StubServer serveSystem() throws Exception {
        fixture.env().remove("BERTH_HOME");
        Path socket = Files.createDirectories(root.resolve("run")).resolve("berth.sock");
        fixture.env().put("BERTH_SYSTEM_SOCKET", socket.toString());
        return answering(new StubServer(socket), "system");
    }

    @Test
    void theOwnServerComesBeforeThatOfTheMachine() throws Exception {
        try (StubServer _ = serveSystem();
                StubServer _ = serveIn(".berth")) {
            assertThat(whoAnswers("queue", "--json")).isEqualTo(".berth");
            assertThat(whoAnswers("queue", "--json", "--system")).isEqualTo("system");
            assertThat(whoAnswers("--system", "queue", "--json")).isEqualTo("system");
            Result both = fixture.run("queue", "--system", "--home", "x");
            assertThat(both.status()).isEqualTo(2);
            assertThat(both.err()).contains("either --home or --system");
        }
    }

    @Test
    void withTwoServersATerminalShowsWhichOneAnswers() throws Exception {
        String message =
                "berth: using your own server at "
                        + root.resolve(".berth")
                        + "; --system selects the server of this machine\n";
        try (StubServer _ = serveSystem();
                StubServer _ = serveIn(".berth")) {
            assertThat(fixture.run("queue", "--json").err()).doesNotContain("using");
            fixture.setTerminal(true);
            assertThat(fixture.run("queue", "--json").err()).startsWith(message);
            assertThat(fixture.run("queue", "--json", "--system").err()).doesNotContain("using");
        }
    }

    @Test
    void anOwnServerThatDoesNotRunIsMentionedUnlessItsTasksWereTakenOver() throws Exception {
        fixture.setTerminal(true);
        try (StubServer _ = serveSystem()) {
            assertThat(fixture.run("queue", "--json").err()).doesNotContain("using");
            Path home = Files.createDirectories(root.resolve(".berth"));
            assertThat(fixture.run("queue", "--json").err())
                    .startsWith(
                            "berth: using the server of this machine, because your own server at "
                                    + home
                                    + " does not run; `berth start` starts it\n");
            Files.createFile(home.resolve(ServerAddresses.IMPORT_MARKER));
            assertThat(fixture.run("queue", "--json").err()).doesNotContain("using");
        }
    }

    @Test
    void withoutAnOwnHomeTheServerOfTheMachineIsMissed() throws Exception {
        StubServer stopped = serveSystem();
        stopped.close();
        assertThat(fixture.run("ls").err())
                .startsWith("berth: No Berth server at " + root.resolve("run/berth.sock"))
                .contains("`systemctl status berth`");
        Files.createDirectories(root.resolve(".berth"));
        assertThat(fixture.run("ls").err())
                .startsWith("berth: No Berth server at " + root.resolve(".berth"));
    }

    @Test
    void aNamedHomeWithoutAServerIsNotReplacedByAnother() throws Exception {
        try (StubServer own = serveIn(".berth")) {
            Result result = fixture.run("ls", "--home", "/nowhere/at/all");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err())
                    .isEqualTo(
                            "berth: No Berth server at /nowhere/at/all: start one with `berth"
                                    + " start`\n");
            assertThat(own.received()).isEmpty();
        }
    }

    @Test
    void aDeadServersSocketIsNoServer() {
        fixture.server().stop();
        Result result = fixture.run("ls");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .isEqualTo(
                        "berth: No Berth server at "
                                + fixture.home()
                                + ": start one with `berth start`\n");
    }

    @Test
    void aHomeWithALongPathNamesItsSocketInAFile() throws Exception {
        Path deep = root.resolve("d".repeat(60)).resolve("e".repeat(60));
        Files.createDirectories(deep);
        assertThat(fixture.run("queue", "--home", deep.toString()).err())
                .startsWith("berth: No Berth server at " + deep);
        Files.writeString(
                deep.resolve("berth.sock.path"), fixture.home().resolve("berth.sock") + "\n");
        answering(fixture.server(), "deep");
        assertThat(whoAnswers("queue", "--json", "--home", deep.toString())).isEqualTo("deep");
    }

    @Test
    void theLongestPathThatIsStillASocketHasAHundredBytes() {
        assertThat(ServerAddresses.isTooLong(Path.of("/" + "x".repeat(99)))).isFalse();
        assertThat(ServerAddresses.isTooLong(Path.of("/" + "x".repeat(100)))).isTrue();
        assertThat(ServerAddresses.isTooLong(Path.of("/" + "训".repeat(34)))).isTrue();
    }

    @Test
    void aSocketPathTheKernelCannotTakeIsNoServer() {
        fixture.env().put("BERTH_SOCKET", "/" + "x".repeat(300));
        assertThat(fixture.run("queue").status()).isEqualTo(1);
    }

    @Test
    void aNewServerGetsTheHomeThatIsNamed() {
        var context = fixture.context(System.out, System.err);
        assertThat(ServerAddresses.homeForNewServer("x", context))
                .isEqualTo(root.resolve("here/x"));
        assertThat(ServerAddresses.homeForNewServer(null, context)).isEqualTo(fixture.home());
        fixture.env().remove("BERTH_HOME");
        assertThat(ServerAddresses.homeForNewServer(null, fixture.context(System.out, System.err)))
                .isEqualTo(root.resolve(".berth"));
    }

    @Test
    void anAddressReadsItsSocketEachTime() {
        ServerAddress place = new ServerAddress.HomeDirectory(root.resolve("y".repeat(120)));
        assertThatThrownBy(place::socket).isInstanceOf(ConnectionFailure.class);
    }
}
