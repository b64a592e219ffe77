package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class ResolveCommandTest {

    private static final String REQUEST = "POST /api/tasks/1/resolve";

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
    void sendsTheDecision() {
        var server = fixture.server();
        server.on(REQUEST, SampleTaskJson.detail(1).ended("failed", null).toString());
        assertThat(fixture.run("resolve", "1", "ended", "--yes", "--force"))
                .isEqualTo(new Result(0, "1 failed\n", ""));
        assertThat(server.received().getFirst().body())
                .isEqualTo("{\"as\":\"ended\",\"force\":true}");
    }

    @Test
    void namesTheProcess() {
        var server = fixture.server();
        server.on(REQUEST, SampleTaskJson.detail(1).running(0).toString());
        assertThat(fixture.run("resolve", "1", "running", "-y", "--pid", "4711").status()).isZero();
        assertThat(server.received().getFirst().body())
                .isEqualTo("{\"as\":\"running\",\"pid\":4711}");
    }

    @Test
    void withoutATerminalItNamesTheRiskAndChangesNothing() {
        var server = fixture.server();
        var result = fixture.run("resolve", "1", "requeue");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("two copies").contains("--yes");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void wrongUseIsStatusTwo() {
        fixture.server();
        assertThat(fixture.run("resolve", "1", "gone", "--yes").status()).isEqualTo(2);
        assertThat(fixture.run("resolve", "1", "--yes").status()).isEqualTo(2);
        assertThat(fixture.run("resolve", "1", "running", "--yes", "--pid", "x").status())
                .isEqualTo(2);
    }
}
