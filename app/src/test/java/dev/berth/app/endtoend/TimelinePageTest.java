package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;
import static dev.berth.testkit.Eventually.eventually;

import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.regex.Pattern;

/** The GPUs over time, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class TimelinePageTest {

    /** The height of the axis and of a row, and the width of the names of the GPUs, in pixels. */
    private static final int AXIS = 30;

    private static final int ROW = 28;
    private static final int NAMES = 62;

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    TimelinePageTest(ServerHarness harness) {
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

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void runsAreDrawnAndListedAndLeadToTheirTasks(ConsoleTexts words) {
        long ended = api.submit(TaskBuilder.oneGpu("true").named("short one"));
        api.awaitEnd(ended);
        long id = api.submit(TaskBuilder.oneGpu("sleep 600").named("long one"));
        eventually("it runs", () -> api.status(id).equals("running"));
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + "/ui/timeline?zoom=600");
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");

        assertThat(part(page, "timeline-canvas")).hasAttribute("data-rows", "4");
        part(page, "timeline-list-open").click();
        var rows = part(page, "timeline-list").locator("tbody tr");
        assertThat(rows).hasCount(2);
        assertThat(rows.nth(0)).containsText("short one");
        assertThat(rows.nth(0)).containsText(words.states().get(2));
        assertThat(rows.nth(1)).containsText("long one");
        assertThat(rows.nth(1)).containsText(words.states().get(1));

        var task = api.task(id);
        var at =
                place(
                        page,
                        Instant.parse(task.path("started_at").asString()),
                        task.path("assigned_gpus").path(0).asInt());
        page.mouse().move(at[0], at[1]);
        assertThat(part(page, "timeline-tip")).containsText("long one");
        assertThat(part(page, "timeline-tip")).containsText(task.path("owner").asString());
        page.mouse().down();
        page.mouse().up();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/" + id + "$"));
        page.goBack();
        assertThat(page).hasURL(Pattern.compile("/ui/timeline\\?zoom=600$"));
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theShownTimeIsInTheAddress(ConsoleTexts words) {
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + "/ui/timeline");
        assertThat(part(page, "timeline-none")).isVisible();
        part(page, "timeline-zoom-hour").click();
        assertThat(page).hasURL(Pattern.compile("/ui/timeline\\?zoom=hour$"));
        part(page, "timeline-canvas").press("PageUp");
        assertThat(page).hasURL(Pattern.compile("/ui/timeline\\?from=[^&]+&zoom=hour$"));
        var from = part(page, "timeline-canvas").getAttribute("data-from");
        page.reload();
        // The address has whole seconds.
        assertThat(part(page, "timeline-canvas"))
                .hasAttribute(
                        "data-from",
                        Long.toString(Math.round(Long.parseLong(from) / 1000.0) * 1000));
        part(page, "timeline-canvas").press("Home");
        assertThat(page).hasURL(Pattern.compile("/ui/timeline\\?zoom=hour$"));
        browsing.assertNoErrors();
    }

    /** Where a time on a GPU is drawn, by the shown period. */
    private static double[] place(Page page, Instant time, int gpu) {
        var canvas = part(page, "timeline-canvas");
        var box = canvas.boundingBox();
        double from = Double.parseDouble(canvas.getAttribute("data-from"));
        double to = Double.parseDouble(canvas.getAttribute("data-to"));
        double share = (time.toEpochMilli() - from) / (to - from);
        return new double[] {
            box.x + NAMES + share * (box.width - NAMES), box.y + AXIS + (gpu + 0.5) * ROW
        };
    }
}
