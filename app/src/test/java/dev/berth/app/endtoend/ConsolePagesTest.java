package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static com.microsoft.playwright.options.AriaRole.COLUMNHEADER;

import static dev.berth.app.endtoend.BrowserSession.part;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.regex.Pattern;

/** Every button of the first pages, in both languages, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class ConsolePagesTest {

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    ConsolePagesTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:2x24576:Test Card");
    }

    @BeforeEach
    void open() {
        browsing = new BrowserSession();
        harness.start();
        api = harness.socket();
    }

    @AfterEach
    void close() {
        browsing.close();
    }

    /** Logs in through the one-time link. */
    private Page enter(ConsoleTexts words) {
        var link = api.client().post("/api/login/links", "").expect(201).path("url").asString();
        var page = browsing.tab(words.tag());
        page.navigate(link);
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        return page;
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void aUserWithoutALinkIsShownHowToGetOneAndTheLinkWorksOnce(ConsoleTexts words) {
        var link = api.client().post("/api/login/links", "").expect(201).path("url").asString();
        var page = browsing.tab(words.tag());
        page.navigate(harness.url());
        assertThat(part(page, "sign-in")).containsText("berth login");
        browsing.clearErrors(); // The browser logs the 401 before the login.

        page.navigate(link);
        assertThat(page).hasURL(Pattern.compile("/ui/gpu$"));
        assertThat(part(page, "me")).isVisible();
        part(page, "logout").click();
        assertThat(part(page, "sign-in")).isVisible();
        browsing.clearErrors();

        var other = browsing.tab(words.tag());
        other.navigate(link);
        other.navigate(harness.url());
        assertThat(part(other, "sign-in")).isVisible();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theTopButtonsSwitchTheViewsAndBackWorks(ConsoleTexts words) {
        var page = enter(words);
        var places = List.of("/ui/gpu", "/ui/tasks", "/ui/new");
        var buttons = List.of("nav-gpus", "nav-tasks", "nav-new");
        for (int i = 0; i < buttons.size(); i++) {
            assertThat(part(page, buttons.get(i))).hasText(words.views().get(i));
            part(page, buttons.get(i)).click();
            assertThat(page).hasURL(Pattern.compile(places.get(i) + "$"));
        }
        page.goBack();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks$"));
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void aGpuTurnsBusyWhenATaskStartsAndFreeWhenItEnds(ConsoleTexts words) {
        var page = enter(words);
        assertThat(part(page, "gpu-0")).containsText("#0 · Test Card");
        assertThat(part(page, "gpu-0")).containsText(words.gpus().get(0));
        assertThat(part(page, "gpu-1")).containsText(words.gpus().get(0));

        long id = api.submit(TaskBuilder.gpus(2, "sleep 600"));
        assertThat(part(page, "gpu-0")).containsText(words.gpus().get(1));
        assertThat(part(page, "gpu-0-task")).containsText("#" + id);

        api.cancel(id);
        api.awaitEnd(id);
        assertThat(part(page, "gpu-0")).containsText(words.gpus().get(0));
        assertThat(part(page, "gpu-refresh")).hasText(words.buttons().get(4));
        page.waitForResponse(Pattern.compile("/api/gpus"), () -> part(page, "gpu-refresh").click());
        assertThat(part(page, "gpu-updated")).isVisible();
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theListHasItsColumnsAndAPillForEachState(ConsoleTexts words) {
        long completed = api.submit(TaskBuilder.cpu("true"));
        long failed = api.submit(TaskBuilder.cpu("exit 3"));
        long running = api.submit(TaskBuilder.gpus(2, "sleep 600"));
        long cancelled = api.submit(TaskBuilder.oneGpu("true"));
        long queued = api.submit(TaskBuilder.oneGpu("true"));
        api.cancel(cancelled);
        List.of(completed, failed, cancelled).forEach(api::awaitEnd);

        var page = enter(words);
        assertThat(part(page, "nav-tasks")).isVisible();
        part(page, "nav-tasks").click();

        assertThat(page.getByRole(COLUMNHEADER)).hasText(words.columns().toArray(String[]::new));
        var states = List.of(queued, running, completed, failed, cancelled);
        for (int i = 0; i < states.size(); i++) {
            assertThat(part(page, "task-row-" + states.get(i))).containsText(words.states().get(i));
        }
        part(page, "task-open-" + failed).click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/" + failed + "$"));
        assertThat(part(page, "task-exit")).containsText("3");
        assertThat(part(page, "task-error-text")).containsText("3");
        assertThat(part(page, "task-tmux")).isVisible();
        for (var time : List.of("task-created", "task-started", "task-finished")) {
            assertThat(part(page, time)).containsText(Pattern.compile("\\d:\\d"));
        }
        assertThat(part(page, "task-cancel")).isHidden();
        assertThat(part(page, "task-back")).hasText(words.buttons().get(2));
        part(page, "task-back").click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks$"));
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void aTaskIsMadeWatchedCancelledAndCloned(ConsoleTexts words) {
        var page = enter(words);
        part(page, "nav-new").click();
        part(page, "form-name").fill("made here");
        part(page, "form-gpu-type").selectOption("Test Card");
        part(page, "form-gpu-count").fill("2");
        var gate = harness.file("gate-" + words.tag());
        part(page, "form-command")
                .fill(
                        """
                        echo first line
                        echo second line
                        until [[ -e %s ]]; do sleep 0.1; done
                        echo third line
                        sleep 600\
                        """
                                .formatted(gate));
        part(page, "form-more").click();
        part(page, "form-priority").selectOption("HIGH");
        part(page, "form-memory").fill("10");
        part(page, "form-submit").click();

        assertThat(page).hasURL(Pattern.compile("/ui/tasks/1$"));
        assertThat(part(page, "task-status")).containsText(words.states().get(1));
        assertThat(part(page, "task-assigned")).containsText("#0");
        assertThat(part(page, "task-command"))
                .containsText(Pattern.compile("echo first line\\s*\\n\\s*echo second line"));
        assertThat(part(page, "log")).containsText("second line");
        assertThat(part(page, "log-refresh")).hasText(words.buttons().get(3));
        page.waitForResponse(
                Pattern.compile("/api/tasks/1/logs"), () -> part(page, "log-refresh").click());
        assertThat(part(page, "log")).not().containsText("third line");
        TaskLifecycleTest.touch(gate);
        assertThat(part(page, "log")).containsText("third line");
        assertThat(api.task(1).path("priority").asString()).isEqualTo("HIGH");
        assertThat(api.task(1).path("memory_gb").asDouble()).isEqualTo(10);

        assertThat(part(page, "task-cancel")).hasText(words.buttons().get(0));
        part(page, "task-cancel").click();
        part(page, "task-cancel-yes").click();
        assertThat(part(page, "task-status")).containsText(words.states().get(4));
        part(page, "task-back").click();
        assertThat(part(page, "task-row-1")).containsText(words.states().get(4));

        cloneIt(page, words);
        browsing.assertNoErrors();
    }

    private void cloneIt(Page page, ConsoleTexts words) {
        part(page, "task-open-1").click();
        assertThat(part(page, "task-clone")).hasText(words.buttons().get(1));
        part(page, "task-clone").click();
        assertThat(part(page, "form-name")).hasValue("made here");
        assertThat(part(page, "form-gpu-type")).hasValue("Test Card");
        assertThat(part(page, "form-gpu-count")).hasValue("2");
        part(page, "form-name").fill("changed");
        assertThat(part(page, "form-reset")).hasText(words.buttons().get(5));
        part(page, "form-reset").click();
        assertThat(part(page, "form-name")).hasValue("made here");
        part(page, "form-submit").click();
        assertThat(page).hasURL(Pattern.compile("/ui/tasks/2$"));
        for (var field : List.of("name", "gpu_type", "gpu_count", "command")) {
            assertThat(api.task(2).path(field)).isEqualTo(api.task(1).path(field));
        }
        part(page, "nav-new").click();
        assertThat(part(page, "form-name")).hasValue("");
        assertThat(part(page, "form-command")).hasValue("");
        part(page, "form-name").fill("typed here");
        part(page, "nav-new").click();
        part(page, "unsaved-yes").click();
        assertThat(part(page, "form-name")).hasValue("");
        api.cancel(2);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void whatTheServerRefusesIsShownAndTheInputIsKept(ConsoleTexts words) {
        var page = enter(words);
        part(page, "nav-new").click();
        part(page, "form-submit").click();
        assertThat(part(page, "form-name")).hasAttribute("aria-invalid", "true");

        part(page, "form-name").fill("too many");
        part(page, "form-gpu-count").fill("9");
        part(page, "form-command").fill("true");
        part(page, "form-submit").click();

        assertThat(part(page, "form-error")).containsText("9");
        assertThat(part(page, "form-gpu-count")).hasAttribute("aria-invalid", "true");
        assertThat(part(page, "form-name")).hasValue("too many");
        assertThat(api.tasks()).isEmpty();
        browsing.clearErrors(); // The browser logs every 400.

        harness.kill();
        part(page, "form-gpu-count").fill("1");
        part(page, "form-submit").click();
        assertThat(part(page, "form-error")).isVisible();
        assertThat(part(page, "form-command")).hasValue("true");
    }

    private static Object ground(Page page) {
        return page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void theLanguageAndTheThemeCanBeChangedAndStay(ConsoleTexts words) {
        var page = enter(words);
        var other =
                words.equals(ConsoleTexts.CHINESE) ? ConsoleTexts.ENGLISH : ConsoleTexts.CHINESE;
        part(page, "lang").selectOption(other.tag());
        assertThat(part(page, "nav-tasks")).hasText(other.views().get(1));
        part(page, "theme").selectOption("dark");
        var dark = ground(page);

        page.reload();

        assertThat(part(page, "nav-tasks")).hasText(other.views().get(1));
        assertThat(ground(page)).isEqualTo(dark);
        part(page, "theme").selectOption("light");
        assertThat(ground(page)).isNotEqualTo(dark);
        assertThat(part(page, "nav-gpus")).hasText(other.views().getFirst());
        browsing.assertNoErrors();
    }
}
