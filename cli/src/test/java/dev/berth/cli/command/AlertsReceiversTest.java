package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class AlertsReceiversTest {

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
    void alertsAreShownWithTheirLevelAndAge() {
        stage.server().on("GET /api/alerts?limit=20&language=en", ALERTS);
        Result result = stage.run("alerts");
        assertThat(result.status()).isZero();
        assertThat(result.out().lines().toList())
                .hasSize(2)
                .first()
                .asString()
                .matches("CRITICAL +\\d+d  GPU 3 发生错误: Xid\\\\e\\[2J 79");
        assertThat(result.out()).endsWith("INFO        ?  GPU 3 已恢复\n");
        stage.server().on("GET /api/alerts?limit=20", ALERTS);
        assertThat(stage.run("alerts", "--json").out()).isEqualTo(ALERTS + "\n");
    }

    @Test
    void fewerAlertsCanBeAskedFor() {
        stage.server().on("GET /api/alerts?limit=3&level=WARNING&language=en", "[]");
        assertThat(stage.run("alerts", "-n", "3", "--level", "warning"))
                .isEqualTo(new Result(0, "No alerts.\n", ""));
        assertThat(stage.run("alerts", "-n", "0").status()).isEqualTo(2);
        assertThat(stage.run("alerts", "-n", "1001").status()).isEqualTo(2);
        assertThat(stage.run("alerts", "--level", "bad").status()).isEqualTo(2);
    }

    @Test
    void receiversAreShownWithHowItGoes() {
        stage.server().on("GET /api/receivers", RECEIVERS);
        String out = stage.run("receivers").out();
        assertThat(out)
                .contains("lab", "feishu", "open.feishu.cn", "alert task_failed of alice")
                .contains("failing", "3", "answered 500");
        assertThat(stage.run("receivers", "--json").out()).isEqualTo(RECEIVERS + "\n");
    }

    @Test
    void aHomeWithoutReceiversSaysSo() {
        stage.server().on("GET /api/receivers", "[]");
        assertThat(stage.run("receivers").out()).startsWith("Nobody is told");
    }

    @Test
    void aTestSaysWhetherItArrived() {
        stage.server()
                .on(
                        "POST /api/receivers/lab/test",
                        "{\"delivered\":true,\"detail\":\"answered 200\"}");
        stage.server()
                .on(
                        "POST /api/receivers/a%2Fb/test",
                        "{\"delivered\":false,\"detail\":\"answered 500\"}");
        assertThat(stage.run("receivers", "test", "lab"))
                .isEqualTo(new Result(0, "delivered: answered 200\n", ""));
        assertThat(stage.run("receivers", "test", "a/b"))
                .isEqualTo(new Result(1, "", "berth: not delivered: answered 500\n"));
        assertThat(stage.run("receivers", "test").status()).isEqualTo(2);
        assertThat(stage.run("receivers", "try", "lab").status()).isEqualTo(2);
    }
}
