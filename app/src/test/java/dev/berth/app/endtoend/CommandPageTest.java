package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;
import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Command files, their runs, the rules and the settings, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CommandPageTest {

    private static final String RULES = "# of this lab\ngpu_left: 0\n";

    /** Disables the polling of a page, so that only events update it. */
    private static final String NO_ASKING =
            """
            const real = window.setInterval
            window.setInterval = (work, ms, ...rest) => ms === 5000 ? 0 : real(work, ms, ...rest)
            """;

    private final ServerHarness harness;
    private final FileRunApi lanes;
    private BrowserSession browsing;

    CommandPageTest(ServerHarness harness) {
        this.harness = harness;
        this.lanes = new FileRunApi(harness);
        harness.configure(RULES).start();
    }

    @BeforeEach
    void open() {
        browsing = new BrowserSession();
    }

    @AfterEach
    void close() {
        browsing.close();
        lanes.activeRuns().forEach(lanes::stop);
        eventually("no run is left", () -> lanes.activeRuns().isEmpty());
    }

    private Page visit(ConsoleTexts words, String path) {
        var page = browsing.tab(words.tag());
        page.addInitScript(NO_ASKING);
        page.navigate(harness.url() + path);
        assertArrived(page);
        return page;
    }

    private static void assertArrived(Page page) {
        assertThat(part(page, "conn")).hasAttribute("data-state", "live");
        page.evaluate("window.stayed = true");
    }

    private static void assertNeverReloaded(Page page) {
        assertThat(page.evaluate("window.stayed")).isEqualTo(true);
    }

    private Path command(String name) {
        return harness.home().resolve("command").resolve(name);
    }

    /** The parts of a page that show one run. */
    private record Shown(Page page, String pid) {

        /** Waits until the file with this index runs. */
        static Shown of(Page page, int index) {
            var running = part(page, "command-config-" + index + "-running");
            assertThat(running).isVisible();
            var pid = part(page, "command-config-" + index).getAttribute("data-running");
            assertThat(running).containsText(pid);
            running.click();
            assertThat(page).hasURL(Pattern.compile("/ui/state#run-" + pid + "$"));
            return new Shown(page, pid);
        }

        Locator run() {
            return part(page, "run-" + pid);
        }

        Locator run(String what) {
            return part(page, "run-" + pid + "-" + what);
        }

        Locator lane(int queue, String what) {
            return part(page, "lane-" + pid + "-" + queue + "-" + what);
        }

        Locator process(int queue, int index) {
            return part(page, "process-" + pid + "-" + queue + "-" + index);
        }

        Locator process(int queue, int index, String what) {
            return part(page, "process-" + pid + "-" + queue + "-" + index + "-" + what);
        }
    }

    @Test
    void aFileIsMadeMendedStartedFollowedAndStopped() {
        var train = new CommandGate(harness.file("train"));
        var begin = new CommandGate(harness.file("begin"));
        var once = harness.file("once");
        var text =
                """
                # first the short one
                1
                %s
                2

                1
                sleep 600
                2

                2
                %s
                [[ -e %s ]] || { touch %s; false; }
                sleep 600
                2.5
                """
                        .formatted(train.command(), begin.command(), once, once);
        var page = visit(ConsoleTexts.CHINESE, "/ui/command");
        assertThat(part(page, "command-none")).isVisible();
        makeAndMend(page, text);
        bind(page);

        part(page, "command-config-0-start").click();
        var shown = Shown.of(page, 0);
        follow(shown, begin, train);
        readBoundLog(shown);
        stop(shown);
        assertNeverReloaded(page);
        browsing.assertNoErrors();
    }

    private void makeAndMend(Page page, String text) {
        var file = command("command_gpu.txt");
        part(page, "command-new").click();
        assertThat(part(page, "editor-text")).isFocused();
        assertThat(file).isEmptyFile();
        browsing.assertNoErrors();

        var wrong = text.replace("sleep 600\n2\n", "sleep 600\nlots\n");
        part(page, "editor-text").fill(wrong);
        assertThat(part(page, "editor-unsaved")).hasText("未保存");
        part(page, "editor-save").click();
        assertThat(part(page, "editor-error")).containsText("没有保存");
        var problem = part(page, "editor-problems").locator("li");
        assertThat(problem).hasCount(1);
        assertThat(problem).hasAttribute("data-line", "8");
        assertThat(problem).containsText("第 8 行");
        assertThat(page.locator(".number.bad")).hasText("8");
        assertThat(part(page, "editor-text")).hasValue(wrong);
        assertThat(file).isEmptyFile();
        browsing.clearErrors(); // The browser logs every 400.

        part(page, "editor-text").fill(text);
        part(page, "editor-save").click();
        assertThat(page.getByText("配置 1 已保存")).isVisible();
        assertThat(part(page, "editor")).hasCount(0);
        assertThat(file).hasContent(text);
        assertThat(part(page, "command-config-0")).containsText("3 个任务");
        assertThat(part(page, "command-config-0")).containsText("2 个队列");
    }

    /**
     * The three levels, down to the log of a process; a bound log survives a reload of the page.
     */
    private void bind(Page page) {
        openLevels(page);
        assertThat(part(page, "command-process-0-1-1-commands")).hasText("sleep 600");
        part(page, "bind-0-1-1-path").fill("/etc/passwd");
        part(page, "bind-0-1-1-save").click();
        assertThat(part(page, "bind-0-1-1-error")).containsText("logs/");
        browsing.clearErrors(); // The browser logs every 403.

        append("epoch 1\n");
        part(page, "bind-0-1-1-path").fill("logs/train.log");
        part(page, "bind-0-1-1-save").click();
        assertThat(part(page, "bind-0-1-1-error")).hasCount(0);
        assertThat(part(page, "bind-0-1-1-remove")).isVisible();
        page.reload();
        assertArrived(page);
        part(page, "command-config-0-open").click();
        openLevels(page);
        assertThat(part(page, "bind-0-1-1-path")).hasValue("logs/train.log");
    }

    private static void openLevels(Page page) {
        part(page, "command-queue-0-1-open").click();
        part(page, "command-process-0-1-1-open").click();
    }

    private void append(String text) {
        var file = harness.home().resolve("logs/train.log");
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void follow(Shown shown, CommandGate begin, CommandGate train) {
        assertThat(shown.run()).hasAttribute("data-status", "running");
        assertThat(shown.run("status")).hasText("运行中");
        assertThat(shown.run("running")).hasText("2 执行中");
        assertThat(shown.run("pending")).hasText("1 等待");
        assertThat(shown.lane(1, "gpus")).hasText("GPU #" + card(shown, 1));
        assertThat(shown.lane(2, "gpus")).hasText("GPU #" + card(shown, 2));
        assertThat(shown.process(1, 0)).containsText("#" + card(shown, 1));
        assertThat(shown.lane(1, "progress")).hasText("0 / 2");
        assertThat(shown.process(1, 0)).containsText("2 GiB");
        assertThat(shown.process(1, 0)).containsText("until [[");
        assertThat(shown.process(2, 0)).containsText("2.5 GiB");
        assertThat(shown.process(2, 0, "retries")).hasText("0");

        begin.open();
        assertThat(shown.process(2, 0, "retries")).hasText("1");
        assertThat(shown.process(2, 0)).hasAttribute("data-status", "running");
        assertThat(shown.lane(2, "status")).hasText("执行中");

        var first = shown.lane(1, "current").innerText();
        train.open();
        assertThat(shown.lane(1, "progress")).hasText("1 / 2");
        assertThat(shown.process(1, 0)).hasAttribute("data-status", "completed");
        assertThat(shown.process(1, 1)).hasAttribute("data-status", "running");
        assertThat(shown.lane(1, "current")).not().hasText(first);
        assertThat(shown.run("completed")).hasText("1 完成");
        assertThat(shown.run("progress")).containsText("1 / 3");
        assertThat(shown.run("pending")).hasCount(0);
    }

    /** The only GPU of a lane. */
    private int card(Shown shown, int queue) {
        return lanes.process(Long.parseLong(shown.pid()), queue, 0).path("gpus").path(0).asInt();
    }

    private void readBoundLog(Shown shown) {
        assertThat(shown.process(1, 0, "bound")).hasCount(0);
        shown.process(1, 1, "bound").click();
        var log = part(shown.page(), "bound-log-text");
        assertThat(log).containsText("epoch 1");
        append("\u001b[32mepoch 2\u001b[0m\n");
        assertThat(log).containsText("epoch 2");
        assertThat(log).not().containsText("[32m");
        part(shown.page(), "bound-log-close").click();
        assertThat(log).hasCount(0);
    }

    private void stop(Shown shown) {
        var page = shown.page();
        shown.run("stop").click();
        part(page, "run-stop-no").click();
        assertThat(lanes.isActive(Long.parseLong(shown.pid()))).isTrue();

        shown.run("stop").click();
        part(page, "run-stop-yes").click();
        assertThat(part(page, "state-none")).isVisible();
        assertThat(lanes.activeRuns()).isEmpty();
        harness.awaitNoLeftovers();
        part(page, "state-ended").click();
        assertThat(shown.run()).hasAttribute("data-status", "stopped");
        assertThat(shown.run("cancelled")).hasText("2 中断");
        part(page, "nav-command").click();
        assertThat(part(page, "command-config-0-start")).hasText("启动");
    }

    @Test
    void filesForSeveralGpusAreMadeRunAndDeleted() {
        var page = visit(ConsoleTexts.ENGLISH, "/ui/command");
        part(page, "command-mode-multi").click();
        assertThat(page).hasURL(Pattern.compile("mode=multi$"));
        page.reload();
        assertArrived(page);
        make(page, 0, "1\nsleep 600\n2\n1\n");
        assertThat(part(page, "command-config-0")).containsText("1 task · 1 queue");
        make(page, 1, "7\ntrue\n1-2\n1\n");
        assertThat(command("command_gpus_1.txt")).hasContent("7\ntrue\n1-2\n1\n");

        part(page, "command-config-1-delete").click();
        part(page, "command-config-1-delete-no").click();
        assertThat(command("command_gpus_1.txt")).exists();
        part(page, "command-config-1-delete").click();
        part(page, "command-config-1-delete-yes").click();
        assertThat(part(page, "command-config-1")).hasCount(0);
        assertThat(command("command_gpus_1.txt")).doesNotExist();
        assertThat(part(page, "command-config-0-delete")).hasCount(0);

        part(page, "command-config-0-start").click();
        var shown = Shown.of(page, 0);
        assertThat(shown.run("status")).hasText("Running");
        assertThat(shown.lane(1, "gpus")).hasText("on GPU #0 #1");
        page.goBack();
        part(page, "command-config-0-stop").click();
        part(page, "run-stop-yes").click();
        assertThat(part(page, "command-config-0-start")).hasText("Start");
        eventually("the run is gone", () -> lanes.activeRuns().isEmpty());
        assertNeverReloaded(page);
        browsing.assertNoErrors();
    }

    private static void make(Page page, int index, String text) {
        part(page, "command-new").click();
        assertThat(part(page, "command-config-" + index).getByTestId("editor-text")).isFocused();
        part(page, "editor-text").fill(text);
        page.keyboard().press("Control+s");
        assertThat(part(page, "editor")).hasCount(0);
    }

    @Test
    void aRuleHoldsAtTheNextPassAndABadOneIsRefusedAtItsField() throws IOException {
        var file = harness.home().resolve("config/berth.yaml");
        var before = Files.readString(file);
        var page = visit(ConsoleTexts.CHINESE, "/ui/rule");
        assertThat(part(page, "rule-gpu_left")).hasValue("0");
        assertThat(part(page, "rule-gpu_left-source")).hasText("来自 config/berth.yaml:2");
        part(page, "rule-gpu_left").fill("-1");
        part(page, "rule-save").click();
        assertThat(part(page, "rule-gpu_left-error")).containsText("请填写 0 到");
        assertThat(part(page, "rule-gpu_left")).isFocused();
        assertThat(file).hasContent(before);

        saveGpuLeft(page, "2");
        assertThat(file).hasContent(before.replace("gpu_left: 0", "gpu_left: 2"));
        long pid = startThreeLanes();
        part(page, "nav-state").click();
        var shown = new Shown(page, Long.toString(pid));
        assertThat(shown.run("running")).hasText("2 执行中");
        assertThat(shown.run("pending")).hasText("1 等待");

        part(page, "nav-more").click();
        part(page, "nav-rule").click();
        saveGpuLeft(page, "1");
        part(page, "nav-state").click();
        assertThat(shown.run("running")).hasText("3 执行中");
        assertThat(shown.run("pending")).hasCount(0);
        assertThat(List.of(card(shown, 1), card(shown, 2), card(shown, 3)))
                .as("the last one is left")
                .containsExactlyInAnyOrder(0, 1, 2);
        part(page, "nav-more").click();
        part(page, "nav-rule").click();
        saveGpuLeft(page, "0");
        assertNeverReloaded(page);
        browsing.assertNoErrors();
    }

    /** A run without a file in the home, because the files there belong to another test. */
    private long startThreeLanes() {
        var content = "1\nsleep 600\n1\n\n2\nsleep 600\n1\n\n3\nsleep 600\n1\n";
        var body = Map.of("content", content, "command_file", harness.file("three.txt").toString());
        return lanes.start("single", TestClient.JSON.writeValueAsString(body));
    }

    private static void saveGpuLeft(Page page, String value) {
        part(page, "rule-gpu_left").fill(value);
        part(page, "rule-save").click();
        assertThat(part(page, "rule-unsaved")).hasCount(0);
        assertThat(part(page, "rule-gpu_left")).hasValue(value);
    }

    @Test
    void aPortIsSavedForTheNextStartAndOneThatIsNoneIsRefused() throws IOException {
        int port = freePort();
        var file = harness.home().resolve("config/berth.yaml");
        var page = visit(ConsoleTexts.ENGLISH, "/ui/setting");
        assertThat(part(page, "setting-host")).isDisabled();
        assertThat(part(page, "setting-url")).hasText(harness.url());
        assertThat(part(page, "setting-home")).hasText(harness.home().toString());
        assertThat(part(page, "setting-restart")).hasCount(0);
        var before = Files.readString(file);
        part(page, "setting-port").fill("70000");
        part(page, "setting-save").click();
        assertThat(part(page, "setting-port-error")).containsText("65535");
        assertThat(part(page, "setting-port")).isFocused();
        browsing.assertNoErrors();
        part(page, "setting-port").fill(Integer.toString(port));
        part(page, "setting-public_url").fill("nonsense");
        part(page, "setting-save").click();
        assertThat(part(page, "setting-public_url-error")).containsText("not nonsense");
        assertThat(part(page, "setting-port")).hasValue(Integer.toString(port));
        assertThat(file).hasContent(before);
        browsing.clearErrors(); // The browser logs every 422.

        part(page, "setting-public_url-reset").click();
        part(page, "setting-save").click();
        assertThat(part(page, "setting-restart")).containsText("after a restart");
        assertThat(part(page, "setting-port-source")).containsText("config/berth.yaml");
        assertThat(Files.readString(file)).startsWith(before).contains("port: " + port);
        browsing.assertNoErrors();

        page.close();
        harness.configuredPort().restart();
        assertThat(harness.url()).endsWith(":" + port);
        var again = visit(ConsoleTexts.ENGLISH, "/ui/setting");
        assertThat(part(again, "setting-port")).hasValue(Integer.toString(port));
        assertThat(part(again, "setting-restart")).hasCount(0);
        browsing.assertNoErrors();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
