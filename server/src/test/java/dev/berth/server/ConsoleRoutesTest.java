package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.identity.AuthMode;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** The console's files need no authentication. */
class ConsoleRoutesTest {

    private static final String ASSET = "/ui/assets/index-BxY12abc.js";

    private static TestServer server;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT);
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    @Test
    void rootRedirectsToTheConsole() {
        var reply = server.tcp().get("/");
        assertThat(reply.status()).isEqualTo(302);
        assertThat(reply.header("Location")).contains("/ui/");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ui",
                "/ui/",
                "/ui/index.html",
                "/ui/tasks/7",
                "/ui/a/b/c",
                "/ui/.hidden",
                "/ui/command?mode=multi",
                "/ui/new?from=7"
            })
    void everyPageIsTheOnePage(String path) {
        var reply = server.tcp().get(path, "Sec-Fetch-Site: cross-site");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text()).contains("console of a test");
        assertThat(reply.header("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(reply.header("Cache-Control")).contains("no-cache");
        assertThat(reply.header("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none'; script-src 'self';")
                .doesNotContain("unsafe");
        assertThat(reply.header("X-Frame-Options")).contains("DENY");
        assertThat(reply.header("Referrer-Policy")).contains("no-referrer");
        assertThat(reply.header("Cross-Origin-Opener-Policy")).contains("same-origin");
    }

    @Test
    void hashedFilesAreCachedForever() {
        var reply = server.tcp().get(ASSET);
        assertThat(reply.header("Content-Type")).contains("text/javascript; charset=utf-8");
        assertThat(reply.header("Cache-Control")).contains("public, max-age=31536000, immutable");
        assertThat(server.tcp().get("/ui/words.json").header("Cache-Control")).contains("no-cache");
    }

    @Test
    void matchingEtagGets304() {
        var etag = server.tcp().get("/ui/").header("ETag").orElseThrow();
        var reply = server.tcp().get("/ui/", "If-None-Match: " + etag);
        assertThat(reply.status()).isEqualTo(304);
        assertThat(reply.text()).isEmpty();
        assertThat(server.tcp().get("/ui/", "If-None-Match: \"other\"").status()).isEqualTo(200);
    }

    @Test
    void compressesIfTheClientAcceptsGzip() {
        var plain = server.tcp().get(ASSET);
        var zipped = server.tcp().get(ASSET, "Accept-Encoding: gzip, br");
        assertThat(zipped.header("Content-Encoding")).contains("gzip");
        assertThat(zipped.header("Vary")).contains("Accept-Encoding");
        assertThat(Integer.parseInt(zipped.header("Content-Length").orElseThrow()))
                .isLessThan(plain.text().length() / 10);
        var head = server.tcp().send("HEAD", ASSET, List.of(), new byte[0]);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length")).isEqualTo(plain.header("Content-Length"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ui/assets/missing.js",
                "/ui/assets/../../server/Door.class",
                "/ui/%2e%2e/server/Door.class",
                "/ui/..%2fserver%2fDoor.class",
                "/ui//etc/passwd",
                "/ui/assets/%00"
            })
    void nothingElseIsEverServed(String path) {
        var reply = server.tcp().get(path);
        assertThat(reply.status()).isIn(200, 400, 401, 404);
        assertThat(reply.text()).doesNotContain("root:", "Door");
        if (reply.status() == 200) {
            assertThat(reply.text()).contains("console of a test");
        }
    }

    @Test
    void pagesAreReadOnlyAndCheckTheHost() {
        assertThat(server.tcp().get("/ui/", "Host: evil.example").status()).isEqualTo(403);
        assertThat(server.tcp().post("/ui/", "").status()).isEqualTo(401);
    }
}
