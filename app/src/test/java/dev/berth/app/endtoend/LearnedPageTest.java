package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;
import static dev.berth.testkit.Eventually.eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Map;

/** What was learned from earlier runs, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class LearnedPageTest {

    /** By language: from two runs, forgotten, nothing is known. */
    private static final Map<String, String[]> TEXTS =
            Map.of(
                    "en",
                    new String[] {"from 2 runs", "Forgotten: train", "Nothing learned yet"},
                    "zh-CN",
                    new String[] {"根据 2 次运行", "已忘记：train", "还没有学到什么"});

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    LearnedPageTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:1x24576:Test Card", "--auth", "none");
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
    void runsAreListedAndForgotten(ConsoleTexts words) {
        var texts = TEXTS.get(words.tag());
        for (int run = 1; run <= 2; run++) {
            api.awaitEnd(api.submit(TaskBuilder.oneGpu("true " + run).named("train")));
        }
        eventually(
                "both runs are known",
                () -> api.client().get("/api/learned").json().path(0).path("runs").asInt() == 2);
        var fingerprint =
                api.client().get("/api/learned").json().path(0).path("fingerprint").asString();
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + "/ui/learned");
        var row = part(page, "learned-" + fingerprint);
        assertThat(row).containsText("train");
        assertThat(row).containsText("true #");
        assertThat(row).containsText(texts[0]);

        part(page, "learned-" + fingerprint + "-forget").click();
        part(page, "learned-no").click();
        assertThat(row).isVisible();
        part(page, "learned-" + fingerprint + "-forget").click();
        part(page, "learned-yes").click();

        assertThat(page.getByText(texts[1])).isVisible();
        assertThat(row).hasCount(0);
        assertThat(part(page, "learned-none")).containsText(texts[2]);
        browsing.assertNoErrors();
    }
}
