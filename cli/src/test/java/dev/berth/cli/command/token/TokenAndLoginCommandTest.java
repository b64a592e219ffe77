package dev.berth.cli.command.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class TokenAndLoginCommandTest {

    private static final String MADE =
            "{\"id\":3,\"name\":\"nb\",\"owner\":\"ann\",\"created_at\":\"2025-11-15T08:00:00Z\","
                    + "\"expires_at\":null,\"token\":\"berth_secret\"}";
    private static final String LINK =
            "{\"url\":\"http://127.0.0.1:1/login/code\",\"expires_at\":\"2025-11-15T08:10:00Z\"}";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static String row(int id, String kind, String more) {
        return "{\"id\":"
                + id
                + ",\"kind\":\""
                + kind
                + "\",\"name\":\"n"
                + id
                + "\",\"owner\":\"ann\",\"created_at\":\"2025-11-15T08:00:00Z\""
                + more
                + "}";
    }

    @Test
    void createPrintsTheTokenAlone() {
        server.on("POST /api/tokens", server.json(201, MADE));
        assertThat(fixture.run("token", "create", "nb", "--expires", "30"))
                .isEqualTo(new Result(0, "berth_secret\n", ""));
        assertThat(server.received().getLast().body())
                .isEqualTo("{\"name\":\"nb\",\"expires_days\":30}");
        assertThat(fixture.run("token", "create", "nb", "--json"))
                .isEqualTo(new Result(0, MADE + "\n", ""));
        assertThat(server.received().getLast().body()).isEqualTo("{\"name\":\"nb\"}");
    }

    @Test
    void lsShowsWhatIsGood() {
        server.on(
                "GET /api/tokens",
                "["
                        + row(1, "token", ",\"revoked_at\":\"2025-11-15T08:00:01Z\"")
                        + ","
                        + row(2, "session", ",\"expires_at\":\"2000-01-01T00:00:00Z\"")
                        + ","
                        + row(3, "token", "")
                        + "]");
        var said = fixture.run("token", "ls").out();
        assertThat(said.lines().map(String::strip).toList())
                .satisfiesExactly(
                        head -> assertThat(head).startsWith("ID  KIND"),
                        one -> assertThat(one).startsWith("1  token").endsWith("revoked"),
                        two -> assertThat(two).startsWith("2  session").endsWith("expired"),
                        three -> assertThat(three).startsWith("3  token").endsWith("good"));
    }

    @Test
    void revokeTakesTheIdAndNeverSaysATokenBack() {
        server.on("DELETE /api/tokens/3", row(3, "token", ""));
        assertThat(fixture.run("token", "revoke", "3"))
                .isEqualTo(new Result(0, "3 revoked (n3)\n", ""));
        var wrong = fixture.run("token", "revoke", "berth_secret");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).doesNotContain("secret").contains("berth token ls");
    }

    @Test
    void whatMakesNoSenseIsReported() {
        for (String[] words :
                new String[][] {
                    {"token"},
                    {"token", "make", "x"},
                    {"token", "create"},
                    {"token", "create", "a", "b"},
                    {"token", "ls", "x"},
                    {"token", "ls", "--expires", "3"},
                    {"token", "create", "a", "--expires", "0"}
                }) {
            assertThat(fixture.run(words).status()).as(String.join(" ", words)).isEqualTo(2);
        }
        assertThat(server.received()).isEmpty();
    }

    @Test
    void theLinkIsForEyesOnlyUnlessAskedFor() {
        server.on("POST /api/login/links", server.json(201, LINK));
        var refused = fixture.run("login");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("--print");
        assertThat(server.received()).isEmpty();
        assertThat(fixture.run("login", "--print").out())
                .isEqualTo("http://127.0.0.1:1/login/code\n");
        assertThat(fixture.run("login", "--json").out()).isEqualTo(LINK + "\n");
    }
}
