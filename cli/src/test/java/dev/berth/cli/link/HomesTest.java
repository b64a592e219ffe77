package dev.berth.cli.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;
import dev.berth.cli.stage.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

class HomesTest {

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

    private StubServer serveIn(String home) throws Exception {
        Path dir = Files.createDirectories(root.resolve(home));
        return answering(new StubServer(dir.resolve("berth.sock")), home);
    }

    /** Tells who answered by its answer, which the client prints as it is. */
    private static StubServer answering(StubServer server, String name) {
        server.version(name);
        return server.on("GET /api/queue?limit=100", name);
    }

    private String whoAnswers(String... words) {
        return stage.run(words).out().strip();
    }

    @Test
    void theOptionComesBeforeAllElse() throws Exception {
        stage.env().put("BERTH_SOCKET", stage.home().resolve("berth.sock").toString());
        answering(stage.server(), "socket");
        try (StubServer _ = serveIn("option")) {
            assertThat(whoAnswers("queue", "--json", "--home", root.resolve("option").toString()))
                    .isEqualTo("option");
            assertThat(whoAnswers("--home", "../option", "queue", "--json")).isEqualTo("option");
            assertThat(whoAnswers("queue", "--json")).isEqualTo("socket");
        }
    }

    @Test
    void theSocketComesBeforeTheHomeThatIsNamed() throws Exception {
        answering(stage.server(), "home");
        assertThat(whoAnswers("queue", "--json")).isEqualTo("home");
        try (StubServer _ = serveIn("other")) {
            stage.env().put("BERTH_SOCKET", root.resolve("other/berth.sock").toString());
            assertThat(whoAnswers("queue", "--json")).isEqualTo("other");
        }
    }

    @Test
    void theUsersOwnHomeIsUsedWhenNothingIsNamed() throws Exception {
        stage.env().remove("BERTH_HOME");
        try (StubServer _ = serveIn(".berth")) {
            assertThat(whoAnswers("queue", "--json")).isEqualTo(".berth");
        }
        assertThat(Homes.places(null, stage.around(System.out, System.err)))
                .containsExactly(
                        new Place.Home(root.resolve(".berth")),
                        new Place.Socket(Path.of("/run/berth/berth.sock")));
    }

    @Test
    void aNamedHomeWithoutAServerIsNotReplacedByAnother() throws Exception {
        try (StubServer own = serveIn(".berth")) {
            Result result = stage.run("ls", "--home", "/nowhere/at/all");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err())
                    .isEqualTo(
                            "berth: No Berth server at /nowhere/at/all: start one with `berth"
                                    + " start`\n");
            assertThat(own.seen()).isEmpty();
        }
    }

    @Test
    void aDeadServersSocketIsNoServer() {
        stage.server().stop();
        Result result = stage.run("ls");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .isEqualTo(
                        "berth: No Berth server at "
                                + stage.home()
                                + ": start one with `berth start`\n");
    }

    @Test
    void aHomeWithALongPathNamesItsSocketInAFile() throws Exception {
        Path deep = root.resolve("d".repeat(60)).resolve("e".repeat(60));
        Files.createDirectories(deep);
        assertThat(stage.run("queue", "--home", deep.toString()).err())
                .startsWith("berth: No Berth server at " + deep);
        Files.writeString(
                deep.resolve("berth.sock.path"), stage.home().resolve("berth.sock") + "\n");
        answering(stage.server(), "deep");
        assertThat(whoAnswers("queue", "--json", "--home", deep.toString())).isEqualTo("deep");
    }

    @Test
    void theLongestPathThatIsStillASocketHasAHundredBytes() {
        assertThat(Homes.isTooLong(Path.of("/" + "x".repeat(99)))).isFalse();
        assertThat(Homes.isTooLong(Path.of("/" + "x".repeat(100)))).isTrue();
        assertThat(Homes.isTooLong(Path.of("/" + "训".repeat(34)))).isTrue();
    }

    @Test
    void aSocketPathTheKernelCannotTakeIsNoServer() {
        stage.env().put("BERTH_SOCKET", "/" + "x".repeat(300));
        assertThat(stage.run("queue").status()).isEqualTo(1);
    }

    @Test
    void aNewServerGetsTheHomeThatIsNamed() {
        var around = stage.around(System.out, System.err);
        assertThat(Homes.chosen("x", around)).isEqualTo(root.resolve("here/x"));
        assertThat(Homes.chosen(null, around)).isEqualTo(stage.home());
        stage.env().remove("BERTH_HOME");
        assertThat(Homes.chosen(null, stage.around(System.out, System.err)))
                .isEqualTo(root.resolve(".berth"));
    }

    @Test
    void aPlaceLooksAgainEachTime() {
        Place place = new Place.Home(root.resolve("y".repeat(120)));
        assertThatThrownBy(place::socket).isInstanceOf(LinkFailure.class);
    }
}
