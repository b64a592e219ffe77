package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.core.task.AttemptFindings;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.http.WebhookServer;
import dev.berth.texts.Language;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** On a server of many users, a group does not read the logs of its members. */
class HiddenWorkTest {

    private static final String WORD = "xyzzy";

    @TempDir private Path directory;
    private final WebhookServer inbox = new WebhookServer();

    private Receiver receiver(String name, String... users) {
        return new Receiver(
                name,
                new Receiver.Channel(
                        ChannelKind.WEBHOOK,
                        Optional.of(inbox.url("/" + name)),
                        Optional.empty(),
                        List.of()),
                new TreeSet<>(List.of(users)),
                new TreeSet<>(List.of(Topic.TASK_FAILED)),
                AlertLevel.WARNING);
    }

    private String text(String path) {
        return inbox.got().stream()
                .filter(one -> one.uri().getPath().equals(path))
                .map(one -> one.body())
                .findFirst()
                .orElse("");
    }

    @Test
    void onlyAReceiverOfOneUserGetsErrorsAndLogLines() throws Exception {
        var settings =
                new Notifier.NotifierSettings(
                        List.of(
                                receiver("lab"),
                                receiver("two", "ann", "bob"),
                                receiver("own", "ann")),
                        Optional.empty(),
                        Language.ENGLISH,
                        Optional.empty(),
                        directory.resolve("messages"),
                        true);
        try (inbox;
                var engine = TestEngine.open();
                var _ =
                        Notifier.start(
                                settings, engine.loop, engine.store, ConnectionSettings.usual())) {
            var task = engine.submit("train");
            var diagnosis = new Diagnosis(Cause.OOM, "out of memory " + WORD);
            engine.end(task, 3, new AttemptFindings(Optional.of(diagnosis), Optional.empty()));
            inbox.await(3);
            assertThat(text("/own")).contains(WORD, "\"exit_code\":3");
            for (var shared : List.of("/lab", "/two")) {
                assertThat(text(shared)).contains("train", "\"status\":\"failed\"");
                assertThat(text(shared)).doesNotContain(WORD).contains("\"exit_code\":null");
            }
        }
    }
}
