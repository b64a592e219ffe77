package dev.berth.notify;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.http.WebhookServer;
import dev.berth.texts.Language;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/** An alert about a full disk must leave the machine although the disk is full. */
class UnstoredAlertTest {

    @TempDir private Path directory;

    @Test
    void anAlertThatCannotBeStoredIsSentOnce() throws Exception {
        try (var engine = TestEngine.open();
                var inbox = new WebhookServer();
                var _ = start(engine, inbox)) {
            inbox.fallSilent();
            engine.store.failNextCommits(2, StoreFailure.Kind.FULL);
            engine.loop.observe(new Fact.DiskSpaceRead("sim", true, 10));

            inbox.await(1);
            assertThat(inbox.got().getFirst().body()).contains("disk_low");
            eventually(
                    "it is stored before the receiver has answered",
                    () -> !engine.store.alerts(OptionalLong.empty(), 10).isEmpty());
            inbox.answerAgain();
            engine.loop.observe(new Fact.DiskSpaceRead("sim", false, 90_000));
            inbox.await(2);
            assertThat(inbox.got().get(1).body()).contains("disk_recovered");
        }
    }

    @Test
    void anAlertThatTheReceiverRefusedIsSentAgainWhenItIsStored() throws Exception {
        try (var engine = TestEngine.open();
                var inbox = new WebhookServer();
                var _ = start(engine, inbox)) {
            inbox.answer(500, "");
            engine.store.failNextCommits(2, StoreFailure.Kind.FULL);
            engine.loop.observe(new Fact.DiskSpaceRead("sim", true, 10));

            assertThat(inbox.await(2))
                    .allSatisfy(got -> assertThat(got.body()).contains("disk_low"));
        }
    }

    private Notifier start(TestEngine engine, WebhookServer inbox) throws Exception {
        var receiver =
                new Receiver(
                        "hook",
                        new Receiver.Channel(
                                ChannelKind.WEBHOOK,
                                Optional.of(inbox.url("/hook")),
                                Optional.empty(),
                                List.of()),
                        new TreeSet<>(),
                        new TreeSet<>(List.of(Topic.ALERT)),
                        AlertLevel.INFO);
        var settings =
                new Notifier.NotifierSettings(
                        List.of(receiver),
                        Optional.empty(),
                        Language.ENGLISH,
                        Optional.empty(),
                        directory.resolve("messages"));
        return Notifier.start(
                settings,
                engine.loop,
                engine.store,
                new ConnectionSettings(NotifierTest.QUICK, Optional.empty()));
    }
}
