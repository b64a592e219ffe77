package dev.berth.app.endtoend;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static dev.berth.app.endtoend.BrowserSession.part;

import com.microsoft.playwright.Page;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** A model from its form to the result of a task, with a real worker, in a real browser. */
@ExtendWith(ServerHarnessExtension.class)
final class ModelPageTest {

    private static final String WORKER =
            """
            import json, sys

            def say(**message):
                print(json.dumps(message), flush=True)

            print("loading the sums", file=sys.stderr, flush=True)
            say(type="ready")
            for line in sys.stdin:
                order = json.loads(line)
                if order["type"] == "ping":
                    say(type="pong")
                elif order["type"] == "run":
                    task, numbers = order["task"], order["params"]["numbers"]
                    say(type="log", task=task, line="adding %d numbers" % len(numbers))
                    value = {"sum": sum(numbers), "type": order["task_type"]}
                    say(type="result", task=task, value=value)
                elif order["type"] == "stop":
                    break
            """;

    private final ServerHarness harness;
    private BrowserSession browsing;

    ModelPageTest(ServerHarness harness) {
        this.harness = harness.options("--gpus", "sim:2x24576:Test Card", "--auth", "none");
    }

    @BeforeEach
    void open() {
        browsing = new BrowserSession();
        harness.start();
    }

    @AfterEach
    void close() {
        browsing.close();
    }

    @Test
    void modelIsAddedLoadedUsedUnloadedAndRemoved() throws IOException {
        var program = harness.file("sums.py");
        Files.writeString(program, WORKER);
        var page = browsing.tab("en");
        page.navigate(harness.url() + "/ui/models");
        assertThat(part(page, "models-none")).isVisible();
        browsing.assertNoErrors();

        add(page, program);
        load(page);
        submit(page);
        unloadAndRemove(page);
        browsing.assertNoErrors();
    }

    private void add(Page page, Path program) {
        part(page, "model-add").click();
        part(page, "model-name").fill("sums");
        part(page, "model-worker").fill("python3 " + program);
        part(page, "model-memory").fill("3000");
        part(page, "model-dir").fill("/no/such/directory");
        part(page, "model-save").click();
        assertThat(part(page, "model-dir-error")).containsText("/no/such/directory");
        // The browser reports the refused request.
        browsing.clearErrors();

        part(page, "model-dir").fill("/tmp");
        part(page, "model-save").click();
        assertThat(part(page, "model-sums-state")).hasText("Not loaded");
        assertThat(part(page, "model-sums-command")).containsText("sums.py");
    }

    private static void load(Page page) {
        part(page, "model-sums-load").click();
        part(page, "load-gpu").selectOption("1");
        part(page, "load-yes").click();
        assertThat(part(page, "model-sums-gpu-1")).hasAttribute("data-status", "idle");
        part(page, "model-sums-log").click();
        assertThat(part(page, "task-is-worker")).containsText("sums");
        assertThat(part(page, "log")).containsText("loading the sums");
        part(page, "nav-gpus").click();
        assertThat(part(page, "gpu-1-model-sums")).hasAttribute("data-status", "idle");
        assertThat(part(page, "gpu-1-idle-memory")).containsText("2.9 GiB");
        assertThat(part(page, "queue")).containsText("0 running");
        part(page, "nav-tasks").click();
        assertThat(part(page, "tasks-none")).isVisible();
        part(page, "nav-models").click();
    }

    private static void submit(Page page) {
        part(page, "model-sums-submit").click();
        assertThat(part(page, "form-call-model")).hasValue("sums");
        part(page, "form-name").fill("add up");
        part(page, "form-call-type").fill("sum");
        part(page, "form-param-0-name").fill("numbers");
        part(page, "form-param-0-value").fill("[1, 2, 39]");
        part(page, "form-submit").click();

        assertThat(part(page, "task-result")).containsText(Pattern.compile("\"sum\": 42"));
        assertThat(part(page, "task-result")).containsText("\"type\": \"sum\"");
        assertThat(part(page, "task-params")).containsText("39");
        assertThat(part(page, "log")).containsText("adding 3 numbers");
        assertThat(part(page, "task-command")).isHidden();
        part(page, "task-call-model").click();
        assertThat(part(page, "model-sums-hitRate")).hasText("100 %");
    }

    private static void unloadAndRemove(Page page) {
        part(page, "model-sums-unload").click();
        assertThat(part(page, "model-sums-none")).isVisible();
        part(page, "model-sums-menu").click();
        part(page, "model-sums-remove").click();
        part(page, "model-remove-yes").click();
        assertThat(part(page, "models-none")).isVisible();
    }
}
