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

import java.util.Map;
import java.util.regex.Pattern;

/** Why a task waits and what would help, and the preview of a new task, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class WhyPageTest {

    private static final String LONG = "sleep 600";

    /**
     * By language: no start is known, with one GPU it starts now, it was changed, it has started.
     */
    private static final Map<String, String[]> TEXTS =
            Map.of(
                    "en",
                    new String[] {
                        "Task 1, which is running, has no earlier runs like it.",
                        "with 1 GPU: now",
                        "is changed",
                        "has started on GPU 3",
                        "It would start now on GPU 3.",
                        "It would wait."
                    },
                    "zh-CN",
                    new String[] {
                        "正在运行的任务 1 以前没有类似的运行",
                        "只用 1 张 GPU：现在就能启动",
                        "已修改",
                        "已在 GPU 3 上启动",
                        "会立即在 GPU 3 上启动。",
                        "需要等待。"
                    });

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    WhyPageTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:4x24576:Test Card", "--auth", "none");
    }

    @BeforeEach
    void open() {
        browsing = new BrowserSession();
        api = harness.start();
        for (int gpu = 0; gpu < 3; gpu++) {
            api.submit(TaskBuilder.oneGpu(LONG).named("holder " + gpu));
        }
        eventually("three GPUs are held", () -> runningTasks() == 3);
    }

    @AfterEach
    void close() {
        browsing.close();
    }

    private long runningTasks() {
        return api.tasks().stream()
                .filter(task -> task.path("status").asString().equals("running"))
                .count();
    }

    private Page visit(ConsoleTexts words, String path) {
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + path);
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        return page;
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void applyingASuggestionStartsTheTaskAsItSaid(ConsoleTexts words) {
        var texts = TEXTS.get(words.tag());
        long id = api.submit(TaskBuilder.gpus(3, LONG).named("big"));
        var page = visit(words, "/ui/tasks/" + id);

        assertThat(part(page, "why-start")).containsText(texts[0]);
        assertThat(part(page, "why-gpus").locator("[data-code='card.held']"))
                .hasAttribute("data-count", "3");
        assertThat(part(page, "why-gpus").locator("[data-code='fits']"))
                .hasAttribute("data-count", "1");
        assertThat(part(page, "why-ahead")).hasAttribute("data-count", "3");
        assertThat(part(page, "why-ahead-1").locator("a").first())
                .hasAttribute("href", "/ui/tasks/1");
        assertThat(part(page, "why-suggestion-0")).containsText(texts[1]);
        assertThat(part(page, "why-suggestion-0")).containsText("berth edit " + id + " --gpus 1");

        part(page, "why-apply-0").click();

        assertThat(page.getByText(texts[2])).isVisible();
        assertThat(page.getByText(texts[3])).isVisible();
        assertThat(part(page, "task-status")).containsText(words.states().get(1));
        assertThat(part(page, "task-why")).hasCount(0);
        assertThat(api.task(id).path("gpu_count").asInt()).isEqualTo(1);
        assertThat(api.task(id).path("assigned_gpus").toString()).isEqualTo("[3]");
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theQueueExplainsItsTasksToo(ConsoleTexts words) {
        long id = api.submit(TaskBuilder.gpus(3, LONG));
        var page = visit(words, "/ui/queue");
        part(page, "queue-why-" + id).click();
        assertThat(part(page, "queue-card-" + id)).containsText(TEXTS.get(words.tag())[1]);
        api.cancel(1);
        api.cancel(2);
        // It starts by itself, and its card goes with its row.
        assertThat(part(page, "queue-card-" + id)).hasCount(0);
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theFormSaysWhereATaskWouldStart(ConsoleTexts words) {
        var texts = TEXTS.get(words.tag());
        var page = visit(words, "/ui/new");
        part(page, "form-command").fill("true");
        assertThat(part(page, "preview-lead")).hasText(texts[4]);
        part(page, "form-gpu-count").fill("2");
        assertThat(part(page, "preview-lead")).hasText(texts[5]);
        assertThat(part(page, "preview-start")).containsText(texts[0]);
        assertThat(part(page, "preview-reasons")).containsText("2");
        assertThat(api.tasks()).hasSize(3);

        part(page, "form-gpu-count").fill("1");
        assertThat(part(page, "preview")).hasAttribute("data-state", "now");
        part(page, "form-name").fill("as previewed");
        part(page, "form-submit").click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/4$"));
        assertThat(part(page, "task-assigned")).containsText("#3");
        browsing.assertNoErrors();
    }
}
