package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.identity.Auth;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** The console's files, which everyone may have. */
class ConsoleTest {

    private static final String ASSET = "/ui/assets/index-BxY12abc.js";

    private static Premises premises;

    @BeforeAll
    static void open() throws Exception {
        premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL);
    }

    @AfterAll
    static void close() throws Exception {
        premises.close();
    }

    @Test
    void theRootLeadsToTheConsole() {
        var reply = premises.tcp().get("/");
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
        var reply = premises.tcp().get(path, "Sec-Fetch-Site: cross-site");
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
    void whatHasAHashInItsNameIsKeptForEver() {
        var reply = premises.tcp().get(ASSET);
        assertThat(reply.header("Content-Type")).contains("text/javascript; charset=utf-8");
        assertThat(reply.header("Cache-Control")).contains("public, max-age=31536000, immutable");
        assertThat(premises.tcp().get("/ui/words.json").header("Cache-Control"))
                .contains("no-cache");
    }

    @Test
    void whoHasItAlreadyIsToldSo() {
        var etag = premises.tcp().get("/ui/").header("ETag").orElseThrow();
        var reply = premises.tcp().get("/ui/", "If-None-Match: " + etag);
        assertThat(reply.status()).isEqualTo(304);
        assertThat(reply.text()).isEmpty();
        assertThat(premises.tcp().get("/ui/", "If-None-Match: \"other\"").status()).isEqualTo(200);
    }

    @Test
    void itIsCompressedForThoseWhoCanReadThat() {
        var plain = premises.tcp().get(ASSET);
        var zipped = premises.tcp().get(ASSET, "Accept-Encoding: gzip, br");
        assertThat(zipped.header("Content-Encoding")).contains("gzip");
        assertThat(zipped.header("Vary")).contains("Accept-Encoding");
        assertThat(Integer.parseInt(zipped.header("Content-Length").orElseThrow()))
                .isLessThan(plain.text().length() / 10);
        var head = premises.tcp().send("HEAD", ASSET, List.of(), new byte[0]);
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
        var reply = premises.tcp().get(path);
        assertThat(reply.status()).isIn(200, 400, 401, 404);
        assertThat(reply.text()).doesNotContain("root:", "Door");
        if (reply.status() == 200) {
            assertThat(reply.text()).contains("console of a test");
        }
    }

    @Test
    void pagesAreReadOnlyAndMindTheHost() {
        assertThat(premises.tcp().get("/ui/", "Host: evil.example").status()).isEqualTo(403);
        assertThat(premises.tcp().post("/ui/", "").status()).isEqualTo(401);
    }
}
