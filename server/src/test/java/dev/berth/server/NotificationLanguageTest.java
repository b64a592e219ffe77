package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.notify.ConnectionSettings;
import dev.berth.notify.Notifier;
import dev.berth.testkit.http.WebhookServer;
import dev.berth.texts.Language;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Each reader gets texts in its own language; the server of these tests is set to Chinese. */
final class NotificationLanguageTest {

    private static final String CHINESE = "磁盘空间不足";
    private static final String ENGLISH = "Disk space on";

    @TempDir private Path directory;
    private final WebhookServer inbox = new WebhookServer();
    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        inbox.close();
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/alerts | '' | 磁盘空间不足",
                "/api/alerts | de | 磁盘空间不足",
                "/api/alerts | en-GB,en;q=0.9 | Disk space on",
                "/api/alerts?language=zh-CN | en | 磁盘空间不足",
                "/api/alerts?language=en | zh | Disk space on"
            })
    void alertsAreInTheLanguageOfTheReader(String path, String accepted, String text)
            throws Exception {
        server.node.diskSpace(true, 5);
        eventually("it is raised", () -> server.socket().get("/api/alerts").json().size() == 1);
        var reply =
                accepted.isEmpty()
                        ? server.socket().get(path)
                        : server.socket().get(path, "Accept-Language: " + accepted);
        assertThat(reply.json().get(0).get("message").asString()).contains(text);
    }

    @Test
    void aReceiverGetsTextsInItsOwnLanguage() throws Exception {
        var settings =
                new Notifier.NotifierSettings(
                        List.of(
                                receiver("chinese", Optional.empty()),
                                receiver("english", Optional.of(Language.ENGLISH))),
                        Optional.empty(),
                        Language.CHINESE,
                        Optional.empty(),
                        directory.resolve("messages"));
        try (var notifier =
                Notifier.start(settings, server.engine, server.store, ConnectionSettings.usual())) {
            assertThat(notifier.sendTestTo("english").orElseThrow().delivered()).isTrue();
            server.node.diskSpace(true, 5);
            inbox.await(3);
        }
        assertThat(bodies("/english"))
                .hasSize(2)
                .anySatisfy(body -> assertThat(body).contains("This is a test message"))
                .anySatisfy(body -> assertThat(body).contains(ENGLISH));
        assertThat(bodies("/chinese"))
                .singleElement()
                .satisfies(body -> assertThat(body).contains(CHINESE));
    }

    private List<String> bodies(String path) {
        return inbox.got().stream()
                .filter(one -> one.uri().getPath().equals(path))
                .map(one -> one.body())
                .toList();
    }

    private Receiver receiver(String name, Optional<Language> language) {
        return new Receiver(
                name,
                new Receiver.Channel(
                        ChannelKind.WEBHOOK,
                        Optional.of(inbox.url("/" + name)),
                        Optional.empty(),
                        List.of()),
                new TreeSet<>(),
                new TreeSet<>(List.of(Topic.ALERT)),
                AlertLevel.INFO,
                language);
    }
}
