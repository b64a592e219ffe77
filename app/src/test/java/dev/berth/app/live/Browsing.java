package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Playwright.CreateOptions;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real browser, and everything that a page complained about in it: errors on the console, errors
 * of scripts, and whatever the content security policy refused.
 */
final class Browsing implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

    private static final String WATCH_POLICY =
            """
            document.addEventListener('securitypolicyviolation', (event) =>
              console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))
            """;

    private final Playwright playwright;
    private final Browser browser;
    private final List<String> complaints = new ArrayList<>();

    Browsing() {
        assumeTrue(Files.isExecutable(CHROMIUM), "Chromium is installed");
        playwright =
                Playwright.create(
                        new CreateOptions()
                                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser =
                playwright
                        .chromium()
                        .launch(
                                new LaunchOptions()
                                        .setExecutablePath(CHROMIUM)
                                        .setArgs(
                                                List.of(
                                                        "--no-sandbox",
                                                        "--disable-gpu",
                                                        "--disable-background-networking",
                                                        "--disable-component-update",
                                                        "--disable-sync",
                                                        "--no-first-run")));
    }

    /** A tab of somebody who has never been here, and whose browser speaks this language. */
    Page tab(String language) {
        var context = browser.newContext(new Browser.NewContextOptions().setLocale(language));
        context.addInitScript(WATCH_POLICY);
        var page = context.newPage();
        page.onConsoleMessage(
                message -> {
                    if (message.type().equals("error")) {
                        complaints.add(message.text());
                    }
                });
        page.onPageError(complaints::add);
        return page;
    }

    static Locator part(Page page, String testId) {
        return page.getByTestId(testId);
    }

    void assertNoComplaints() {
        assertThat(complaints).as("what the browser complained about").isEmpty();
    }

    /** Of what was expected, for instance that a server could not be reached. */
    void forgetComplaints() {
        complaints.clear();
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
