package dev.berth.cli.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class AuditCommandTest {

    private static final String EVENTS =
            "[{\"seq\":9,\"at\":\"1970-01-01T00:00:07.000000Z\",\"actor\":\"root\",\"kind\":\"task.cancelled\","
                + "\"task_id\":7,\"attempt\":null,\"data\":{},\"via\":\"socket\",\"owner\":\"ann\"},"
                + "{\"seq\":4,\"at\":\"1970-01-01T00:00:05.000000Z\",\"actor\":\"ann\",\"kind\":\"rules.changed\","
                + "\"task_id\":null,\"attempt\":null,\"data\":{\"to\":\"3\\u001b[2J\",\"key\":\"gpu_left\",\"from\":\"\"},"
                + "\"via\":null,\"owner\":null}]";

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
    void eachLineSaysWhenWhoAndWhat() {
        fixture.server().on("GET /api/audit?limit=50", EVENTS);
        Result result = fixture.run("audit");
        assertThat(result.out().lines().map(line -> line.substring(19)))
                .containsExactly(
                        "  root (socket)  task.cancelled  task=7  of=ann",
                        "  ann            rules.changed   key=gpu_left  to=3\\e[2J");
        assertThat(result.status()).isZero();
    }

    @Test
    void jsonIsThatOfTheServer() {
        fixture.server().on("GET /api/audit?limit=50", EVENTS);
        assertThat(fixture.run("audit", "--json").out()).isEqualTo(EVENTS + "\n");
    }

    @Test
    void optionsBecomeFilters() {
        fixture.server()
                .on(
                        "GET /api/audit?limit=5&actor=a+b&task=7&kind=token"
                                + "&since=2026-01-31T08%3A00%3A00Z&berth=true",
                        "[]");
        assertThat(
                        fixture.run(
                                "audit",
                                "-n",
                                "5",
                                "--actor",
                                "a b",
                                "--task",
                                "7",
                                "--kind",
                                "token",
                                "--since",
                                "2026-01-31T08:00:00Z",
                                "--berth"))
                .isEqualTo(new Result(0, "No such events.\n", ""));
        assertThat(fixture.run("audit", "-n", "0").status()).isEqualTo(2);
        assertThat(fixture.run("audit", "--since", "noon").status()).isEqualTo(2);
    }
}
