package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;

import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Map;

/** Reservations and people, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class ReservationPageTest {

    /** By language: the holder and the GPUs, quiet hours, the limit of GPUs. */
    private static final Map<String, String[]> TEXTS =
            Map.of(
                    "en",
                    new String[] {"Group vision", "2 GPUs", "Quiet hours", "0 of 3"},
                    "zh-CN",
                    new String[] {"用户组 vision", "2 张 GPU", "安静时段", "0 / 3"});

    private final ServerHarness harness;
    private BrowserSession browsing;
    private TestApi api;

    ReservationPageTest(ServerHarness harness) {
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
    void gpusAreReservedWithTheKeyboardAlone(ConsoleTexts words) {
        var texts = TEXTS.get(words.tag());
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + "/ui/reservations");
        assertThat(part(page, "reservations-none")).isVisible();

        press(page, "reservation-add", "Enter");
        part(page, "reservation-name").focus();
        page.keyboard().type("vision");
        part(page, "reservation-count").focus();
        page.keyboard().press("Control+A");
        page.keyboard().type("2");
        page.keyboard().press("Enter");

        assertThat(part(page, "reservation-1")).containsText(texts[0]);
        assertThat(part(page, "reservation-1")).containsText(texts[1]);
        assertThat(part(page, "reservation-block-1")).containsText(texts[0]);
        assertThat(part(page, "reservation-add")).isFocused();

        page.navigate(harness.url() + "/ui/gpu");
        assertThat(page.locator("[data-testid$='-reserved']")).hasCount(2);
        assertThat(page.locator("[data-testid$='-reserved']").first()).containsText(texts[0]);
        page.navigate(harness.url() + "/ui/timeline");
        assertThat(part(page, "timeline-reserved")).containsText(texts[0]);

        page.navigate(harness.url() + "/ui/reservations");
        press(page, "reservation-remove-1", "Enter");
        press(page, "reservation-remove-yes", "Enter");
        assertThat(part(page, "reservations-none")).isVisible();
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void quietHoursOnNamedGpusRepeatEveryWeek(ConsoleTexts words) {
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + "/ui/reservations");
        part(page, "reservation-add").click();
        part(page, "reservation-holder-nobody").check();
        part(page, "reservation-which-some").check();
        part(page, "reservation-gpus-3").click();
        part(page, "reservation-weekly").check();
        part(page, "reservation-send").click();
        assertThat(part(page, "reservation-1")).containsText(TEXTS.get(words.tag())[2]);
        assertThat(part(page, "reservation-1")).containsText("GPU 3");
        part(page, "week-later").click();
        assertThat(part(page, "reservation-block-1")).isVisible();
        browsing.assertNoErrors();
    }

    @ParameterizedTest
    @MethodSource("dev.berth.app.endtoend.ConsoleTexts#all")
    void anAdminLimitsAUserWhereTheUseIsShown(ConsoleTexts words) {
        api.awaitEnd(api.submit(TaskBuilder.oneGpu("true")));
        var user = api.client().get("/api/me").json().path("name").asString();
        var page = browsing.tab(words.tag());
        page.navigate(harness.url() + "/ui/people");
        press(page, "person-edit-" + user, "Enter");
        assertThat(part(page, "person-weight")).isFocused();
        part(page, "person-max_gpus").fill("x");
        part(page, "person-save").click();
        assertThat(part(page, "person-max_gpus-error")).isVisible();
        part(page, "person-max_gpus").fill("3");
        part(page, "person-save").click();
        assertThat(part(page, "person-" + user)).containsText(TEXTS.get(words.tag())[3]);
        assertThat(part(page, "person-edit-" + user)).isFocused();
        browsing.assertNoErrors();
    }

    private static void press(Page page, String id, String key) {
        part(page, id).focus();
        page.keyboard().press(key);
    }
}
