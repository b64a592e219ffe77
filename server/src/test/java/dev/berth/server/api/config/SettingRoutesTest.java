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
import java.util.ArrayList;
import java.util.List;

class SettingRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply put(String body) {
        return server.socket()
                .send("PUT", "/api/setting", List.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode shown() {
        return server.socket().get("/api/setting").json();
    }

    @Test
    void showsServerAndMachine() {
        var setting = shown();

        assertThat(setting.get("values").toString())
                .isEqualTo(
                        "{\"host\":\"127.0.0.1\",\"port\":29214,\"auto_port\":false,"
                                + "\"public_url\":null}");
        assertThat(setting.get("url").asString()).isEqualTo(server.door.url());
        assertThat(setting.get("home").asString()).isEqualTo(server.home.toString());
        assertThat(setting.get("version").asString()).isEqualTo(TestServer.VERSION);
        assertThat(setting.get("java").asString()).startsWith(Runtime.version().toString());
        assertThat(setting.get("system").asString()).startsWith("Linux");
        assertThat(setting.get("hostname").asString()).isNotBlank();
        assertThat(setting.get("addresses").isArray()).isTrue();
        setting.get("addresses")
                .forEach(
                        one ->
                                assertThat(one.asString())
                                        .doesNotStartWith("127.")
                                        .doesNotContain("%"));
        assertThat(setting.get("files")).isEmpty();
        assertThat(setting.get("restart_needed").asBoolean()).isFalse();
    }

    @Test
    void savesThePortForTheNextStart() throws Exception {
        var reply = put("{\"port\":29300}");

        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        assertThat(reply.json().get("restart_needed").asBoolean()).isTrue();
        assertThat(reply.json().get("values").get("port").asInt()).isEqualTo(29_300);
        assertThat(reply.json().get("files").get(0).asString()).isEqualTo("config/berth.yaml");
        assertThat(server.home.resolve("config/berth.yaml")).hasContent("port: 29300\n");
        assertThat(shown().get("restart_needed").asBoolean()).isTrue();
        // The configuration in force has not changed.
        assertThat(server.socket().get("/api/config").text())
                .contains("{\"key\":\"port\",\"value\":29214,");
        assertThat(
                        TestServer.processBook(server.home, new ArrayList<>())
                                .current()
                                .listening()
                                .port())
                .isEqualTo(29_300);

        assertThat(put("{\"port\":null}").json().get("restart_needed").asBoolean()).isFalse();
        assertThat(server.home.resolve("config/berth.yaml")).hasContent("");
    }

    @Test
    void keepsAnExistingConsoleFile() throws IOException {
        Files.createDirectories(server.home.resolve("config"));
        var file = server.home.resolve("config/control_setting.yaml");
        Files.writeString(file, "host: 127.0.0.1 # here\nport: 29214 # 控制台\n");

        assertThat(put("{\"port\":29300,\"auto_port\":true}").status()).isEqualTo(200);

        assertThat(file).hasContent("host: 127.0.0.1 # here\nport: 29300 # 控制台\nauto_port: true\n");
        assertThat(server.home.resolve("config/berth.yaml")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'port':70000}|port",
                "{'port':-1}|port",
                "{'port':'80'}|port",
                "{'host':'0.0.0.0'}|host",
                "{'host':'0.0.0.0','port':1}|host",
                "{'auto_port':1}|auto_port",
                "{'gpu_left':1}|gpu_left",
                "{'auth':'none'}|auth",
            })
    void whatMayNotBeIsRefusedAndNothingIsWritten(String body, String field) {
        var reply = put(body.replace('\'', '"'));

        assertThat(reply.status()).as(reply.toString()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
        assertThat(server.home.resolve("config")).doesNotExist();
        assertThat(shown().get("restart_needed").asBoolean()).isFalse();
    }

    @Test
    void showsWhereTheAddressIsSet() {
        assertThat(put("{\"host\":\"0.0.0.0\"}").text())
                .contains("setting.only_in_file", "config/berth.yaml");
    }
}
