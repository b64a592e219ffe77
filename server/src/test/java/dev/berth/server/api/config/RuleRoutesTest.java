package dev.berth.server.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

class RuleRoutesTest {

    private static final String FILE =
            """
            # 调度配置
            check_time: 5  # 调度间隔（秒）

            retry_config:
              backoff_duration: 600         # 退避时间 10 分钟
            gpu_left: 1
            """;

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        // The server started before: the file was created meanwhile.
        Files.writeString(config(), FILE);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private Path config() {
        return server.home.resolve("config.yaml");
    }

    private TestHttpClient.Reply put(String body) {
        return put("/api/rule", body);
    }

    private TestHttpClient.Reply put(String path, String body) {
        return server.socket().send("PUT", path, List.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode entry(String key) {
        return entry(server.socket().get("/api/rule").json(), key);
    }

    private static JsonNode entry(JsonNode rules, String key) {
        return StreamSupport.stream(rules.get("entries").spliterator(), false)
                .filter(entry -> entry.get("key").asString().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode shown(String key) {
        return StreamSupport.stream(server.socket().get("/api/config").json().spliterator(), false)
                .filter(entry -> entry.get("key").asString().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void showsEveryRuleWithItsRange() {
        var rules = server.socket().get("/api/rule/").json();

        assertThat(rules.get("file").asString()).isEqualTo("config.yaml");
        assertThat(rules.get("values").toString())
                .isEqualTo(
                        "{\"limits\":{\"default.max_gpus\":null,\"default.max_running\":null,"
                                + "\"default.max_queued\":null,\"default.max_hours\":null,"
                                + "\"default.max_priority\":null,"
                                + "\"default.gpu_hours_per_day\":null},\"count_outside\":false,"
                                + "\"check_time\":5,\"use_all_gpus\":true,"
                                + "\"compete_gpus\":[0,1,2,3,4,5,6,7,8,9],\"gpu_left\":1,"
                                + "\"maximize_resource_utilization\":false,\"foreign\":\"yield\","
                                + "\"memory_threshold_percent\":20,\"assign_delay_seconds\":0,"
                                + "\"start_confirm_timeout_seconds\":60,"
                                + "\"retry_config\":{\"max_retry_before_backoff\":3,"
                                + "\"backoff_duration\":600,\"max_retries\":null},"
                                + "\"work_dir\":null,\"command_policy\":"
                                + "{\"allow\":[],\"deny\":[],\"message\":null}}");
        assertThat(entry(rules, "check_time").toString())
                .startsWith(
                        "{\"key\":\"check_time\",\"value\":5,\"usual\":5,\"source\":\"usual\","
                            + "\"kind\":\"whole\",\"words\":null,\"least\":1,\"most\":86400,\"about\":\"the"
                            + " minimum seconds between two statuses of a run in its log\"");
        assertThat(entry(rules, "foreign").get("words").toString())
                .isEqualTo("[\"yield\",\"fit\"]");
        assertThat(entry(rules, "use_all_gpus").get("kind").asString()).isEqualTo("flag");
        assertThat(entry(rules, "compete_gpus").get("kind").asString()).isEqualTo("cards");
        assertThat(entry(rules, "work_dir").get("kind").asString()).isEqualTo("text");
    }

    @Test
    void changeIsAppliedAndKeepsComments() throws IOException {
        var reply = put("{\"check_time\":7}");

        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        assertThat(entry(reply.json(), "check_time").get("source").asString())
                .isEqualTo("config.yaml:2");
        assertThat(Files.readString(config()))
                .isEqualTo(FILE.replace("check_time: 5", "check_time: 7"));
        assertThat(server.applied.getLast().lanes().rules().checkTime())
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(shown("check_time").get("value").asInt()).isEqualTo(7);
        assertThat(shown("check_time").get("source").asString()).isEqualTo("config.yaml:2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'check_time':-1}|check_time",
                "{'check_time':'7'}|check_time",
                "{'check_time':7.5}|check_time",
                "{'check_time':[7]}|check_time",
                "{'check_time':{'a':1}}|check_time",
                "{'gpu_left':-1}|gpu_left",
                "{'gpu_left':'two'}|gpu_left",
                "{'compete_gpus':[0,0]}|compete_gpus",
                "{'compete_gpus':[null]}|compete_gpus",
                "{'compete_gpus':[[1]]}|compete_gpus",
                "{'foreign':'nice'}|foreign",
                "{'work_dir':''}|work_dir",
                "{'work_dir':'a\\nb'}|work_dir",
                "{'retry_config':3}|retry_config",
                "{'retry_config':{'backoff_duration':-5}}|retry_config.backoff_duration",
                "{'retry_config':{'rest':5}}|retry_config.rest",
                "{'retry_config':{'backoff_duration':5},'retry_config.backoff_duration':6}"
                        + "|retry_config.backoff_duration",
                "{'port':1}|port",
                "{'chek_time':5}|chek_time",
                "{'gpu_left':2,'check_time':0}|check_time",
            })
    void aBadValueIsRefusedWithItsKeyAndNothingIsWritten(String body, String field)
            throws IOException {
        var reply = put(body.replace('\'', '"'));

        assertThat(reply.status()).as(reply.toString()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
        assertThat(Files.readString(config())).isEqualTo(FILE);
        assertThat(server.applied).isEmpty();
        assertThat(entry("gpu_left").get("value").asInt()).isEqualTo(1);
    }

    @Test
    void keysMayBeNestedOrDotted() throws IOException {
        assertThat(put("{\"retry_config\":{\"backoff_duration\":5}}").status()).isEqualTo(200);
        assertThat(put("{\"retry_config.max_retries\":9}").status()).isEqualTo(200);

        assertThat(Files.readString(config()))
                .isEqualTo(
                        FILE.replace("duration: 600  ", "duration: 5  ")
                                .replace("分钟\n", "分钟\n  max_retries: 9\n"));
        assertThat(server.applied.getLast().lanes().rules().maxRetries()).hasValue(9);
    }

    @Test
    void nullRestoresTheDefault() throws IOException {
        assertThat(put("{\"check_time\":7,\"gpu_left\":3}").status()).isEqualTo(200);
        assertThat(put("{\"check_time\":null,\"retry_config\":null}").status()).isEqualTo(200);

        assertThat(Files.readString(config()))
                .isEqualTo(
                        """
                        # 调度配置
                        # 调度间隔（秒）

                        retry_config:
                          # 退避时间 10 分钟
                        gpu_left: 3
                        """);
        assertThat(entry("check_time").get("source").asString()).isEqualTo("usual");
        assertThat(entry("gpu_left").get("value").asInt()).isEqualTo(3);
    }

    @Test
    void unpersistedChangeLeavesFilesUnchanged() throws Exception {
        var reply = put("/api/rule?persist=false", "{\"gpu_left\":4,\"work_dir\":\"/tmp\"}");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(entry("gpu_left").get("value").asInt()).isEqualTo(4);
        assertThat(entry("gpu_left").get("source").asString()).isEqualTo("in memory");
        assertThat(shown("gpu_left").get("source").asString()).isEqualTo("in memory");
        assertThat(server.applied.getLast().lanes().rules().gpusLeft()).isEqualTo(4);
        assertThat(server.applied.getLast().lanes().rules().workDir().path())
                .isEqualTo(Path.of("/tmp"));
        assertThat(Files.readString(config())).isEqualTo(FILE);

        var after = TestServer.processBook(server.home, new ArrayList<>());
        assertThat(after.current().lanes().rules().gpusLeft()).isEqualTo(1);
    }

    @Test
    void invalidPersistIsRejected() {
        assertThat(put("/api/rule?persist=maybe", "{}").status()).isEqualTo(422);
    }

    @Test
    void brokenFileIsReportedAndNotChanged() throws IOException {
        Files.writeString(config(), "check_time: 5\n  gpu_left: 2\n");

        var reply = put("{\"check_time\":7}");

        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.code()).isEqualTo("rule.file_broken");
        assertThat(reply.text()).contains("config.yaml:2");
        assertThat(Files.readString(config())).isEqualTo("check_time: 5\n  gpu_left: 2\n");
        assertThat(server.socket().get("/api/rule").status()).isEqualTo(200);
    }

    @Test
    void uneditableFileIsReportedAndNotChanged() throws IOException {
        Files.writeString(config(), "retry_config: {backoff_duration: 600}\n");

        var reply = put("{\"gpu_left\":2,\"retry_config\":{\"backoff_duration\":5}}");

        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.code()).isEqualTo("rule.not_editable");
        assertThat(reply.field()).isEqualTo("retry_config.backoff_duration");
        assertThat(reply.json().get("detail").asString())
                .startsWith("retry_config.backoff_duration cannot be written")
                .contains("config.yaml:1", "in braces", "write it in the file as lines");
        var added = put("{\"retry_config\":{\"max_retries\":5}}");
        assertThat(added.code()).isEqualTo("rule.not_editable");
        assertThat(added.field()).isEqualTo("retry_config.max_retries");
        assertThat(Files.readString(config())).isEqualTo("retry_config: {backoff_duration: 600}\n");
    }

    @Test
    void newKeyIsWrittenNextToTheOtherRules() throws IOException {
        Files.delete(config());
        assertThat(put("{\"gpu_left\":2}").status()).isEqualTo(200);
        assertThat(server.home.resolve("config/berth.yaml")).hasContent("gpu_left: 2\n");

        Files.writeString(server.home.resolve("config/gpu_manage.yaml"), "");
        assertThat(put("{\"check_time\":3}").json().get("file").asString())
                .isEqualTo("config/gpu_manage.yaml");
        assertThat(server.home.resolve("config/gpu_manage.yaml")).hasContent("check_time: 3\n");
        assertThat(server.home.resolve("config/berth.yaml")).hasContent("gpu_left: 2\n");
    }

    @Test
    void emptyChangeDoesNothing() throws IOException {
        assertThat(put("{}").status()).isEqualTo(200);
        assertThat(put("{\"check_time\":5}").status()).isEqualTo(200);
        assertThat(Files.readString(config())).isEqualTo(FILE);
    }
}
