package dev.berth.server.api.alert;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.WebhookServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The routes about alerts and their receivers. */
class AlertRoutesTest {

    private final WebhookServer inbox = new WebhookServer();

    @AfterEach
    void close() {
        inbox.close();
    }

    private static TestServer open(Receiver... receivers) throws Exception {
        return TestServer.open(
                new TestServer.Options(
                        SchedulingRules.DEFAULT, Duration.ofDays(1), List.of(receivers)));
    }

    private Receiver webhook(Topic topic) {
        return new Receiver(
                "hook",
                new Receiver.Channel(
                        ChannelKind.WEBHOOK,
                        Optional.of(inbox.url("/hook")),
                        Optional.empty(),
                        List.of()),
                new TreeSet<>(),
                new TreeSet<>(List.of(topic)),
                AlertLevel.WARNING);
    }

    @Test
    void everyAlertIsPostedAsTheApiShowsIt() throws Exception {
        try (var server = open(Receiver.ofAllAlerts(inbox.url("/alerts?k=v")))) {
            server.node.diskSpace(true, 5);
            server.node.diskSpace(false, 5000);
            var got = inbox.await(2);
            var kept = server.socket().get("/api/alerts").json();
            assertThat(got.getFirst().json()).isEqualTo(kept.get(1));
            assertThat(got.getLast().json()).isEqualTo(kept.get(0));
            assertThat(got.getFirst().method()).isEqualTo("POST");
            assertThat(got.getFirst().uri()).hasToString("/alerts?k=v");
            assertThat(got.getFirst().contentType()).isEqualTo("application/json; charset=utf-8");
            assertThat(kept.get(1).get("message").asString()).contains("磁盘空间不足", "5 MiB");
            assertThat(kept.get(1).at("/details/free_mib").isIntegralNumber()).isTrue();
        }
    }

    @Test
    void theRoutesShowAndTestReceivers() throws Exception {
        try (var other = open(webhook(Topic.ALERT))) {
            var list = other.socket().get("/api/receivers").json();
            assertThat(list.toString())
                    .isEqualTo(
                            "[{\"name\":\"hook\",\"kind\":\"webhook\",\"to\":\"127.0.0.1\",\"users\":null,"
                                + "\"events\":[\"alert\"],\"state\":\"ok\",\"last_delivered_at\":null,"
                                + "\"waiting\":0,\"last_error\":null}]");
            var test = other.socket().post("/api/receivers/hook/test", "");
            assertThat(test.text()).isEqualTo("{\"delivered\":true,\"detail\":\"answered 200\"}\n");
            var unknown = other.socket().post("/api/receivers/nobody/test", "");
            assertThat(unknown.status()).isEqualTo(404);
            assertThat(unknown.code()).isEqualTo("receiver.unknown");
        }
    }

    @Test
    void alertsArePagedAndFilteredByLevel() throws Exception {
        try (var server = open()) {
            server.node.diskSpace(true, 5);
            server.node.diskSpace(false, 5000);
            server.node.diskSpace(true, 4);
            eventually(
                    "there are three", () -> server.socket().get("/api/alerts").json().size() == 3);
            var all = server.socket().get("/api/alerts").json();
            var newest = server.socket().get("/api/alerts?limit=1").json();
            assertThat(newest.get(0)).isEqualTo(all.get(0));
            long before = all.get(0).get("id").asLong();
            var older = server.socket().get("/api/alerts?before=" + before).json();
            assertThat(older.size()).isEqualTo(2);
            var critical = server.socket().get("/api/alerts?level=CRITICAL&limit=2").json();
            assertThat(critical.get(0)).isEqualTo(all.get(0));
            assertThat(critical.get(1)).isEqualTo(all.get(2));
            assertThat(server.socket().get("/api/alerts?level=BAD").status()).isEqualTo(422);
        }
    }
}
