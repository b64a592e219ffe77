package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;
import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The queue page and the form fields that decide the queue of a task, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class QueuePageTest {

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    QueuePageTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:4x24576:Test Card", "--auth", "none");
    }

    @BeforeEach
    void open() {
        browsing = new BrowserSession();
        api = harness.start();
    }

    @AfterEach
    void close() {
        browsing.close();
    }

    private Page visit(ConsoleTexts words, String path) {
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + path);
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        return page;
    }

    private void stop() {
        api.client().post("/api/scheduler/stop", "").expect(200);
    }

    private JsonNode status() {
        return api.client().get("/experiments/queue-status/").expect(200);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theQueuePageShowsWhatTheQueueStatusSays(ConsoleTexts words) {
        stop();
        api.submit(TaskBuilder.oneGpu("true").with("priority", "LOW"));
        api.submit(TaskBuilder.oneGpu("true"));
        api.submit(TaskBuilder.gpus(2, "true").with("priority", "CRITICAL"));
        api.submit(TaskBuilder.cpu("true"));
        api.submit(TaskBuilder.gpus(2, "true").with("devices", "0,1"));
        api.submit(TaskBuilder.gpus(2, "true").with("devices", "1,0").with("priority", "HIGH"));
        api.submit(TaskBuilder.oneGpu("true").with("devices", "3"));
        api.submit(TaskBuilder.oneGpu("true").with("draft", true));
        var page = visit(words, "/ui/queue");

        var status = status();
        assertThat(status.path("scheduler_running").asBoolean()).isFalse();
        assertThat(part(page, "scheduler-state")).hasAttribute("data-state", "stopped");
        assertThat(part(page, "queue-paused")).isVisible();
        assertThat(part(page, "queue-queued")).containsText("7");
        assertThat(part(page, "queue-pending")).containsText("1");
        var groups = status.path("device_groups");
        assertThat(groups.propertyNames()).containsExactlyInAnyOrder("auto", "cpu", "0,1", "3");
        assertThat(page.locator("[data-testid^=queue-line-]")).hasCount(groups.size());
        for (var group : groups.properties()) {
            assertLine(page, group.getKey(), group.getValue());
        }
        var waiting = List.of("CRITICAL", "HIGH", "NORMAL", "LOW");
        var counts = List.of("1", "1", "4", "1");
        for (int i = 0; i < waiting.size(); i++) {
            assertThat(
                            part(page, "queue-priorities")
                                    .locator("[data-priority=" + waiting.get(i) + "] b"))
                    .hasText(counts.get(i));
        }
        assertWaits(page);
        browsing.assertNoErrors();
    }

    private static void assertLine(Page page, String device, JsonNode group) {
        var line = part(page, "queue-line-" + device);
        assertThat(line).hasAttribute("data-count", group.path("count").asString());
        var rows = line.locator("tbody tr");
        var tasks = TestApi.list(group.path("experiments"));
        assertThat(rows).hasCount(tasks.size());
        for (int i = 0; i < tasks.size(); i++) {
            var task = tasks.get(i);
            assertThat(rows.nth(i))
                    .hasAttribute("data-testid", "queue-task-" + task.path("id").asLong());
            assertThat(rows.nth(i).locator(".place"))
                    .hasText(Integer.toString(task.path("position").asInt()));
        }
    }

    /** The displayed value lies between two readings of the server, to the second. */
    private void assertWaits(Page page) {
        eventually(
                "the waits are those of the server",
                () -> {
                    double before = longestInLine3();
                    var shown = part(page, "queue-line-3").locator(".wait").innerText();
                    double after = longestInLine3();
                    var seconds = Pattern.compile("(\\d+) (s|秒)$").matcher(shown);
                    assertThat(seconds.find()).as(shown).isTrue();
                    int read = Integer.parseInt(seconds.group(1));
                    return read >= Math.floor(before % 60) - 2 && read <= after + 1;
                });
    }

    private double longestInLine3() {
        return status().at("/device_groups/3/experiments/0/wait_seconds").asDouble();
    }

    @Test
    void theSchedulerIsStoppedAndStartedFromThePage() {
        var words = ConsoleTexts.CHINESE;
        var page = visit(words, "/ui/queue");
        assertThat(part(page, "scheduler-state")).hasAttribute("data-state", "running");
        assertThat(part(page, "queue-none")).isVisible();
        part(page, "scheduler-toggle").click();
        part(page, "scheduler-toggle-no").click();
        assertThat(schedulerRuns()).isTrue();
        part(page, "scheduler-toggle").click();
        part(page, "scheduler-toggle-yes").click();

        assertThat(part(page, "scheduler-state")).hasAttribute("data-state", "stopped");
        assertThat(schedulerRuns()).isFalse();
        long id = api.submit(TaskBuilder.oneGpu("sleep 600"));
        assertThat(part(page, "queue-task-" + id)).isVisible();
        part(page, "nav-gpus").click();
        assertThat(part(page, "gpu-paused")).isVisible();
        part(page, "gpu-paused").click();

        part(page, "scheduler-toggle").click();
        part(page, "scheduler-toggle-yes").click();
        assertThat(part(page, "scheduler-state")).hasAttribute("data-state", "running");
        assertThat(part(page, "queue-none")).isVisible();
        assertThat(schedulerRuns()).isTrue();
        assertThat(api.status(id)).isEqualTo("running");
        browsing.assertNoErrors();
        api.cancel(id);
    }

    private boolean schedulerRuns() {
        return api.client().get("/api/scheduler").expect(200).path("running").asBoolean();
    }

    @Test
    void whatTheFormSaysArrives() {
        var words = ConsoleTexts.ENGLISH;
        stop();
        var page = visit(words, "/ui/new");
        fill(page, "a range");
        part(page, "form-gpu-count").fill("2-4");
        part(page, "form-more").click();
        part(page, "form-time-limit").fill("1h 30m");
        part(page, "form-memory").fill("6.5");
        part(page, "form-share").check();
        part(page, "form-submit").click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/1$"));
        var range = api.task(1);
        assertThat(range.path("status").asString()).isEqualTo("queued");
        assertThat(range.path("devices").asString()).isEqualTo("auto");
        assertThat(range.path("min_gpu").asInt()).isEqualTo(2);
        assertThat(range.path("max_gpu").asInt()).isEqualTo(4);
        assertThat(range.path("share").asBoolean()).isTrue();
        assertThat(range.path("memory_gb").asDouble()).isEqualTo(6.5);
        assertThat(range.path("timeout_seconds").asInt()).isEqualTo(5400);

        part(page, "nav-new").click();
        fill(page, "certain cards");
        part(page, "form-devices-cards").click();
        part(page, "form-card-2").click();
        part(page, "form-card-0").click();
        part(page, "form-model").click();
        part(page, "form-model-name").fill("MACE-MP-0");
        part(page, "form-atoms").fill("64");
        part(page, "save-draft").click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/2$"));
        var draft = api.task(2);
        assertThat(draft.path("status").asString()).isEqualTo("pending");
        assertThat(draft.path("devices").asString()).isEqualTo("0,2");
        assertThat(draft.path("gpu_count").asInt()).isEqualTo(2);
        assertThat(draft.path("share").asBoolean()).isFalse();
        assertThat(draft.path("model_name").asString()).isEqualTo("MACE-MP-0");
        assertThat(draft.path("structure_n_atoms").asInt()).isEqualTo(64);
        browsing.assertNoErrors();
    }

    private static void fill(Page page, String name) {
        part(page, "form-name").fill(name);
        part(page, "form-command").fill("true");
    }

    @Test
    void ofALongQueueTheFirstHundredAreListedAndTheRestIsCounted() {
        stop();
        var batch =
                IntStream.range(0, 1000)
                        .mapToObj(i -> TaskBuilder.oneGpu("true").named("number " + i).body())
                        .collect(Collectors.joining(",", "[", "]"));
        api.client().post("/api/tasks/batch", batch).expect(201);
        var page = visit(ConsoleTexts.ENGLISH, "/ui/queue");
        assertThat(part(page, "queue-queued")).containsText("1,000");
        assertThat(part(page, "queue-line-auto").locator("tbody tr")).hasCount(100);
        assertThat(part(page, "queue-task-1")).containsText("number 0");
        assertThat(part(page, "queue-rest")).containsText("900");
        api.cancel(1);
        assertThat(part(page, "queue-task-1")).hasCount(0);
        assertThat(part(page, "queue-queued")).containsText("999");
        assertThat(part(page, "queue-task-2").locator(".place")).hasText("0");
        browsing.assertNoErrors();
    }
}
