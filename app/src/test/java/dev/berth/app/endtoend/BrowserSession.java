package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Playwright.CreateOptions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real browser that records every error of a page: console errors, script errors, and violations
 * of the content security policy.
 */
final class BrowserSession implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

    private static final String WATCH_POLICY =
            """
            document.addEventListener('securitypolicyviolation', (event) =>
              console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))
            """;

    /**
     * One browser for each test thread, because Playwright only allows calls from the thread that
     * created it; starting one takes longer than most tests. It ends with this process, when its
     * pipe is closed.
     */
    private static final ThreadLocal<Browser> BROWSER =
            ThreadLocal.withInitial(BrowserSession::startBrowser);

    private final List<BrowserContext> contexts = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    BrowserSession() {
        assumeTrue(Files.isExecutable(CHROMIUM), "Chromium is installed");
        if (!BROWSER.get().isConnected()) {
            BROWSER.remove();
        }
    }

    /** On a busy machine a page is late, not wrong. */
    private static final double PATIENCE_MS = 120_000;

    private static Browser startBrowser() {
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
        var options = new CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"));
        return Playwright.create(options)
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

    /** A tab of a new user whose browser has this language. */
    Page tab(String language) {
        var context = BROWSER.get().newContext(new Browser.NewContextOptions().setLocale(language));
        context.setDefaultTimeout(PATIENCE_MS);
        contexts.add(context);
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

    void assertNoErrors() {
        assertThat(complaints).as("what the browser complained about").isEmpty();
    }

    /** Clears expected errors, for instance that a server could not be reached. */
    void clearErrors() {
        complaints.clear();
    }

    @Override
    public void close() {
        contexts.forEach(BrowserContext::close);
    }
}
