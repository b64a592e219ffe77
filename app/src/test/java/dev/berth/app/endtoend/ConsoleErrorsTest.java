package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;
import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.regex.Pattern;

/** Hostile names and logs, and a server that stops while the page is open. */
@ExtendWith(ServerHarnessExtension.class)
final class ConsoleErrorsTest {

    private static final String IMAGE = "<img src=x onerror=alert(1)>";
    private static final String RIGHT_TO_LEFT = "\u202e";

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    ConsoleErrorsTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:2x24576:Test Card", "--auth", "none");
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
        page.onDialog(
                dialog -> {
                    throw new AssertionError(
                            "a script of the page's data ran: " + dialog.message());
                });
        page.navigate(harness.url() + path);
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        return page;
    }

    @Test
    void hostileNamesAreShownAsText() {
        long id =
                api.submit(
                        TaskBuilder.oneGpu("echo '" + IMAGE + "'; sleep 600")
                                .named(IMAGE + RIGHT_TO_LEFT + "gnp.exe"));
        var page = visit("/ui/tasks");
        assertThat(part(page, "task-row-" + id)).containsText(IMAGE);

        part(page, "task-open-" + id).click();
        assertThat(part(page, "task-title")).containsText(IMAGE);
        assertThat(part(page, "task-command")).containsText(IMAGE);
        assertThat(part(page, "log")).containsText(IMAGE);
        part(page, "nav-gpus").click();
        assertThat(part(page, "gpu-0-task")).containsText(IMAGE);

        assertThat(page.content()).doesNotContain(RIGHT_TO_LEFT);
        assertThat(page.locator("main img, body > img").count()).isZero();
        browsing.assertNoErrors();
    }

    @Test
    void hostileLogsAreSafe() {
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                """
                                printf '\\033]52;c;aGFja2Vk\\007after the clipboard\\n'
                                printf '\\033[31mred\\033[0m \\033[2J\\033[H still here\\n'
                                printf 'right \\xe2\\x80\\xae tfel\\n'
                                printf '<script>alert(2)</script>\\xff\\xfe\\n'
                                head -c 1000000 /dev/zero | tr '\\0' x; echo
                                echo the last line
                                """));
        api.awaitEnd(id);
        var page = visit("/ui/tasks/" + id);

        assertThat(part(page, "log")).containsText("the last line");
        part(page, "log-search").fill("the last line");
        assertThat(part(page, "log-matches")).containsText(Pattern.compile("1 / 1"));
        part(page, "log-search").fill("still here");
        assertThat(part(page, "log")).containsText("still here");
        assertThat(page.locator(".log mark").first()).hasText("still here");
        part(page, "log-search").fill("alert(2)");
        assertThat(part(page, "log")).containsText("<script>alert(2)</script>");

        part(page, "log-search").fill("after the clipboard");
        assertThat(part(page, "log")).containsText("after the clipboard");
        assertThat(part(page, "log").innerHTML())
                .doesNotContain(RIGHT_TO_LEFT)
                .doesNotContain("aGFja2Vk");
        browsing.assertNoErrors();
    }

    @Test
    void aUserWhoScrollsUpInALogIsNotScrolledDown() {
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                "for i in $(seq 1 500); do echo old $i; done; while sleep 0.2; do"
                                        + " echo new $((n++)); done"));
        var page = visit("/ui/tasks/" + id);
        assertThat(part(page, "log")).containsText("new 1");
        assertThat(part(page, "log")).hasAttribute("data-following", "true");

        page.mouse().move(400, 600);
        part(page, "log").hover();
        page.mouse().wheel(0, -2000);
        assertThat(part(page, "log")).hasAttribute("data-following", "false");
        var place = part(page, "log").evaluate("box => box.scrollTop");
        var lines = part(page, "log-lines").textContent();
        eventually(
                "the log grows",
                () -> {
                    page.waitForTimeout(50);
                    return !part(page, "log-lines").textContent().equals(lines);
                });
        assertThat(part(page, "log").evaluate("box => box.scrollTop")).isEqualTo(place);

        part(page, "log-follow").click();
        assertThat(part(page, "log")).hasAttribute("data-following", "true");
        api.cancel(id);
        browsing.assertNoErrors();
    }

    @Test
    void aServerThatGoesAwayAndComesBackIsFollowedWithoutReload() {
        long id = api.submit(TaskBuilder.oneGpu("sleep 600").named("outlives it"));
        var page = visit("/ui/tasks");
        assertThat(part(page, "task-row-" + id)).isVisible();
        page.evaluate("window.stayed = true");

        harness.samePort().kill();
        assertThat(part(page, "conn")).hasAttribute("data-state", "offline");
        assertThat(part(page, "task-row-" + id)).isVisible();
        assertThat(part(page, "tasks-error")).isVisible();

        harness.start();
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        assertThat(part(page, "tasks-error")).isHidden();
        long next = harness.api().submit(TaskBuilder.cpu("true"));
        assertThat(part(page, "task-row-" + next)).isVisible();
        assertThat(page.evaluate("window.stayed")).isEqualTo(true);
    }

    @Test
    void whatTheServerRefusesToCancelIsReportedOnThePage() {
        long id = api.submit(TaskBuilder.oneGpu("sleep 600"));
        var page = visit("/ui/tasks/" + id);
        page.route(
                Pattern.compile("/cancel$"),
                route ->
                        route.fulfill(
                                new Route.FulfillOptions()
                                        .setStatus(409)
                                        .setContentType("application/json")
                                        .setBody(
                                                "{\"detail\":\"It ended just now.\","
                                                        + "\"code\":\"test.ended\","
                                                        + "\"field\":null,\"params\":{}}")));

        part(page, "task-cancel").click();
        part(page, "task-cancel-yes").click();

        assertThat(part(page, "task-cancel-error")).containsText("It ended just now.");
        assertThat(part(page, "task-cancel")).isEnabled();
        api.cancel(id);
    }

    @Test
    void anotherTaskShowsNoTraceOfTheFormer() {
        long first = api.submit(TaskBuilder.cpu("echo of the first; sleep 600").named("first one"));
        long second =
                api.submit(TaskBuilder.cpu("echo of the second; sleep 600").named("second one"));
        var page = visit("/ui/tasks/" + first);
        assertThat(part(page, "log")).containsText("of the first");

        part(page, "task-back").click();
        part(page, "task-open-" + second).click();

        assertThat(part(page, "task-title")).containsText("second one");
        assertThat(part(page, "log")).containsText("of the second");
        assertThat(page.locator("main")).not().containsText("first");
        browsing.assertNoErrors();
    }

    @Test
    void gpusStayShownWithTheErrorWhileTheServerIsAway() {
        var page = visit("/ui/gpu");
        assertThat(part(page, "gpu-1")).isVisible();

        harness.kill();

        assertThat(part(page, "gpu-error")).isVisible();
        assertThat(part(page, "gpu-1")).containsText("Test Card");
    }

    @Test
    void anEmptyListIsDistinguishedFromOneThatCouldNotBeLoaded() {
        var page = visit("/ui/tasks");
        assertThat(part(page, "tasks-none")).isVisible();

        page.route(Pattern.compile("/api/tasks.*"), route -> route.abort());
        page.reload();
        assertThat(part(page, "tasks-failed")).isVisible();
        assertThat(part(page, "tasks-none")).isHidden();
    }
}
