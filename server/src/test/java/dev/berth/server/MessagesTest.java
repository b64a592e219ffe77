package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.plan.Rules;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.TaskQueries;
import dev.berth.server.alert.AlertLevel;
import dev.berth.server.alert.Language;
import dev.berth.server.message.Form;
import dev.berth.server.message.Inbox;
import dev.berth.server.message.Messages;
import dev.berth.server.message.Patience;
import dev.berth.server.message.Receiver;
import dev.berth.server.message.Topic;
import dev.berth.wire.ReceiverInfo;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import javax.net.ssl.SSLContext;

/** What happens is brought to those who want to hear of it, whatever becomes of a receiver. */
class MessagesTest {

    private static final Patience QUICK =
            new Patience(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofMillis(5),
                    Duration.ofMillis(20),
                    Duration.ofMillis(1),
                    Duration.ofDays(1),
                    Duration.ofSeconds(5));

    @TempDir private Path directory;
    private Premises premises;
    private final Inbox inbox = new Inbox();
    private final List<Messages> started = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open();
    }

    @AfterEach
    void close() throws Exception {
        started.forEach(Messages::close);
        inbox.close();
        premises.close();
    }

    private Messages start(Patience patience, Receiver... receivers) throws Exception {
        return start(patience, premises.store, receivers);
    }

    private Messages start(Patience patience, TaskQueries queries, Receiver... receivers)
            throws Exception {
        var settings =
                new Messages.Settings(
                        List.of(receivers),
                        Optional.empty(),
                        Language.CHINESE,
                        Optional.of("https://b.example.org"),
                        directory.resolve("messages"));
        var means = new Messages.Means(patience, SSLContext.getDefault());
        var messages = Messages.start(settings, premises.engine, queries, means);
        started.add(messages);
        return messages;
    }

    private static Receiver receiver(String name, Form form, URI url, Topic... topics) {
        return new Receiver(
                name,
                new Receiver.Way(form, Optional.of(url), Optional.empty(), List.of()),
                new TreeSet<>(),
                new TreeSet<>(List.of(topics)),
                AlertLevel.WARNING);
    }

    private Receiver webhook(Topic... topics) {
        return receiver("hook", Form.WEBHOOK, inbox.url("/hook"), topics);
    }

    private static Receiver forUsers(Receiver receiver, String... users) {
        return new Receiver(
                receiver.name(),
                receiver.way(),
                new TreeSet<>(List.of(users)),
                receiver.topics(),
                receiver.level());
    }

    private long ended(String name, int code) {
        long id = premises.submit(Premises.cpuTask(name));
        premises.end(id, code);
        return id;
    }

    private static ReceiverInfo info(Messages messages, String name) {
        return messages.receivers().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<Event> undelivered() {
        return premises.store.alerts(OptionalLong.empty(), 100).stream()
                .filter(event -> event.kind() == Event.Kind.ALERT_MESSAGE_UNDELIVERED)
                .toList();
    }

    @Test
    void everyAlertIsPostedAsTheApiShowsIt() throws Exception {
        start(QUICK, Receiver.ofAlerts(inbox.url("/alerts?k=v")));
        premises.node.diskSpace(true, 5);
        premises.node.diskSpace(false, 5000);
        var got = inbox.await(2);
        var kept = premises.socket().get("/api/alerts").json();
        assertThat(got.getFirst().json()).isEqualTo(kept.get(1));
        assertThat(got.getLast().json()).isEqualTo(kept.get(0));
        assertThat(got.getFirst().method()).isEqualTo("POST");
        assertThat(got.getFirst().uri()).hasToString("/alerts?k=v");
        assertThat(got.getFirst().contentType()).isEqualTo("application/json; charset=utf-8");
        assertThat(kept.get(1).get("message").asString()).contains("磁盘空间不足", "5 MiB");
        assertThat(kept.get(1).at("/details/free_mib").isIntegralNumber()).isTrue();
    }

    @Test
    void aFailedTaskIsToldWithItsCauseAndWhatItUsed() throws Exception {
        start(
                QUICK,
                webhook(Topic.TASK_FAILED),
                receiver("chat", Form.FEISHU, inbox.url("/chat"), Topic.TASK_FAILED));
        var body = "{\"name\":\"train\",\"command\":\"x\",\"gpu_count\":1,\"memory_gb\":8}";
        long id = premises.submit(body);
        var diagnosis = new Diagnosis(Cause.OOM, "torch.OutOfMemoryError: CUDA out of memory.");
        premises.endFound(id, 1, Premises.found(diagnosis));
        inbox.await(2);
        var told = present("the webhook was told", () -> got("/hook")).json();
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
        var chat = present("the chat was told", () -> got("/chat")).body();
        assertThat(chat)
                .contains("任务失败: train (#" + id + ")", "退出码: 1", "显存不足")
                .contains("torch.OutOfMemoryError: CUDA out of memory.")
                .contains("峰值 7000 MiB, 平均 5000 MiB, 申请 8192 MiB", "平均 40%, 峰值 90%")
                .contains("https://b.example.org/ui/tasks/" + id);
    }

    private Optional<Inbox.Got> got(String path) {
        return inbox.got().stream().filter(one -> one.uri().getPath().equals(path)).findFirst();
    }

    @Test
    void eachReceiverHearsOnlyOfWhatItWants() throws Exception {
        var me = premises.socket().get("/api/me").json().get("name").asString();
        start(
                QUICK,
                receiver("done", Form.WEBHOOK, inbox.url("/done"), Topic.TASK_COMPLETED),
                receiver("failed", Form.WEBHOOK, inbox.url("/failed"), Topic.TASK_FAILED),
                forUsers(
                        receiver(
                                "mine",
                                Form.WEBHOOK,
                                inbox.url("/mine"),
                                Topic.TASK_FAILED,
                                Topic.ALERT),
                        me),
                forUsers(
                        receiver(
                                "other",
                                Form.WEBHOOK,
                                inbox.url("/other"),
                                Topic.TASK_FAILED,
                                Topic.ALERT),
                        "nobody"),
                receiver("warned", Form.WEBHOOK, inbox.url("/warned"), Topic.ALERT));
        ended("good", 0);
        ended("bad", 2);
        premises.node.diskSpace(true, 5);
        premises.node.diskSpace(false, 5000);
        ended("last", 3);
        eventually("the last one is told", () -> count("/failed") == 2 && count("/mine") == 2);
        eventually("the alert is told", () -> count("/warned") == 1);
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
            Form form, int status, String body, String why) throws Exception {
        inbox.answer(status, body == null ? "" : body);
        var messages =
                start(
                        QUICK,
                        receiver("bad", form, inbox.url("/bad"), Topic.TASK_FAILED, Topic.ALERT),
                        receiver("other", Form.WEBHOOK, inbox.url("/bad"), Topic.TASK_COMPLETED));
        long id = ended("lost?", 1);
        eventually("it is tried again and again", () -> count("/bad") > 7);
        assertThat(premises.show(id).get("status").asString()).isEqualTo("failed");
        eventually("it is told of", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst().data())
                .containsEntry("receiver", "bad")
                .containsEntry("why", why);
        assertThat(info(messages, "bad").state()).isEqualTo("failing");
        assertThat(info(messages, "bad").lastError()).isEqualTo(why);
        assertThat(info(messages, "bad").waiting()).isEqualTo(1);
        assertThat(info(messages, "other").state()).isEqualTo("ok");
        assertThat(count("/elsewhere")).isZero();
        inbox.answer(200, form == Form.SLACK ? "ok" : "{\"code\":0,\"errcode\":0}");
        eventually("it arrives", () -> info(messages, "bad").state().equals("ok"));
        assertThat(info(messages, "bad").waiting()).isZero();
        assertThat(undelivered()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 410, 422})
    void aMessageThatIsRefusedForGoodDoesNotHoldUpTheNext(int status) throws Exception {
        inbox.answer(status, "");
        var messages = start(QUICK, webhook(Topic.TASK_FAILED));
        long bad = ended("bad", 1);
        eventually("it is told of", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst().data())
                .containsEntry("receiver", "hook")
                .containsEntry("why", "answered " + status);
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

    /** Asked for one of the tasks, the store fails in a way that nobody has thought of. */
    private TaskQueries defective(String name) {
        return new WatchedQueries(
                premises.store,
                id -> {
                    var task = premises.store.find(id).orElseThrow().task();
                    if (task.spec().name().equals(name)) {
                        throw new IllegalStateException("nobody thought of this");
                    }
                });
    }

    @Test
    void aMessageThatCannotBeMadeIsToldOfAndDoesNotHoldUpTheNext() throws Exception {
        var messages = start(QUICK, defective("bad"), webhook(Topic.TASK_FAILED));
        ended("bad", 1);
        eventually("it is told of", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst().data().get("why")).contains("nobody thought of this");
        assertThat(info(messages, "hook").state()).isEqualTo("failing");
        assertThat(info(messages, "hook").lastError()).contains("nobody thought of this");
        long good = ended("good", 1);
        assertThat(inbox.await(1).getFirst().json().at("/task/id").asLong()).isEqualTo(good);
    }

    @Test
    void oneThatCannotBeToldDoesNotTakeTheOthersOfItsDigestWithIt() throws Exception {
        var chat = receiver("chat", Form.DINGTALK, inbox.url("/chat"), Topic.TASK_FAILED);
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
    void allDeliveriesTogetherAreGivenTimeToEnd() throws Exception {
        var patience =
                new Patience(
                        QUICK.connect(),
                        QUICK.answer(),
                        QUICK.firstPause(),
                        QUICK.longestPause(),
                        QUICK.spacing(),
                        QUICK.backlog(),
                        Duration.ofMillis(200));
        var receivers =
                IntStream.range(0, 40)
                        .mapToObj(
                                i ->
                                        receiver(
                                                "r" + i,
                                                Form.WEBHOOK,
                                                inbox.url("/"),
                                                Topic.TASK_FAILED))
                        .toArray(Receiver[]::new);
        var stuck = new ReentrantLock();
        var asking = new CountDownLatch(receivers.length);
        stuck.lock();
        try {
            var queries =
                    new WatchedQueries(
                            premises.store,
                            _ -> {
                                asking.countDown();
                                stuck.lock();
                                stuck.unlock();
                            });
            var messages = start(patience, queries, receivers);
            ended("x", 1);
            asking.await();
            long begun = System.nanoTime();
            messages.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(Duration.ofSeconds(4));
        } finally {
            stuck.unlock();
        }
    }

    @Test
    void aDeadAndASilentReceiverDelayNothing() throws Exception {
        inbox.fallSilent();
        int deadPort;
        try (var once = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            deadPort = once.getLocalPort();
        }
        try (var good = new Inbox()) {
            var messages =
                    start(
                            QUICK,
                            receiver("silent", Form.WEBHOOK, inbox.url("/"), Topic.TASK_FAILED),
                            receiver(
                                    "dead",
                                    Form.WEBHOOK,
                                    URI.create("http://127.0.0.1:" + deadPort + "/"),
                                    Topic.TASK_FAILED),
                            receiver("good", Form.WEBHOOK, good.url("/"), Topic.TASK_FAILED));
            ended("one", 1);
            inbox.await(1);
            ended("two", 1);
            assertThat(good.await(2)).hasSize(2);
            eventually("the dead one is told of", () -> !undelivered().isEmpty());
            assertThat(undelivered().getFirst().data().get("why"))
                    .startsWith("cannot connect to 127.0.0.1:" + deadPort);
            assertThat(info(messages, "silent").lastError()).isNull();
            assertThat(inbox.got()).hasSize(1);
        }
    }

    @Test
    void whoNeverAnswersIsGivenUpInTime() throws Exception {
        inbox.fallSilent();
        var patience =
                new Patience(
                        QUICK.connect(),
                        Duration.ofMillis(50),
                        QUICK.firstPause(),
                        QUICK.longestPause(),
                        QUICK.spacing(),
                        QUICK.backlog(),
                        QUICK.end());
        var messages = start(patience, webhook(Topic.TASK_FAILED));
        ended("x", 1);
        eventually("it is tried again", () -> inbox.got().size() > 2);
        assertThat(info(messages, "hook").lastError()).contains("did not answer within");
    }

    @Test
    void aRestartGoesOnWhereTheLastServerStopped() throws Exception {
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
    void aNewReceiverIsNotToldOfThePast() throws Exception {
        ended("past", 1);
        start(QUICK, webhook(Topic.TASK_FAILED));
        long id = ended("now", 1);
        assertThat(inbox.await(1).getFirst().json().at("/task/id").asLong()).isEqualTo(id);
    }

    @Test
    void whatIsTooOldIsGivenUpAndToldOf() throws Exception {
        start(QUICK, webhook(Topic.TASK_FAILED)).close();
        ended("old", 1);
        var patience =
                new Patience(
                        QUICK.connect(),
                        QUICK.answer(),
                        QUICK.firstPause(),
                        QUICK.longestPause(),
                        QUICK.spacing(),
                        Duration.ZERO,
                        QUICK.end());
        start(patience, webhook(Topic.TASK_FAILED));
        eventually("it is told of", () -> undelivered().size() == 1);
        assertThat(undelivered().getFirst().data().get("why")).contains("given up");
        assertThat(inbox.got()).isEmpty();
    }

    @Test
    void manyAtOnceBecomeOneMessageForPeopleAndStaySingleForPrograms() throws Exception {
        var chat =
                receiver(
                        "chat",
                        Form.DINGTALK,
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
    void aChatIsGivenTimeBetweenTwoMessages() throws Exception {
        var patience =
                new Patience(
                        QUICK.connect(),
                        QUICK.answer(),
                        QUICK.firstPause(),
                        QUICK.longestPause(),
                        Duration.ofMillis(300),
                        QUICK.backlog(),
                        QUICK.end());
        start(patience, receiver("chat", Form.WECOM, inbox.url("/"), Topic.TASK_FAILED));
        ended("one", 1);
        ended("two", 1);
        var got = inbox.await(2);
        assertThat(Duration.ofNanos(got.get(1).nanos() - got.get(0).nanos()))
                .isGreaterThanOrEqualTo(Duration.ofMillis(290));
    }

    @Test
    void aCursorOfAnotherDatabaseIsForgotten() throws Exception {
        Files.createDirectories(directory.resolve("messages"));
        Files.writeString(directory.resolve("messages/hook"), "999999 told\n");
        start(QUICK, webhook(Topic.TASK_FAILED));
        ended("x", 1);
        assertThat(inbox.await(1)).hasSize(1);
    }

    @Test
    void aTestMessageSaysWhatBecameOfIt() throws Exception {
        var messages = start(QUICK, webhook(Topic.TASK_FAILED));
        assertThat(messages.test("nobody")).isEmpty();
        var good = messages.test("hook").orElseThrow();
        assertThat(good.delivered()).isTrue();
        assertThat(good.detail()).isEqualTo("answered 200");
        assertThat(inbox.got().getFirst().json().get("event").asString()).isEqualTo("test");
        inbox.answer(500, "");
        var bad = messages.test("hook").orElseThrow();
        assertThat(bad.delivered()).isFalse();
        assertThat(bad.detail()).isEqualTo("answered 500");
        assertThat(inbox.got()).hasSize(2);
    }

    @Test
    void noSecretIsSaidBack() throws Exception {
        var url = URI.create(inbox.url("/robot/TOKEN?access_token=KEY").toString());
        inbox.answer(200, "{\"code\":1,\"msg\":\"/robot/TOKEN access_token=KEY SEC\"}");
        var secret =
                new Receiver(
                        "chat",
                        new Receiver.Way(
                                Form.FEISHU, Optional.of(url), Optional.of("SEC"), List.of()),
                        new TreeSet<>(),
                        new TreeSet<>(Receiver.USUAL),
                        AlertLevel.INFO);
        var messages = start(QUICK, secret);
        ended("x", 1);
        eventually("it fails", () -> info(messages, "chat").lastError() != null);
        var shown = messages.receivers() + " " + messages.test("chat") + " " + secret;
        assertThat(shown).contains("code 1").doesNotContain("TOKEN", "KEY", "SEC");
    }

    @Test
    void theRoutesShowAndTestReceivers() throws Exception {
        var house =
                new Premises.House(Rules.USUAL, Duration.ofDays(1), List.of(webhook(Topic.ALERT)));
        try (var other = Premises.open(house)) {
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
    void alertsArePagedAndChosenByLevel() throws IOException {
        premises.node.diskSpace(true, 5);
        premises.node.diskSpace(false, 5000);
        premises.node.diskSpace(true, 4);
        eventually(
                "there are three", () -> premises.socket().get("/api/alerts").json().size() == 3);
        var all = premises.socket().get("/api/alerts").json();
        var newest = premises.socket().get("/api/alerts?limit=1").json();
        assertThat(newest.get(0)).isEqualTo(all.get(0));
        long before = all.get(0).get("id").asLong();
        var older = premises.socket().get("/api/alerts?before=" + before).json();
        assertThat(older.size()).isEqualTo(2);
        var critical = premises.socket().get("/api/alerts?level=CRITICAL&limit=2").json();
        assertThat(critical.get(0)).isEqualTo(all.get(0));
        assertThat(critical.get(1)).isEqualTo(all.get(2));
        assertThat(premises.socket().get("/api/alerts?level=BAD").status()).isEqualTo(422);
    }
}
