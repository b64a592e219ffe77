package dev.berth.cli.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class AlertsAndReceiversCommandTest {

    private static final String ALERTS =
            "[{\"id\":9,\"at\":\"1970-01-01T00:00:00.000000Z\",\"level\":\"CRITICAL\",\"type\":\"gpu_error\",\"message\":\"GPU"
                + " 3 发生错误: Xid\\u001b[2J 79\",\"details\":{\"gpu_id\":3},\"task_id\":null},"
                + "{\"id\":4,\"at\":\"never\",\"level\":\"INFO\",\"type\":\"gpu_returned\",\"message\":\"GPU"
                + " 3 已恢复\",\"details\":{},\"task_id\":7}]";

    private static final String RECEIVERS =
            "[{\"name\":\"lab\",\"kind\":\"feishu\",\"to\":\"open.feishu.cn\",\"users\":[\"alice\"],"
                + "\"events\":[\"alert\",\"task_failed\"],\"state\":\"failing\",\"last_delivered_at\":null,\"waiting\":3,\"last_error\":\"answered"
                + " 500\"}]";

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
    void alertsAreShownWithTheirLevelAndAge() {
        fixture.server().on("GET /api/alerts?limit=20&language=en", ALERTS);
        Result result = fixture.run("alerts");
        assertThat(result.status()).isZero();
        assertThat(result.out().lines().toList())
                .hasSize(2)
                .first()
                .asString()
                .matches("CRITICAL +\\d+d  GPU 3 发生错误: Xid\\\\e\\[2J 79");
        assertThat(result.out()).endsWith("INFO        ?  GPU 3 已恢复\n");
        fixture.server().on("GET /api/alerts?limit=20", ALERTS);
        assertThat(fixture.run("alerts", "--json").out()).isEqualTo(ALERTS + "\n");
    }

    @Test
    void fewerAlertsCanBeAskedFor() {
        fixture.server().on("GET /api/alerts?limit=3&level=WARNING&language=en", "[]");
        assertThat(fixture.run("alerts", "-n", "3", "--level", "warning"))
                .isEqualTo(new Result(0, "No alerts.\n", ""));
        assertThat(fixture.run("alerts", "-n", "0").status()).isEqualTo(2);
        assertThat(fixture.run("alerts", "-n", "1001").status()).isEqualTo(2);
        assertThat(fixture.run("alerts", "--level", "bad").status()).isEqualTo(2);
    }

    @Test
    void receiversAreShownWithHowItGoes() {
        fixture.server().on("GET /api/receivers", RECEIVERS);
        String out = fixture.run("receivers").out();
        assertThat(out)
                .contains("lab", "feishu", "open.feishu.cn", "alert task_failed of alice")
                .contains("failing", "3", "answered 500");
        assertThat(fixture.run("receivers", "--json").out()).isEqualTo(RECEIVERS + "\n");
    }

    @Test
    void aHomeWithoutReceiversReportsIt() {
        fixture.server().on("GET /api/receivers", "[]");
        assertThat(fixture.run("receivers").out()).startsWith("No receivers are configured");
    }

    @Test
    void aTestSaysWhetherItArrived() {
        fixture.server()
                .on(
                        "POST /api/receivers/lab/test",
                        "{\"delivered\":true,\"detail\":\"answered 200\"}");
        fixture.server()
                .on(
                        "POST /api/receivers/a%2Fb/test",
                        "{\"delivered\":false,\"detail\":\"answered 500\"}");
        assertThat(fixture.run("receivers", "test", "lab"))
                .isEqualTo(new Result(0, "delivered: answered 200\n", ""));
        assertThat(fixture.run("receivers", "test", "a/b"))
                .isEqualTo(new Result(1, "", "berth: not delivered: answered 500\n"));
        assertThat(fixture.run("receivers", "test").status()).isEqualTo(2);
        assertThat(fixture.run("receivers", "try", "lab").status()).isEqualTo(2);
    }
}
