package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator.ClickOptions;
import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.nio.file.Files;
import java.util.regex.Pattern;

/**
 * Finding things in the console: tasks by search and order, lines of long logs, GPUs among many.
 */
@ExtendWith(ServerHarnessExtension.class)
final class ConsoleSearchTest {

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    ConsoleSearchTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:64x24576:Test Card", "--auth", "none");
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

    private Page visit(String path) {
        var page = browsing.tab("en");
        page.navigate(harness.url() + path);
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        return page;
    }

    @Test
    void searchFilterAndOrderAreInTheAddress() {
        long beta = api.submit(TaskBuilder.cpu("true").named("beta resnet"));
        long alpha = api.submit(TaskBuilder.cpu("true").named("Alpha ResNet"));
        long other = api.submit(TaskBuilder.cpu("false").named("vit"));
        api.awaitEnd(other);
        var page = visit("/ui/tasks");
        assertThat(page.locator("tr.row")).hasCount(3);

        part(page, "tasks-search").fill("resnet");
        assertThat(page).hasURL(Pattern.compile("/ui/tasks\\?q=resnet$"));
        assertThat(page.locator("tr.row")).hasCount(2);
        part(page, "tasks-sort-name").click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks\\?q=resnet&sort=name$"));
        assertThat(page.locator("tr.row").first()).hasAttribute("data-testid", "task-row-" + alpha);
        part(page, "tasks-sort-name").click();
        assertThat(page.locator("tr.row").first()).hasAttribute("data-testid", "task-row-" + beta);
        page.goBack();
        assertThat(page.locator("tr.row").first()).hasAttribute("data-testid", "task-row-" + alpha);

        var shared = visit("/ui/tasks?status=failed&q=VI");
        assertThat(part(shared, "tasks-search")).hasValue("VI");
        assertThat(part(shared, "tasks-filter-failed")).isChecked();
        assertThat(part(shared, "task-row-" + other)).isVisible();
        assertThat(shared.locator("tr.row")).hasCount(1);
        part(shared, "task-open-" + other).click();
        part(shared, "task-back").click();
        assertThat(shared).hasURL(Pattern.compile("status=failed&q=VI$"));
        browsing.assertNoErrors();
    }

    @Test
    void rowsTasksAndGpusAreLinks() {
        long id = api.submit(TaskBuilder.gpus(2, "sleep 600").with("memory_gb", 3));
        var page = visit("/ui/tasks");
        assertThat(part(page, "task-link-" + id)).hasAttribute("href", "/ui/tasks/" + id);
        assertThat(part(page, "task-memory-" + id)).hasText("3 GiB");
        assertThat(part(page, "task-gpus-" + id).locator("a").first())
                .hasAttribute("href", Pattern.compile("/ui/gpu/\\d+"));
        // A click anywhere in the row follows its link.
        part(page, "task-row-" + id).locator("td.count").click(new ClickOptions().setForce(true));
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/" + id + "$"));

        long blocked = api.submit(TaskBuilder.gpus(63, "true"));
        var waiting = visit("/ui/tasks/" + blocked);
        var holder = part(waiting, "task-why").locator("a[href='/ui/tasks/" + id + "']").first();
        assertThat(holder).isVisible();
        browsing.assertNoErrors();
    }

    @Test
    void aLongLogIsSearchedAndDownloadedWhole() throws Exception {
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                "seq -f 'step %.0f of a long training run' 1 20000; echo the needle"
                                        + " here; seq -f 'step %.0f of the rest' 1 60000"));
        api.awaitEnd(id);
        var page = visit("/ui/tasks/" + id);
        assertThat(part(page, "log")).containsText("step 60000 of the rest");

        part(page, "log-search").fill("THE needle");
        assertThat(part(page, "log-matches")).hasText("1 / 1");
        assertThat(part(page, "log-match-line")).hasText("line 20,001");
        assertThat(page.locator(".log mark").first()).hasText("the needle");
        assertThat(page.locator(".log mark").first()).isInViewport();
        assertThat(part(page, "log")).containsText("step 20000 of a long");
        assertThat(part(page, "log")).containsText("step 1 of the rest");

        part(page, "log-search").fill("of the rest");
        assertThat(part(page, "log-matches")).hasText("60,000 / 60,000");
        part(page, "log-next").click();
        assertThat(part(page, "log-matches")).hasText("1 / 60,000");

        var download = page.waitForDownload(() -> part(page, "log-save").click());
        assertThat(download.suggestedFilename()).isEqualTo("task-" + id + "-attempt-1.log");
        var text = Files.readString(download.path());
        assertThat(text).contains("step 1 of a long", "the needle here", "step 60000 of the rest");
        assertThat(text).startsWith("===== Scheduler Env").contains("===== Command Script Exit");
        browsing.assertNoErrors();
    }

    @Test
    void theLogIsTheOutputOfTheTask() {
        var gate = new CommandGate(harness.file("gate"));
        long id = api.submit(TaskBuilder.cpu("echo one; " + gate.command() + "; seq 3"));
        var page = visit("/ui/tasks/" + id);
        var log = part(page, "log");
        var lines = page.locator(".log .rows > *");
        assertThat(lines).hasText(new String[] {"one"});
        part(page, "log-banners").click();
        assertThat(log).containsText("===== Scheduler Environment");
        part(page, "log-banners").click();
        assertThat(lines).hasText(new String[] {"one"});

        gate.open();
        api.awaitEnd(id);
        assertThat(lines).hasText(new String[] {"one", "1", "2", "3"});
        assertThat(part(page, "log-lines")).hasText("4 lines");
        part(page, "log-search").fill("python");
        assertThat(part(page, "log-matches")).hasText("no match");
        part(page, "log-banners").click();
        assertThat(log).containsText("===== Command Script Exit");
        assertThat(part(page, "log-matches")).hasText(Pattern.compile("\\d / \\d"));
        browsing.assertNoErrors();
    }

    @Test
    void theLogOfAnEarlierAttemptCanBeChosen() {
        long id =
                api.submit(
                        TaskBuilder.cpu("echo this is attempt $((++n)) $BERTH_ATTEMPT; exit 3")
                                .with("max_retries", 1));
        api.awaitEnd(id);
        var page = visit("/ui/tasks/" + id);
        assertThat(part(page, "log-attempt")).hasValue("2");
        part(page, "log-attempt").selectOption("1");
        assertThat(part(page, "log")).containsText("this is attempt");
        assertThat(part(page, "log-save"))
                .hasAttribute("href", "/api/tasks/" + id + "/logs/raw?attempt=1");
        // The log comes before all details.
        var log = part(page, "log").boundingBox();
        var command = part(page, "task-command").boundingBox();
        assertThat(log.y).isLessThan(command.y);
        browsing.assertNoErrors();
    }

    @Test
    void manyGpusAreATableThatCanBeFiltered() {
        long id = api.submit(TaskBuilder.gpus(2, "sleep 600"));
        var page = visit("/ui/gpu");
        assertThat(part(page, "gpu-table").locator("tbody tr")).hasCount(64);
        part(page, "gpu-show-busy").check();
        assertThat(part(page, "gpu-table").locator("tbody tr")).hasCount(2);
        assertThat(page).hasURL(Pattern.compile("show=busy"));
        assertThat(part(page, "gpu-table").locator("a[href='/ui/tasks/" + id + "']")).hasCount(2);
        part(page, "gpu-show-faulty").check();
        assertThat(part(page, "gpu-no-match")).isVisible();
        page.goBack();
        assertThat(part(page, "gpu-table").locator("tbody tr")).hasCount(2);

        api.submit(TaskBuilder.gpus(50, "sleep 600"));
        long blocked = api.submit(TaskBuilder.gpus(60, "true"));
        var waiting = visit("/ui/tasks/" + blocked);
        var held = waiting.locator("[data-testid=task-why] li[data-code='card.held']");
        assertThat(held).hasAttribute("data-count", "52");
        assertThat(held.locator("summary")).containsText("52 GPUs: held by other tasks");
        assertThat(((Number) waiting.evaluate("document.documentElement.scrollHeight")).intValue())
                .isLessThan(4000);
        browsing.assertNoErrors();
    }

    @Test
    void aHalfTypedFormAsksBeforeItIsLost() {
        var page = visit("/ui/new");
        part(page, "form-name").fill("half typed");
        part(page, "nav-tasks").click();
        part(page, "unsaved-no").click();
        assertThat(part(page, "form-name")).hasValue("half typed");
        part(page, "nav-new").click();
        part(page, "unsaved-no").click();
        assertThat(part(page, "form-name")).hasValue("half typed");
        var asked = new boolean[1];
        page.onDialog(
                dialog -> {
                    asked[0] = dialog.type().equals("beforeunload");
                    dialog.accept();
                });
        page.reload();
        assertThat(asked[0]).isTrue();
        assertThat(part(page, "form-name")).hasValue("");
        part(page, "form-name").fill("sent");
        part(page, "form-command").fill("true");
        part(page, "form-submit").click();
        assertThat(part(page, "task-title")).containsText("sent");
        browsing.assertNoErrors();
    }
}
