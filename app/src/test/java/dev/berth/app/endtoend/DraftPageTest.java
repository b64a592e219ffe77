package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;
import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** A draft from the form to a GPU, in a real browser, with GPUs that fill and empty. */
@ExtendWith(ServerHarnessExtension.class)
final class DraftPageTest {

    /** The texts that the user reads. */
    record Reading(
            ConsoleTexts words,
            String draft,
            String join,
            String busy,
            String joined,
            String longest,
            String starts,
            String waits) {

        static List<Reading> all() {
            return List.of(
                    new Reading(
                            ConsoleTexts.CHINESE,
                            "待启动",
                            "加入队列",
                            "GPU 0 占用中：已用 90000 / 100000 MiB",
                            "实验已加入队列",
                            "1 到 2592000 秒",
                            "现在就能启动",
                            "现在需要等待"),
                    new Reading(
                            ConsoleTexts.ENGLISH,
                            "Draft",
                            "Join the queue",
                            "GPU 0 is in use: 90000 of 100000 MiB",
                            "The task has joined the queue",
                            "from 1 to 2592000 (30 d)",
                            "would start now",
                            "would have to wait"));
        }

        /** The main path is tested in both languages, everything else in one. */
        static List<Reading> chinese() {
            return all().subList(0, 1);
        }

        static List<Reading> english() {
            return all().subList(1, 2);
        }

        String queued() {
            return words.states().get(0);
        }

        String running() {
            return words.states().get(1);
        }

        @Override
        public String toString() {
            return words.tag();
        }
    }

    private final ServerHarness harness;
    private final FakeNvidiaSmi smi;
    private BrowserSession browsing;
    private TestApi api;

    DraftPageTest(ServerHarness harness) {
        this.harness = harness;
        this.smi = new FakeNvidiaSmi(harness);
    }

    @BeforeEach
    void open() {
        browsing = new BrowserSession();
        smi.addGpu(FakeNvidiaSmi.A, 0, "90000");
        smi.removeGpu(FakeNvidiaSmi.B);
        api = harness.start();
    }

    @AfterEach
    void close() {
        browsing.close();
    }

    private Page visit(Reading reading, String path) {
        var page = browsing.tab(reading.words().tag());
        page.navigate(harness.url() + path);
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        page.evaluate("window.stayed = true");
        return page;
    }

    /** Beside the busy GPU, which has index 0. */
    private void addFreeCard() {
        smi.addGpu(FakeNvidiaSmi.B, 1, "0");
        eventually("the second card is seen", () -> api.gpus().size() == 2);
    }

    private static void assertNeverReloaded(Page page) {
        assertThat(page.evaluate("window.stayed")).isEqualTo(true);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.DraftPageTest$Reading#all")
    void aDraftIsRefusedABusyGpuJoinsTheQueueAndStartsOnceTheGpuIsFree(Reading reading) {
        var page = visit(reading, "/ui/new");
        part(page, "form-name").fill("made as a draft");
        part(page, "form-command").fill("sleep 600");
        part(page, "save-draft").click();

        assertThat(page).hasURL(Pattern.compile("/ui/tasks/1$"));
        assertThat(part(page, "task-status")).containsText(reading.draft());
        assertThat(part(page, "join-queue")).hasText(reading.join());
        assertThat(api.status(1)).isEqualTo("pending");
        browsing.assertNoErrors();

        part(page, "start-now").click();
        assertThat(part(page, "start-error")).containsText(reading.busy());
        assertThat(part(page, "join-queue")).isVisible();
        assertThat(api.status(1)).isEqualTo("pending");
        browsing.clearErrors(); // The browser logs every 409.

        part(page, "join-queue").click();
        assertThat(page.getByText(reading.joined())).isVisible();
        assertThat(part(page, "task-status")).containsText(reading.queued());
        assertThat(part(page, "join-queue")).hasCount(0);
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/1$"));
        assertThat(api.status(1)).isEqualTo("queued");

        part(page, "nav-queue").click();
        var row = part(page, "queue-line-auto").getByTestId("queue-task-1");
        assertThat(row).containsText("made as a draft");
        assertThat(row.locator(".place")).hasText("0");
        assertThat(row.locator(".wait")).hasText(Pattern.compile("\\d+ (s|秒)"));
        assertThat(part(page, "queue-running")).containsText("0");

        smi.addGpu(FakeNvidiaSmi.A, 0, "0");
        assertThat(part(page, "queue-none")).isVisible();
        assertThat(part(page, "queue-running")).containsText("1");
        assertThat(api.status(1)).isEqualTo("running");
        part(page, "nav-tasks").click();
        assertThat(part(page, "task-row-1")).containsText(reading.running());
        assertNeverReloaded(page);
        browsing.assertNoErrors();
        api.cancel(1);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.DraftPageTest$Reading#chinese")
    void aDraftIsStartedAnywayOnlyAfterAQuestion(Reading reading) {
        long id = api.submit(TaskBuilder.oneGpu("sleep 600").with("draft", true));
        var page = visit(reading, "/ui/tasks/" + id);
        part(page, "start-now").click();
        part(page, "start-anyway").click();
        part(page, "start-anyway-no").click();
        assertThat(api.status(id)).isEqualTo("pending");
        browsing.clearErrors();

        part(page, "start-anyway").click();
        part(page, "start-anyway-yes").click();

        assertThat(part(page, "task-status")).containsText(reading.running());
        assertThat(part(page, "task-assigned")).containsText("#0");
        assertThat(part(page, "draft")).hasCount(0);
        assertNeverReloaded(page);
        browsing.assertNoErrors();
        api.cancel(id);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.DraftPageTest$Reading#english")
    void whatAWaitingTaskAsksForIsChangedAndLetsItStart(Reading reading) {
        addFreeCard();
        long head = api.submit(TaskBuilder.gpus(2, "sleep 600").with("env", Map.of("A", "1")));
        var page = visit(reading, "/ui/tasks/" + head);
        assertThat(part(page, "task-status")).containsText(reading.queued());

        part(page, "edit-task").click();
        part(page, "edit-more").click();
        part(page, "edit-time-limit").fill("3000h");
        part(page, "edit-save").click();
        assertThat(part(page, "edit-error")).containsText(reading.longest());
        assertThat(part(page, "edit-time-limit")).hasAttribute("aria-invalid", "true");
        assertThat(part(page, "edit-time-limit")).isFocused();
        assertThat(api.task(head).path("timeout_seconds").isNull()).isTrue();
        browsing.clearErrors(); // The browser logs every 422.

        part(page, "edit-time-limit").fill("2h");
        part(page, "edit-gpu-count").fill("1");
        part(page, "edit-save").click();
        assertThat(part(page, "edit-form")).hasCount(0);
        assertThat(part(page, "task-status")).containsText(reading.running());
        assertThat(part(page, "task-assigned")).containsText("#1");
        assertThat(part(page, "edit-task")).hasCount(0);
        var task = api.task(head);
        assertThat(task.path("gpu_count").asInt()).isEqualTo(1);
        assertThat(task.path("timeout_seconds").asInt()).isEqualTo(7200);
        assertThat(task.path("env").toString()).contains("A");
        browsing.assertNoErrors();
        api.cancel(head);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.DraftPageTest$Reading#english")
    void aDraftIsMovedBetweenAnyGpusCertainGpusAndNone(Reading reading) {
        addFreeCard();
        long id =
                api.submit(
                        TaskBuilder.gpus(2, "true")
                                .with("draft", true)
                                .with("memory_gb", 4)
                                .with("share", true));
        var page = visit(reading, "/ui/tasks/" + id);

        edit(page, "edit-devices-cards", "edit-card-1");
        assertNeed(id, "1", 1);
        assertThat(api.task(id).path("share").asBoolean()).isTrue();
        edit(page, "edit-devices-cpu");
        assertNeed(id, "cpu", 0);
        assertThat(api.task(id).path("memory_gb").isNull()).isTrue();
        edit(page, "edit-devices-auto");
        assertNeed(id, "auto", 1);
        browsing.assertNoErrors();
    }

    private static void edit(Page page, String... pressed) {
        part(page, "edit-task").click();
        for (var one : pressed) {
            part(page, one).click();
        }
        part(page, "edit-save").click();
        assertThat(part(page, "edit-form")).hasCount(0);
    }

    private void assertNeed(long id, String devices, int count) {
        var task = api.task(id);
        assertThat(task.path("devices").asString()).isEqualTo(devices);
        assertThat(task.path("gpu_count").asInt()).isEqualTo(count);
        assertThat(task.path("max_gpu").asInt()).isEqualTo(count);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.DraftPageTest$Reading#chinese")
    void whereADraftWouldGoFollowsTheGpus(Reading reading) {
        addFreeCard();
        long id = api.submit(TaskBuilder.oneGpu("true").with("draft", true));
        var page = visit(reading, "/ui/tasks/" + id);
        assertThat(part(page, "placement-gpu-0")).hasAttribute("data-verdict", "refused");
        assertThat(part(page, "placement-gpu-0")).containsText(reading.busy());
        assertThat(part(page, "placement-gpu-1")).hasAttribute("data-verdict", "chosen");
        assertThat(part(page, "placement-outlook")).hasText(reading.starts());
        part(page, "placement-parts").click();
        assertScores(page, id);

        smi.addGpu(FakeNvidiaSmi.A, 0, "0");
        smi.addGpu(FakeNvidiaSmi.B, 1, "95000");
        assertThat(part(page, "placement-gpu-0")).hasAttribute("data-verdict", "chosen");
        assertThat(part(page, "placement-gpu-1")).containsText("95000");
        assertScores(page, id);

        smi.addGpu(FakeNvidiaSmi.A, 0, "95000");
        assertThat(part(page, "placement-gpu-0")).containsText("95000");
        assertThat(part(page, "placement-outlook")).hasText(reading.waits());
        browsing.assertNoErrors();
    }

    /** The scores that do not depend on the time since a GPU was used. */
    private void assertScores(Page page, long id) {
        var number = NumberFormat.getInstance(Locale.ENGLISH);
        number.setMaximumFractionDigits(1);
        var cards =
                TestApi.list(
                        api.client()
                                .get("/api/tasks/" + id + "/placement")
                                .expect(200)
                                .path("gpus"));
        for (int i = 0; i < cards.size(); i++) {
            var card = cards.get(i);
            var shown = part(page, "placement-gpu-" + i);
            assertThat(shown.locator(".score"))
                    .hasText(number.format(card.path("score").asDouble()));
            for (var selector : List.of("best_score", "sampling")) {
                for (var value : card.path("scores").path(selector).path("parts")) {
                    assertThat(shown.locator(".parts"))
                            .containsText(number.format(value.asDouble()));
                }
            }
        }
    }
}
