package dev.berth.http.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

class ConsoleFilesTest {

    @Test
    void buildWithoutConsoleShowsAPage() {
        var page = ConsoleFiles.at("dev/berth/nowhere/").find("tasks/7").orElseThrow();
        assertThat(new String(page.plain(), StandardCharsets.UTF_8))
                .contains("This build has no console in it");
        assertThat(page.isImmutable()).isFalse();
    }
}
