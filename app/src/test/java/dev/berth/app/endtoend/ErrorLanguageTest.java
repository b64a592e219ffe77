package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.nio.file.Files;

/** Errors of tasks are in the language of the reader, in the console and in a terminal. */
@ExtendWith(ServerHarnessExtension.class)
final class ErrorLanguageTest {

    private static final String CHINESE = "退出码 137（SIGKILL：被强制终止，多为内存不足）";
    private static final String ENGLISH =
            "exit code 137 (SIGKILL: killed, often for want of memory)";

    private final ServerHarness harness;

    ErrorLanguageTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:1x24576", "--auth", "none");
    }

    @Test
    void aChinesePageFollowsATaskToItsErrorInChinese() throws Exception {
        try (var browsing = new BrowserSession()) {
            var api = harness.start();
            var sign = harness.file("end");
            long id =
                    api.submit(
                            TaskBuilder.cpu(
                                    "until [ -e '"
                                            + sign
                                            + "' ]; do sleep 0.05; done; kill -9 $$"));
            var page = browsing.tab("zh-CN");
            page.navigate(harness.url() + "/ui/tasks/" + id);
            assertThat(part(page, "conn")).hasAttribute("data-state", "live");
            assertThat(part(page, "task-status")).containsText("执行中");

            Files.createFile(sign);
            assertThat(part(page, "task-error-text")).hasText(CHINESE);
            part(page, "lang").selectOption("en");
            assertThat(part(page, "task-error-text")).hasText(ENGLISH);
            browsing.assertNoErrors();
        }
    }

    @Test
    void aTerminalInChineseShowsTheErrorInChinese() {
        var api = harness.start();
        long id = api.submit(TaskBuilder.cpu("kill -9 $$"));
        api.awaitEnd(id);
        var task = Long.toString(id);
        assertThat(harness.run("show", task)).contains(ENGLISH);
        harness.env("LC_ALL", "zh_CN.UTF-8");
        assertThat(harness.run("show", task)).contains(CHINESE);
    }
}
