package dev.berth.notify;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.EngineCommand;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Event;
import dev.berth.port.event.NodeAlert.NotificationUndelivered;
import dev.berth.port.read.TaskQueries;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.ObservedQueries;
import dev.berth.testkit.http.WebhookServer;
import dev.berth.texts.Language;
import dev.berth.wire.ReceiverInfo;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Notifications reach their receivers, even if other receivers fail. */
class NotifierTest {

    static final DeliveryTiming QUICK =
            new DeliveryTiming(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofMillis(5),
                    Duration.ofMillis(20),
                    Duration.ofMillis(1),
                    Duration.ofDays(1),
                    Duration.ofSeconds(5));

    @TempDir private Path directory;
    private TestEngine engine;
    private final WebhookServer inbox = new WebhookServer();
    private final List<Notifier> started = new ArrayList<>();

    @BeforeEach
    void open() {
        engine = TestEngine.open();
    }

    @AfterEach
    void close() {
        started.forEach(Notifier::close);
        inbox.close();
        engine.close();
    }

    private Notifier start(DeliveryTiming patience, Receiver... receivers) throws Exception {
        return start(patience, engine.store, receivers);
    }

    private Notifier start(DeliveryTiming patience, TaskQueries queries, Receiver... receivers)
            throws Exception {
        var settings =
                new Notifier.NotifierSettings(
                        List.of(receivers),
                        Optional.empty(),
                        Language.CHINESE,
                        Optional.of("https://b.example.org"),
                        directory.resolve("messages"));
        var means = new ConnectionSettings(patience, Optional.empty());
        var messages = Notifier.start(settings, engine.loop, queries, means);
        started.add(messages);
        return messages;
    }

    private static Receiver receiver(String name, ChannelKind form, URI url, Topic... topics) {
        return new Receiver(
                name,
                new Receiver.Channel(form, Optional.of(url), Optional.empty(), List.of()),
                new TreeSet<>(),
                new TreeSet<>(List.of(topics)),
                AlertLevel.WARNING);
    }

    private Receiver webhook(Topic... topics) {
        return receiver("hook", ChannelKind.WEBHOOK, inbox.url("/hook"), topics);
    }

    private static Receiver forUsers(Receiver receiver, String... users) {
        return new Receiver(
                receiver.name(),
                receiver.channel(),
                new TreeSet<>(List.of(users)),
                receiver.topics(),
                receiver.minLevel());
    }

    private long ended(String name, int code) {
        var id = engine.submit(name);
        engine.end(id, code);
        return id.value();
    }

    private static ReceiverInfo info(Notifier messages, String name) {
        return messages.receivers().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<NotificationUndelivered> undelivered() {
        return engine.store.alerts(OptionalLong.empty(), 100).stream()
                .map(Event::payload)
                .filter(NotificationUndelivered.class::isInstance)
                .map(NotificationUndelivered.class::cast)
                .toList();
    }

    @Test
    void aFailedTaskIsReportedWithCauseAndUsage() throws Exception {
        start(
                QUICK,
                webhook(Topic.TASK_FAILED),
                receiver("chat", ChannelKind.FEISHU, inbox.url("/chat"), Topic.TASK_FAILED));
        var need = new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.of(8192));
        var task = engine.submit(TaskSpec.of("train", "x", need, "/"));
        long id = task.value();
        var diagnosis = new Diagnosis(Cause.OOM, "torch.OutOfMemoryError: CUDA out of memory.");
        engine.end(task, 1, findings(diagnosis));
        inbox.await(2);
        var told = present("the webhook was called", () -> got("/hook")).json();
        assertThat(told.get("event").asString()).isEqualTo("task_failed");
        assertThat(told.at("/task/id").asLong()).isEqualTo(id);
        assertThat(told.at("/task/name").asString()).isEqualTo("train");
        assertThat(told.at("/task/status").asString()).isEqualTo("failed");
        assertThat(told.at("/task/exit_code").asInt()).isEqualTo(1);
        assertThat(told.at("/task/error").asString()).isEqualTo("CUDA out of memory");
        assertThat(told.at("/usage/peak_memory_mb").asInt()).isEqualTo(7000);
        assertThat(told.at("/usage/memory_asked_mb").asInt()).isEqualTo(8192);
        assertThat(told.at("/diagnosis/cause").asString()).isEqualTo("oom");
        assertThat(told.get("url").asString()).isEqualTo("https://b.example.org/ui/tasks/" + id);
        var chat = present("the chat was notified", () -> got("/chat")).body();
        assertThat(chat)
                .contains("任务失败: train (#" + id + ")", "退出码: 1", "显存不足")
                .contains("torch.OutOfMemoryError: CUDA out of memory.")
                .contains("峰值 7000 MiB, 平均 5000 MiB, 申请 8192 MiB", "平均 40%, 峰值 90%")
                .contains("https://b.example.org/ui/tasks/" + id);
    }

    /** With typical GPU usage. */
    private static AttemptFindings findings(Diagnosis diagnosis) {
        var used =
                new GpuConsumption(
                        7000, 5000, OptionalInt.of(90), OptionalInt.of(40), Duration.ofSeconds(60));
        return new AttemptFindings(Optional.of(diagnosis), Optional.of(used));
    }

    private Optional<WebhookServer.Got> got(String path) {
        return inbox.got().stream().filter(one -> one.uri().getPath().equals(path)).findFirst();
    }

    @Test
    void eachReceiverGetsOnlyItsTopics() throws Exception {
        var me = TestEngine.ANN.name();
        start(
                QUICK,
                receiver("done", ChannelKind.WEBHOOK, inbox.url("/done"), Topic.TASK_COMPLETED),
                receiver("failed", ChannelKind.WEBHOOK, inbox.url("/failed"), Topic.TASK_FAILED),
                forUsers(
                        receiver(
                                "mine",
                                ChannelKind.WEBHOOK,
                                inbox.url("/mine"),
                                Topic.TASK_FAILED,
                                Topic.ALERT),
                        me),
                forUsers(
                        receiver(
                                "other",
                                ChannelKind.WEBHOOK,
                                inbox.url("/other"),
                                Topic.TASK_FAILED,
                                Topic.ALERT),
                        "nobody"),
                receiver("warned", ChannelKind.WEBHOOK, inbox.url("/warned"), Topic.ALERT));
        ended("good", 0);
        ended("bad", 2);
        engine.node.diskSpace(true, 5);
        engine.node.diskSpace(false, 5000);
        ended("last", 3);
        eventually("the last one is sent", () -> count("/failed") == 2 && count("/mine") == 2);
        eventually("the alert is sent", () -> count("/warned") == 1);
        assertThat(count("/done")).isEqualTo(1);
        assertThat(count("/other")).isZero();
        assertThat(got("/warned").orElseThrow().json().get("type").asString())
                .isEqualTo("disk_low");
    }

    private long count(String path) {
        return inbox.got().stream().filter(one -> one.uri().getPath().equals(path)).count();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "WEBHOOK|500|oops|answered 500",
                "WEBHOOK|302||answered 302, a redirect, which is not followed",
                "FEISHU|200|{\"code\":19024,\"msg\":\"Key Words Not Found\"}|answered 200, but did"
                        + " not take it: code 19024: Key Words Not Found",
                "DINGTALK|200|{\"errcode\":130101}|answered 200, but did not take it: errcode"
                        + " 130101",
                "WECOM|200|busy|answered 200, but did not take it: the answer has no errcode",
                "SLACK|429|rate_limited|answered 429 (rate_limited)"
            })
    void whoDoesNotTakeAMessageIsTriedAgainAndToldOfOnce(
            ChannelKind form, int status, String body, String why) throws Exception {
        inbox.answer(status, body == null ? "" : body);
        var messages =
                start(
                        QUICK,
                        receiver("bad", form, inbox.url("/bad"), Topic.TASK_FAILED, Topic.ALERT),
                        receiver(
                                "other",
                                ChannelKind.WEBHOOK,
                                inbox.url("/bad"),
                                Topic.TASK_COMPLETED));
        long id = ended("lost?", 1);
        eventually("it is tried again and again", () -> count("/bad") > 7);
        assertThat(engine.store.find(new TaskId(id)).orElseThrow().task().state().apiName())
                .isEqualTo("failed");
        eventually("it is reported", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst()).isEqualTo(new NotificationUndelivered("bad", why));
        assertThat(info(messages, "bad").state()).isEqualTo("failing");
        assertThat(info(messages, "bad").lastError()).isEqualTo(why);
        assertThat(info(messages, "bad").waiting()).isEqualTo(1);
        assertThat(info(messages, "other").state()).isEqualTo("ok");
        assertThat(count("/elsewhere")).isZero();
        inbox.answer(200, form == ChannelKind.SLACK ? "ok" : "{\"code\":0,\"errcode\":0}");
        eventually("it arrives", () -> info(messages, "bad").state().equals("ok"));
        assertThat(info(messages, "bad").waiting()).isZero();
        assertThat(undelivered()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 410, 422})
    void aPermanentlyRefusedMessageDoesNotBlockTheNext(int status) throws Exception {
        inbox.answer(status, "");
        var messages = start(QUICK, webhook(Topic.TASK_FAILED));
        long bad = ended("bad", 1);
        eventually("it is reported", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst())
                .isEqualTo(new NotificationUndelivered("hook", "answered " + status));
        eventually("it is passed over", () -> info(messages, "hook").waiting() == 0);
        assertThat(info(messages, "hook").state()).isEqualTo("failing");
        assertThat(info(messages, "hook").lastError()).isEqualTo("answered " + status);
        inbox.answer(200, "");
        long good = ended("good", 1);
        eventually("the next arrives", () -> info(messages, "hook").state().equals("ok"));
        var ids = inbox.got().stream().map(got -> got.json().at("/task/id").asLong()).toList();
        assertThat(ids).containsExactly(bad, bad, bad, bad, bad, good);
        assertThat(undelivered()).hasSize(1);
    }

    /** A store with an unexpected failure for one of the tasks. */
    private TaskQueries defective(String name) {
        return new ObservedQueries(
                engine.store,
                id -> {
                    var task = engine.store.find(id).orElseThrow().task();
                    if (task.spec().name().equals(name)) {
                        throw new IllegalStateException("nobody thought of this");
                    }
                });
    }

    @Test
    void aMessageThatCannotBeBuiltRaisesAnAlertAndDoesNotBlockTheNext() throws Exception {
        var messages = start(QUICK, defective("bad"), webhook(Topic.TASK_FAILED));
        ended("bad", 1);
        eventually("it is reported", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst().why()).contains("nobody thought of this");
        assertThat(info(messages, "hook").state()).isEqualTo("failing");
        assertThat(info(messages, "hook").lastError()).contains("nobody thought of this");
        long good = ended("good", 1);
        assertThat(inbox.await(1).getFirst().json().at("/task/id").asLong()).isEqualTo(good);
    }

    @Test
    void oneBadEventDoesNotBlockTheOthersOfItsDigest() throws Exception {
        var chat = receiver("chat", ChannelKind.DINGTALK, inbox.url("/chat"), Topic.TASK_FAILED);
        start(QUICK, chat).close();
        for (int i = 0; i < 7; i++) {
            ended("task-" + i, 1);
        }
        start(QUICK, defective("task-3"), chat);
        inbox.await(6);
        for (int i : List.of(0, 1, 2, 4, 5, 6)) {
            assertThat(inbox.got()).anyMatch(got -> got.body().contains("task-" + i));
        }
    }

    @Test
    void theEndOfARemovedTaskIsNotSent() throws Exception {
        start(QUICK, webhook(Topic.TASK_FAILED)).close();
        var removed =
                List.of(
                        new EngineCommand.OwnedTask(
                                new TaskId(ended("removed", 1)), TestEngine.ANN));
        engine.loop
                .ask(new EngineCommand.RemoveTasks(engine.loop.now(), TestEngine.ANN, removed))
                .join();
        long kept = ended("kept", 1);
        start(QUICK, webhook(Topic.TASK_FAILED));
        assertThat(inbox.await(1).getFirst().json().at("/task/id").asLong()).isEqualTo(kept);
        assertThat(undelivered()).isEmpty();
    }

    @Test
    void allReceiversAreStoppedBeforeAnyIsAwaited() throws Exception {
        var receivers =
                IntStream.range(0, 10)
                        .mapToObj(
                                i ->
                                        receiver(
                                                "r" + i,
                                                ChannelKind.WEBHOOK,
                                                inbox.url("/"),
                                                Topic.TASK_FAILED))
                        .toArray(Receiver[]::new);
        var asking = new CountDownLatch(receivers.length);
        var stopped = new CountDownLatch(receivers.length);
        var endedInTime = new ConcurrentLinkedQueue<Boolean>();
        var queries =
                new ObservedQueries(
                        engine.store,
                        _ -> {
                            asking.countDown();
                            awaitInterrupt();
                            stopped.countDown();
                            // Ends only after all the others were stopped too.
                            endedInTime.add(awaitAll(stopped));
                            Thread.currentThread().interrupt();
                        });
        var messages = start(withStopLimit(Duration.ofMinutes(5)), queries, receivers);
        ended("x", 1);
        asking.await();
        messages.close();
        assertThat(endedInTime).hasSize(receivers.length).containsOnly(true);
    }

    private static DeliveryTiming withStopLimit(Duration limit) {
        return new DeliveryTiming(
                QUICK.connectLimit(),
                QUICK.answerLimit(),
                QUICK.firstRetryDelay(),
                QUICK.maxRetryDelay(),
                QUICK.chatInterval(),
                QUICK.maxEventAge(),
                limit);
    }

    private static void awaitInterrupt() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException _) {
            // Stopped.
        }
    }

    private static boolean awaitAll(CountDownLatch latch) {
        try {
            return latch.await(3, TimeUnit.MINUTES);
        } catch (InterruptedException _) {
            return false;
        }
    }

    @Test
    void deadAndSilentReceiversDelayNoOther() throws Exception {
        inbox.fallSilent();
        int deadPort;
        try (var once = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            deadPort = once.getLocalPort();
        }
        try (var good = new WebhookServer()) {
            var messages =
                    start(
                            QUICK,
                            receiver(
                                    "silent",
                                    ChannelKind.WEBHOOK,
                                    inbox.url("/"),
                                    Topic.TASK_FAILED),
                            receiver(
                                    "dead",
                                    ChannelKind.WEBHOOK,
                                    URI.create("http://127.0.0.1:" + deadPort + "/"),
                                    Topic.TASK_FAILED),
                            receiver(
                                    "good", ChannelKind.WEBHOOK, good.url("/"), Topic.TASK_FAILED));
            ended("one", 1);
            inbox.await(1);
            ended("two", 1);
            assertThat(good.await(2)).hasSize(2);
            eventually("the dead one is reported", () -> !undelivered().isEmpty());
            assertThat(undelivered().getFirst().why())
                    .startsWith("cannot connect to 127.0.0.1:" + deadPort);
            assertThat(info(messages, "silent").lastError()).isNull();
            assertThat(inbox.got()).hasSize(1);
        }
    }

    @Test
    void aSilentReceiverTimesOut() throws Exception {
        inbox.fallSilent();
        var patience =
                new DeliveryTiming(
                        QUICK.connectLimit(),
                        Duration.ofMillis(50),
                        QUICK.firstRetryDelay(),
                        QUICK.maxRetryDelay(),
                        QUICK.chatInterval(),
                        QUICK.maxEventAge(),
                        QUICK.stopLimit());
        var messages = start(patience, webhook(Topic.TASK_FAILED));
        ended("x", 1);
        eventually("it is tried again", () -> inbox.got().size() > 2);
        assertThat(info(messages, "hook").lastError()).contains("did not answer within");
    }

    @Test
    void aRestartContinuesAtTheCursor() throws Exception {
        var first = start(QUICK, webhook(Topic.TASK_FAILED));
        long one = ended("one", 1);
        inbox.await(1);
        eventually(
                "it is known to have arrived", () -> info(first, "hook").lastDeliveredAt() != null);
        first.close();
        long two = ended("two", 1);
        long three = ended("three", 1);
        assertThat(inbox.got()).hasSize(1);
        var second = start(QUICK, webhook(Topic.TASK_FAILED));
        assertThat(info(second, "hook").lastDeliveredAt())
                .isEqualTo(info(first, "hook").lastDeliveredAt());
        inbox.await(3);
        long four = ended("four", 1);
        var ids = inbox.await(4).stream().map(got -> got.json().at("/task/id").asLong()).toList();
        assertThat(ids).containsExactly(one, two, three, four);
        assertThat(Files.readString(directory.resolve("messages/hook"))).matches("\\d+ well .*Z\n");
    }

    @Test
    void aNewReceiverGetsNoPastEvents() throws Exception {
        ended("past", 1);
        start(QUICK, webhook(Topic.TASK_FAILED));
        long id = ended("now", 1);
        assertThat(inbox.await(1).getFirst().json().at("/task/id").asLong()).isEqualTo(id);
    }

    @Test
    void tooOldEventsAreDroppedWithAnAlert() throws Exception {
        start(QUICK, webhook(Topic.TASK_FAILED)).close();
        ended("old", 1);
        var patience =
                new DeliveryTiming(
                        QUICK.connectLimit(),
                        QUICK.answerLimit(),
                        QUICK.firstRetryDelay(),
                        QUICK.maxRetryDelay(),
                        QUICK.chatInterval(),
                        Duration.ZERO,
                        QUICK.stopLimit());
        start(patience, webhook(Topic.TASK_FAILED));
        eventually("it is reported", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst().why()).contains("given up");
        assertThat(inbox.got()).isEmpty();
    }

    @Test
    void manyEventsBecomeADigestForChatsAndStaySingleForWebhooks() throws Exception {
        var chat =
                receiver(
                        "chat",
                        ChannelKind.DINGTALK,
                        inbox.url("/chat"),
                        Topic.TASK_COMPLETED,
                        Topic.TASK_FAILED);
        var hook = webhook(Topic.TASK_COMPLETED, Topic.TASK_FAILED);
        start(QUICK, chat, hook).close();
        for (int i = 0; i < 12; i++) {
            ended("task-" + i, i % 3 == 0 ? 1 : 0);
        }
        start(QUICK, chat, hook);
        eventually("the program has all", () -> count("/hook") == 12);
        eventually("the chat has one", () -> count("/chat") == 1);
        var text = got("/chat").orElseThrow().json().at("/markdown/text").asString();
        assertThat(text).contains("8 个任务完成", "4 个任务失败", "task-0", "task-9", "还有 2 条");
        assertThat(text).doesNotContain("task-10");
        ended("single", 1);
        eventually("a single one comes alone", () -> count("/chat") == 2);
        assertThat(inbox.got().getLast().body()).contains("single");
    }

    @Test
    void chatMessagesAreSpaced() throws Exception {
        var patience =
                new DeliveryTiming(
                        QUICK.connectLimit(),
                        QUICK.answerLimit(),
                        QUICK.firstRetryDelay(),
                        QUICK.maxRetryDelay(),
                        Duration.ofMillis(300),
                        QUICK.maxEventAge(),
                        QUICK.stopLimit());
        start(patience, receiver("chat", ChannelKind.WECOM, inbox.url("/"), Topic.TASK_FAILED));
        ended("one", 1);
        ended("two", 1);
        var got = inbox.await(2);
        assertThat(Duration.ofNanos(got.get(1).nanos() - got.get(0).nanos()))
                .isGreaterThanOrEqualTo(Duration.ofMillis(290));
    }

    @Test
    void aCursorOfAnotherDatabaseIsIgnored() throws Exception {
        Files.createDirectories(directory.resolve("messages"));
        Files.writeString(directory.resolve("messages/hook"), "999999 told\n");
        start(QUICK, webhook(Topic.TASK_FAILED));
        ended("x", 1);
        assertThat(inbox.await(1)).hasSize(1);
    }

    @Test
    void aTestMessageReportsItsResult() throws Exception {
        var messages = start(QUICK, webhook(Topic.TASK_FAILED));
        assertThat(messages.sendTestTo("nobody")).isEmpty();
        var good = messages.sendTestTo("hook").orElseThrow();
        assertThat(good.delivered()).isTrue();
        assertThat(good.detail()).isEqualTo("answered 200");
        assertThat(inbox.got().getFirst().json().get("event").asString()).isEqualTo("test");
        inbox.answer(500, "");
        var bad = messages.sendTestTo("hook").orElseThrow();
        assertThat(bad.delivered()).isFalse();
        assertThat(bad.detail()).isEqualTo("answered 500");
        assertThat(inbox.got()).hasSize(2);
    }

    @Test
    void noSecretAppearsInErrors() throws Exception {
        var url = URI.create(inbox.url("/robot/TOKEN?access_token=KEY").toString());
        inbox.answer(200, "{\"code\":1,\"msg\":\"/robot/TOKEN access_token=KEY SEC\"}");
        var secret =
                new Receiver(
                        "chat",
                        new Receiver.Channel(
                                ChannelKind.FEISHU,
                                Optional.of(url),
                                Optional.of("SEC"),
                                List.of()),
                        new TreeSet<>(),
                        new TreeSet<>(Receiver.DEFAULT_TOPICS),
                        AlertLevel.INFO);
        var messages = start(QUICK, secret);
        ended("x", 1);
        eventually("it fails", () -> info(messages, "chat").lastError() != null);
        var shown = messages.receivers() + " " + messages.sendTestTo("chat") + " " + secret;
        assertThat(shown).contains("code 1").doesNotContain("TOKEN", "KEY", "SEC");
    }
}
